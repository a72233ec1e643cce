"""Show how far a step is: one line that updates itself on a terminal, a line for each tenth anywhere else."""

from __future__ import annotations

from typing import Final, TextIO, final

__all__ = ["ProgressLine"]

_BAR: Final = 24


@final
class ProgressLine:
    """Write progress to a stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._updates = stream.isatty()
        self._told: tuple[str, int] | None = None

    def show(self, step: str, done: int, total: int) -> None:
        """Show that `done` of `total` events are through a step."""
        percent = 100 * done // total if total else 100
        if self._updates:
            bar = "#" * (_BAR * percent // 100)
            self._write(f"\r{step:<10} [{bar:<{_BAR}}] {percent:3} %  {done:,} of {total:,} events\x1b[K")
        elif self._told != (step, percent // 10):
            self._told = step, percent // 10
            self._write(f"{step:<10} {percent:3} %  {done:,} of {total:,} events\n")

    def clear(self) -> None:
        """Take the line away, so that something else can be written."""
        if self._updates:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
