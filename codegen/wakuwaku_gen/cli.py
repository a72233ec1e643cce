"""The command line: flags to options, outcome to text and exit code. Only this module prints or exits."""

from __future__ import annotations

import enum
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from wakuwaku_gen.diagnostics import Span

__all__ = ["app", "main"]

_INTERRUPTED = 130

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


class OutputFormat(enum.StrEnum):
    """Name a way to print what a run found and did."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - `--help` does not need it

    return version("wakuwaku")


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the callback of a flag
    if wanted:
        typer.echo(f"wakuwaku-gen {_version()}")
        raise typer.Exit


@app.command()
def generate(
    schemas: Annotated[Path, typer.Argument(help="The folder of the schemas.", show_default=False)],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a run would change files.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Give up edits made to generated files.")] = False,
    recreate: Annotated[bool, typer.Option("--recreate", help="Write handler stubs again that were deleted.")] = False,
    format: Annotated[OutputFormat, typer.Option("--format", help="How to print the result.")] = OutputFormat.TEXT,  # noqa: A002
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Generate typed events, codecs, contracts and handler stubs from schemas in TOML.

    Exit code 0: done, or nothing to do; 1: the schemas have errors, or --check found differences; 2: wrong use, a file
    in the way, or a disk that said no.
    """
    try:
        code = _run(schemas, output, check=check, force=force, recreate=recreate, format_=format)
    except KeyboardInterrupt:
        typer.echo("interrupted; run the command again to finish", err=True)
        code = _INTERRUPTED
    raise typer.Exit(code)


def _run(schemas: Path, output: Path, *, check: bool, force: bool, recreate: bool, format_: OutputFormat) -> int:
    from wakuwaku_gen import app as use_cases  # noqa: PLC0415 - so that `--help` is quick
    from wakuwaku_gen.report import print_outcome  # noqa: PLC0415

    tool = f"wakuwaku-gen {_version()}"
    options = use_cases.Options(schemas, output, check=check, force=force, recreate=recreate, tool=tool)
    outcome = use_cases.generate(options)
    printed = print_outcome(outcome, format_.value, PurePosixPath(output.as_posix()), _line_reader())
    sys.stderr.write(printed.err)
    sys.stderr.flush()
    sys.stdout.write(printed.out)
    return outcome.status.exit_code


def _line_reader() -> Callable[[Span], str | None]:
    files: dict[Path, list[str]] = {}

    def line_of(span: Span) -> str | None:
        path = Path(span.file)
        if path not in files:
            try:
                files[path] = path.read_text(encoding="utf-8").split("\n")
            except (OSError, ValueError):
                files[path] = []
        lines = files[path]
        return lines[span.line - 1].rstrip("\r") if span.line <= len(lines) else None

    return line_of


def main() -> None:
    """Run the command `wakuwaku-gen`."""
    app(prog_name="wakuwaku-gen")
