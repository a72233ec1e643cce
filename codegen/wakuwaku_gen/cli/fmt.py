"""The command `wakuwaku fmt`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wakuwaku_gen.cli.terminal import fail, interruptible, line_reader, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wakuwaku_gen.fmt import Formatting

__all__ = ["fmt"]


def fmt(
    paths: Annotated[list[Path], typer.Argument(help="Folders of schemas, or schema files.", show_default=False)],
    *,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="As --check, and show the changes as a unified diff.")] = False,
) -> None:
    """Put schema files into the one form: order of keys, spelling of laws, spaces. Every comment stays.

    A file with an error is left alone. Line ends become line feeds. Exit code 0: done; 1: a file has errors, or --check
    found one that would change; 2: wrong use, or a disk that said no.
    """
    with interruptible("run the command again to finish"):
        from wakuwaku_gen.fmt import format_paths  # noqa: PLC0415 - so that `--help` is quick
        from wakuwaku_gen.report import diagnostics_text  # noqa: PLC0415

        try:
            found = format_paths(paths, write=not (check or diff))
        except OSError as error:
            fail(f"{error.filename}: {(error.strerror or str(error)).lower()}", "put that right and run it again")
        show(_lines(found, check=check, diff=diff), diagnostics_text(found.diagnostics, line_reader()))
        if found.diagnostics or ((check or diff) and found.changed):
            raise typer.Exit(1)


def _lines(found: Formatting, *, check: bool, diff: bool) -> Iterator[str]:
    from wakuwaku_gen.app import Change  # noqa: PLC0415
    from wakuwaku_gen.report import unified_diff  # noqa: PLC0415

    for file in found.changed:
        if diff:
            yield from unified_diff(Change(file.path, file.before, file.after))
        else:
            yield f"{'would format' if check else 'formatted'} {file.path}"
    verb = "would change" if check or diff else "formatted"
    left = f", {len({item.span.file for item in found.diagnostics})} with errors" if found.diagnostics else ""
    yield f"{len(found.changed)} {verb}, {found.unchanged} unchanged{left}"
