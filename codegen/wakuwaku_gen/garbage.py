"""Keep the garbage collector off while much is built that stays."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["uncollected"]


@contextmanager
def uncollected() -> Generator[None]:
    """Leave the garbage collector off: a schema has no garbage worth the time it takes to look through all of it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
