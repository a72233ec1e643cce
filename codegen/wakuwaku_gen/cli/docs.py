"""The command `wakuwaku docs`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wakuwaku_gen.cli.terminal import interruptible, line_reader, show, version

__all__ = ["docs"]


def docs(
    schemas: Annotated[Path, typer.Argument(help="The folder of the schemas.", show_default=False)],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a run would change files.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Give up edits made to pages.")] = False,
) -> None:
    """Write a catalogue of all topics, events and types as pages in Markdown.

    Exit code 0: done, or nothing to do; 1: the schemas have errors, or --check found differences; 2: wrong use, a file
    in the way, or a disk that said no.
    """
    from wakuwaku_gen.app import Options, generate  # noqa: PLC0415 - so that `--help` is quick
    from wakuwaku_gen.catalogue import render_catalogue  # noqa: PLC0415
    from wakuwaku_gen.report import print_outcome  # noqa: PLC0415

    with interruptible("run the command again to finish"):
        tool = f"wakuwaku docs {version()}"
        outcome = generate(Options(schemas, output, check=check, force=force, tool=tool, files=render_catalogue))
        printed = print_outcome(outcome, "text", line_reader())
        show(printed.out, printed.err)
    raise typer.Exit(outcome.status.exit_code)
