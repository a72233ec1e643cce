"""The command `wakuwaku compat`."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from wakuwaku_gen.cli.terminal import interruptible, line_reader, show, version

__all__ = ["compat"]


class Wanted(enum.StrEnum):
    """Name what has to get along."""

    BACKWARD = "backward"
    FORWARD = "forward"
    FULL = "full"
    SOURCE = "source"


class CompatFormat(enum.StrEnum):
    """Name a way to print what was found."""

    TEXT = "text"
    ONELINE = "oneline"
    JSON = "json"
    GITHUB = "github"
    GITLAB = "gitlab"
    JUNIT = "junit"
    SARIF = "sarif"
    MARKDOWN = "markdown"


class Least(enum.StrEnum):
    """Name the least severity that fails."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


def compat(
    schemas: Annotated[Path, typer.Argument(help="The folder of the schemas.", show_default=False)],
    *,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            help="A version to compare with: git:REF[:PATH], latest-tag:PATTERN, a folder, or a lock. Repeatable.",
            show_default="the lock beside the schemas",
        ),
    ] = None,
    level: Annotated[
        Wanted, typer.Option("--level", help="The directions in which records have to be read.")
    ] = Wanted.BACKWARD,
    fail_on: Annotated[Least, typer.Option("--fail-on", help="The least severity that exits with 1.")] = Least.ERROR,
    format: Annotated[CompatFormat, typer.Option("--format", help="How to print the result.")] = CompatFormat.TEXT,  # noqa: A002
    hints: Annotated[bool, typer.Option("--hints", help="Show harmless changes and approved ones, too.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Make the edits that findings offer, then check again.")] = False,
    check_lock: Annotated[
        bool, typer.Option("--check-lock", help="Exit with 3 if the lock has not the present shapes.")
    ] = False,
    lock: Annotated[Path | None, typer.Option("--lock", help="The lock.", show_default="SCHEMAS/wakuwaku.lock")] = None,
    approvals: Annotated[
        Path | None,
        typer.Option("--approvals", help="A file of approvals.", show_default="SCHEMAS/wakuwaku.approvals"),
    ] = None,
    evidence: Annotated[
        list[str] | None,
        typer.Option(
            "--evidence", help="Count in a log: an export, or events.db#STREAM. Repeatable.", show_default=False
        ),
    ] = None,
    tip: Annotated[
        bool, typer.Option("--tip", help="Compare with the end of a branch, not with where this one left it.")
    ] = False,
    fetch: Annotated[bool, typer.Option("--fetch", help="Ask the remote for a ref that is missing here.")] = False,
) -> None:
    """Check that a schema change strands no reader: of old records, of new ones, of any released version.

    Exit code 0: compatible; 1: findings; 2: no answer (a bad ref, broken TOML, an unknown lock); 3: the lock is stale.
    """
    with interruptible("nothing was changed; run the command again"):
        from wakuwaku_gen.compat import Level, Options, check_compat  # noqa: PLC0415 - so that `--help` is quick
        from wakuwaku_gen.diagnostics import Severity  # noqa: PLC0415
        from wakuwaku_gen.report.compat import print_compat  # noqa: PLC0415

        options = Options(
            schemas,
            tuple(against or ()),
            level=Level(level.value),
            fail_on=Severity(fail_on.value),
            lock=lock,
            approvals=approvals,
            tip=tip,
            fetch=fetch,
            check_lock=check_lock,
            fix=fix,
            evidence=tuple(evidence or ()),
        )
        outcome = check_compat(options)
        text = print_compat(outcome, format.value, line_reader(), hints=hints, version=version())
        show(*(("", text) if outcome.failure is not None and format is CompatFormat.TEXT else (text,)))
    raise typer.Exit(outcome.status.exit_code)
