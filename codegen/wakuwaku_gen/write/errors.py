"""What stops a write before it starts."""

from __future__ import annotations

__all__ = ["WriteError"]


class WriteError(Exception):
    """Say why the output can't be written, and the way out."""

    def __init__(self, message: str, help_: str) -> None:
        super().__init__(message)
        self.message = message
        self.help = help_
