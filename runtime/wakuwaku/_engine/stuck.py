"""Name the handler that a worker is in."""

from __future__ import annotations

import asyncio
from types import CoroutineType
from typing import Any

__all__ = ["handler_of"]


def handler_of(task: asyncio.Task[Any]) -> str:
    """Return the innermost coroutine called ``handle`` that a task waits in, or the innermost one of all."""
    inner: Any = task.get_coro()
    name = ""
    while isinstance(inner, CoroutineType):
        name = inner.__qualname__ if not name.endswith(".handle") or inner.__name__ == "handle" else name
        inner = inner.cr_await
    return name
