"""The command `wakuwaku-gen`."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wakuwaku_gen.cli.terminal import interruptible, line_reader, show, version

if TYPE_CHECKING:
    from wakuwaku_gen.app import Options

__all__ = ["app", "main"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


class OutputFormat(enum.StrEnum):
    """Name a way to print what a run found and did."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


class FailOn(enum.StrEnum):
    """Name the least severity that stops a run."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the callback of a flag
    if wanted:
        typer.echo(f"wakuwaku-gen {version()}")
        raise typer.Exit


@app.command()
def generate(
    schemas: Annotated[Path, typer.Argument(help="The folder of the schemas.", show_default=False)],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    stubs: Annotated[
        Path | None, typer.Option("--stubs", help="A folder of its own for handler stubs.", show_default=False)
    ] = None,
    package: Annotated[
        str | None,
        typer.Option("--package", help="What --output is imported as, for --stubs.", show_default="from its place"),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a run would change files.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="As --check, and show the changes as a unified diff.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Run again whenever a schema changes, until Ctrl-C.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Give up edits made to generated files.")] = False,
    recreate: Annotated[bool, typer.Option("--recreate", help="Write handler stubs again that were deleted.")] = False,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="The least severity that stops the run with exit code 1.")
    ] = FailOn.ERROR,
    hints: Annotated[bool, typer.Option("--hints", help="Show hints too: what could be better, and need not.")] = False,
    format: Annotated[OutputFormat, typer.Option("--format", help="How to print the result.")] = OutputFormat.TEXT,  # noqa: A002
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Generate typed events, codecs, contracts and handler stubs from schemas in TOML.

    Exit code 0: done, or nothing to do; 1: the schemas have errors, or --check found differences; 2: wrong use, a file
    in the way, or a disk that said no.
    """
    if watch and (check or diff or format is not OutputFormat.TEXT):
        raise typer.BadParameter("--watch writes files and prints text; leave out --check, --diff and --format")
    if diff and format is not OutputFormat.TEXT:
        raise typer.BadParameter("--diff prints text; leave out --format, or use --check")
    if package is not None and stubs is None:
        raise typer.BadParameter("--package says how stubs in a folder of their own import; give --stubs too")
    with interruptible("run the command again to finish"):
        from wakuwaku_gen import app as use_cases  # noqa: PLC0415 - so that `--help` is quick
        from wakuwaku_gen.diagnostics import Severity  # noqa: PLC0415

        options = use_cases.Options(
            schemas,
            output,
            stubs=stubs,
            package=package,
            check=check,
            diff=diff,
            force=force,
            recreate=recreate,
            fail_on=Severity(fail_on.value),
            tool=f"wakuwaku-gen {_version()}",
        )
        if watch:
            _watch(options, hints=hints)
        else:
            raise typer.Exit(_run(options, format, hints=hints))


def _version() -> str:
    return version()  # behind the flag of that name


def _run(options: Options, format_: OutputFormat, *, hints: bool) -> int:
    from wakuwaku_gen import app as use_cases  # noqa: PLC0415
    from wakuwaku_gen.report import print_outcome  # noqa: PLC0415

    outcome = use_cases.generate(options)
    hints = hints or options.fail_on.value == FailOn.HINT.value  # what stops a run is shown
    printed = print_outcome(outcome, format_.value, line_reader(), hints=hints, version=_version())
    show(printed.out, printed.err)
    return outcome.status.exit_code


def _watch(options: Options, *, hints: bool) -> None:
    from wakuwaku_gen.cli.watch import bursts, keep_running  # noqa: PLC0415

    ours = [options.output, *([options.stubs] if options.stubs else [])]
    keep_running(bursts(options.schemas, ours), lambda: _run(options, OutputFormat.TEXT, hints=hints), options.schemas)


def main() -> None:
    """Run the command `wakuwaku-gen`."""
    app(prog_name="wakuwaku-gen")
