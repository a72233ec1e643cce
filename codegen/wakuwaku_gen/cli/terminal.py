"""What all commands do at the terminal: print, read source lines, take an interruption well."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import typer

if TYPE_CHECKING:
    from wakuwaku_gen.diagnostics import Span

__all__ = ["WRONG_USE", "fail", "interruptible", "line_reader", "show", "version"]

#: What a command exits with when it was called wrongly, or the disk said no.
WRONG_USE: Final = 2
_INTERRUPTED: Final = 130


def version() -> str:
    """Return the version of wakuwaku."""
    from importlib.metadata import version as installed  # noqa: PLC0415 - `--help` does not need it

    return installed("wakuwaku")


def show(out: str | Iterable[str] = "", err: str | Iterable[str] = "") -> None:
    """Print to both streams, errors first; what is no string is lines."""
    for stream, text in ((sys.stderr, err), (sys.stdout, out)):
        stream.write(text if isinstance(text, str) else "".join(f"{line}\n" for line in text))
        stream.flush()


def fail(message: str, help_: str, code: int = WRONG_USE) -> NoReturn:
    """Say why nothing comes of a command, and the way out; then exit."""
    show(err=(f"error: {message}", f"help: {help_}"))
    raise typer.Exit(code)


@contextmanager
def interruptible(way_on: str) -> Generator[None]:
    """Turn Ctrl-C into one line that tells how to go on, and the exit code shells expect."""
    try:
        yield
    except KeyboardInterrupt:
        show(err=[f"interrupted; {way_on}"])
        raise typer.Exit(_INTERRUPTED) from None


def line_reader() -> Callable[[Span], str | None]:
    """Return a function that reads the source line of a place; None when the file or the line can't be shown."""
    files: dict[Path, list[str]] = {}

    def line_of(span: Span) -> str | None:
        path = Path(span.file)
        if path not in files:
            try:
                # A pipe or a device would never come to an end.
                files[path] = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
            except (OSError, ValueError):
                files[path] = []
        lines = files[path]
        return lines[span.line - 1].rstrip("\r") if span.line <= len(lines) else None

    return line_of
