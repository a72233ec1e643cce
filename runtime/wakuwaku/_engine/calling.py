"""Call a handler: plain functions in threads, a bound on calls at a time, a bound on their time."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, TypeAlias

from wakuwaku.handler import Batch, Handler

__all__ = ["Call", "call_of"]

Call: TypeAlias = Callable[[Batch[Any]], Awaitable[None]]


def call_of(handler: Handler[Any], timeout: float | None, threads: Executor) -> Call:
    """Return how a handler is called.

    A coroutine function without bounds is called as it is, so that bounds cost nothing where there are none. What a
    handler returns is not looked at.
    """
    call = _awaitable(handler, threads)
    if timeout is not None:
        call = _within(call, timeout)
    if handler.concurrency is not None:
        call = _at_a_time(call, handler.concurrency)
    return call


def _awaitable(handler: Handler[Any], threads: Executor) -> Call:
    handle: Callable[[Batch[Any]], Any] = handler.handle
    if inspect.iscoroutinefunction(handle):
        return handle

    def in_thread(events: Batch[Any]) -> Any:
        try:
            return handle(events)
        except StopIteration as error:  # no future can carry it
            raise RuntimeError("the handler raised StopIteration") from error

    async def handle_in_thread(events: Batch[Any]) -> None:
        running = asyncio.get_running_loop().run_in_executor(threads, in_thread, events)
        try:
            result = await asyncio.shield(running)
        except asyncio.CancelledError:
            # A thread can't be cancelled, however often it is asked. Nothing newer of its key may start while it runs.
            while not running.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait((running,))
            raise
        if inspect.isawaitable(result):  # a plain function around a coroutine function, such as a decorator's
            await result

    handle_in_thread.__name__ = "handle"
    handle_in_thread.__qualname__ = f"{type(handler).__qualname__}.handle"
    return handle_in_thread


def _within(call: Call, timeout: float) -> Call:
    async def within(events: Batch[Any]) -> None:
        async with asyncio.timeout(timeout):
            await call(events)

    return within


def _at_a_time(call: Call, concurrency: int) -> Call:
    room = asyncio.Semaphore(concurrency)

    async def when_there_is_room(events: Batch[Any]) -> None:
        async with room:
            await call(events)

    return when_there_is_room
