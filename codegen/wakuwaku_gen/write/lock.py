"""Let one run at a time work on an output folder."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

__all__ = ["locked"]

if sys.platform == "win32":  # pragma: no cover

    @contextlib.contextmanager
    def locked(folder: Path) -> Generator[None]:  # noqa: ARG001
        """Do nothing: two runs at once fail on the one unfinished file, which only one can create."""
        yield

else:
    import fcntl

    @contextlib.contextmanager
    def locked(folder: Path) -> Generator[None]:
        """Wait until no other run works on a folder, and keep others out; a folder that is missing needs no lock.

        The lock goes when the process does, and leaves no file behind.
        """
        if not folder.is_dir():
            yield
            return
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
