"""An event loop whose time is a number: it jumps to the next timer when nothing is ready, and never waits.

asyncio promises no order between tasks that are ready at once, so this loop may shuffle them: what goes wrong only in
one order goes wrong here for some seed, and for that seed always.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVarTuple, Unpack

if TYPE_CHECKING:
    from contextvars import Context
    from random import Random

__all__ = ["DeadlockError", "VirtualLoop"]

Ts = TypeVarTuple("Ts")

#: Seconds of process time at which a loop starts; not 0, so that nobody takes a missing time for a real one.
_START = 1000.0


class DeadlockError(RuntimeError):
    """Report that every task waits for something that can't happen any more, or that time stands still for ever."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Run asyncio code in virtual time, one callback at a time, without threads, sockets or signals.

    `rng` shuffles what is ready at the same time; without it callbacks run in the order they were scheduled. `steps`
    counts the callbacks that ran. `before_step` is called before each of them, `before_jump` whenever time is about to
    pass. `errors` holds what tasks and callbacks raised and nobody looked at. Raises `DeadlockError` out of
    `run_until_complete` when nothing can ever happen again, or after `patience` callbacks at one instant.

    Example: ``loop.run_until_complete(asyncio.sleep(3600))`` returns at once, an hour later on `loop.time()`.
    """

    def __init__(self, rng: Random | None = None, *, patience: int = 100_000) -> None:
        super().__init__()
        self.steps = 0
        self.errors: list[str] = []
        self.before_step: Callable[[], None] | None = None
        self.before_jump: Callable[[], None] | None = None
        self._rng = rng
        self._now = _START
        self._soon: list[asyncio.Handle] = []
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timers_made = 0
        self._patience = patience
        self._jumped_at = 0  # the step before which time passed last
        self.set_exception_handler(self._note_error)

    def time(self) -> float:
        """Return virtual seconds; they pass only when nothing is ready."""
        return self._now

    def call_soon(
        self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Have a callback run among those that are ready."""
        handle = asyncio.Handle(callback, args, self, context)
        if not self.is_closed():  # what a closed loop left behind may still be cleared away
            self._soon.append(handle)
        return handle

    def call_at(
        self, when: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Have a callback run when virtual time has come to `when`."""
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self._timers_made += 1
        heapq.heappush(self._timers, (when, self._timers_made, timer))
        return timer

    def call_soon_threadsafe(self, *_: Any, **__: Any) -> NoReturn:  # type: ignore[override]
        """Refuse: a thread's time can't be replayed."""
        raise NotImplementedError("no threads in virtual time")

    def run_in_executor(self, *_: Any, **__: Any) -> NoReturn:  # type: ignore[override]
        """Refuse: a thread's time can't be replayed."""
        raise NotImplementedError("no threads in virtual time: use a coroutine function instead of a plain one")

    def clear(self) -> None:
        """Cancel every task that is left and let it end, as far as it does."""
        self.before_step = self.before_jump = None
        self._jumped_at = self.steps
        with contextlib.suppress(DeadlockError):
            for _ in range(10):
                left = asyncio.all_tasks(self)
                if not left:
                    break
                for task in left:
                    task.cancel()
                self.run_until_complete(asyncio.wait(left, timeout=1.0))

    def _run_once(self) -> None:
        """Run one callback; called by `BaseEventLoop.run_forever` until the loop is stopped."""
        self._ring()
        if not self._soon:
            self._jump()
            return
        if self.before_step is not None:
            self.before_step()
        if self.steps - self._jumped_at > self._patience:
            raise DeadlockError(f"{self._patience} callbacks ran and time stood still at {self._now:.3f}")
        self.steps += 1
        handle = self._next()
        if not handle.cancelled():
            handle._run()  # noqa: SLF001 - what every event loop does with its handles

    def _next(self) -> asyncio.Handle:
        soon = self._soon
        if self._rng is None or len(soon) == 1:
            return soon.pop(0)
        index = int(self._rng.random() * len(soon))
        soon[index], soon[-1] = soon[-1], soon[index]
        return soon.pop()

    def _ring(self) -> None:
        timers = self._timers
        while timers and (timers[0][0] <= self._now or timers[0][2].cancelled()):
            timer = heapq.heappop(timers)[2]
            if not timer.cancelled():
                self._soon.append(timer)

    def _jump(self) -> None:
        if self.before_jump is not None:
            self.before_jump()
            if self._soon:
                return
        if not self._timers:
            raise DeadlockError(f"every task waits and no timer is set, at {self._now:.3f}")
        self._now = self._timers[0][0]
        self._jumped_at = self.steps

    def _note_error(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.errors.append(f"{context['message']}: {error!r}" if error is not None else str(context["message"]))
