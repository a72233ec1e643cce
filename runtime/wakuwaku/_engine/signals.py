"""Share SIGINT and SIGTERM among all consumers of an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Generator
from weakref import WeakKeyDictionary

__all__ = ["on_stop_signals"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LISTENERS: WeakKeyDictionary[asyncio.AbstractEventLoop, list[Callable[[], None]]] = WeakKeyDictionary()


@contextlib.contextmanager
def on_stop_signals(told: Callable[[], None]) -> Generator[None]:
    """Have each of the signals call `told` while the block runs, beside all others that listen on this event loop."""
    loop = asyncio.get_running_loop()
    listeners = _LISTENERS.setdefault(loop, [])
    if not listeners:
        for one in _SIGNALS:
            # Not every loop and thread can take signals; then the caller's own handling stays in force.
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                loop.add_signal_handler(one, _tell, listeners)
    listeners.append(told)
    try:
        yield
    finally:
        listeners.remove(told)
        if not listeners:
            for one in _SIGNALS:
                with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                    loop.remove_signal_handler(one)


def _tell(listeners: list[Callable[[], None]]) -> None:
    for told in tuple(listeners):
        told()
