"""The command `wakuwaku init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wakuwaku_gen.cli.terminal import fail, interruptible, show, version

__all__ = ["init"]


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write it.", show_default="the current folder")] = Path(),
) -> None:
    """Write a project to start from: a schema, its generated code, handlers, a program and a test.

    Nothing that is there already is overwritten: then nothing is written at all, and the exit code is 2.
    """
    with interruptible("remove what was written, and run it again"):
        from wakuwaku_gen.starter import start_project  # noqa: PLC0415 - so that `--help` is quick

        try:
            started = start_project(folder, tool=f"wakuwaku-gen {version()}")
        except OSError as error:
            fail(
                f"{error.filename}: {(error.strerror or str(error)).lower()}", "put that right, or name another folder"
            )
        if started.in_the_way:
            there = ", ".join(str(folder / path) for path in started.in_the_way)
            fail(f"there already: {there}", "name a folder without them: wakuwaku init FOLDER")
        show([*(f"created  {(folder / path).as_posix()}" for path in started.written), *_next_steps(folder)])


def _next_steps(folder: Path) -> list[str]:
    into = [] if folder == Path() else [f"  cd {folder.as_posix()}"]
    return [
        f"created  {(folder / 'generated').as_posix()} from the schema",
        "",
        "Next:",
        *into,
        "  python program.py                          # see it run",
        "  wakuwaku-gen schemas/ -o generated/        # after each change of schemas/",
    ]
