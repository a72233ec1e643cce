"""Handlers of a simulation: they do what the scripts of their records say, and note every call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wakuwaku.errors import HandleError
from wakuwaku.handler import Batch
from wakuwaku.testing.faults import Connection
from wakuwaku.testing.scenario import Step
from wakuwaku.testing.trace import CallEnded, CallStarted, Fact, Outcome, Recorded

__all__ = ["Actor"]

_WHY = "simulated"

_ERRORS: Mapping[Outcome, Callable[[str], HandleError]] = {
    Outcome.TRANSIENT: HandleError.transient,
    Outcome.RETRYABLE: HandleError.retryable,
    Outcome.UNRECOVERABLE: HandleError.unrecoverable,
}


class Actor:
    """Play the scripts of all records, over all lives: a step that was played is not played again.

    `scripts` has by offset what the next calls with that record do; `timeout` is the one the consumer was given.
    """

    def __init__(
        self,
        scripts: Mapping[int, Sequence[Step]],
        facts: Mapping[int, Fact],
        *,
        timeout: float | None,
        note: Callable[[Recorded], None],
        clock: Callable[[], float],
    ) -> None:
        self._scripts = {offset: list(steps) for offset, steps in scripts.items()}
        self._facts = facts
        self._timeout = timeout
        self._note = note
        self._clock = clock
        self._calls = 0

    async def call(self, life: int, connection: Connection, tag: int, batch: Batch[Any], *, may_hang: bool) -> None:
        """Be called with a batch in this life; what happens after its connection was cut is not noted."""
        if connection.cut:
            await asyncio.get_running_loop().create_future()
        self._calls += 1
        call, began = self._calls, self._clock()
        key, offsets = self._facts[batch.offsets[0]].key, tuple(batch.offsets)
        values = [event.value for event in batch]
        self._note(CallStarted(began, life, call, key, tag, offsets, values, batch.attempt, batch.source))
        outcome = Outcome.CANCELLED
        try:
            outcome = await self._act(offsets, may_hang=may_hang)
        except asyncio.CancelledError:
            if self._timeout is not None and self._clock() > began + self._timeout - 1e-6:
                outcome = Outcome.RETRYABLE  # its time was over, which the consumer takes for a failure
            raise
        finally:
            if not connection.cut:
                self._note(CallEnded(self._clock(), life, call, outcome))
        if outcome is Outcome.RETRYABLE and call % 3 == 0:
            raise LookupError(_WHY)  # a bug says nothing about its class
        if outcome is not Outcome.OK:
            raise _ERRORS[outcome](_WHY)

    async def _act(self, offsets: Sequence[int], *, may_hang: bool) -> Outcome:
        """Play the next step of the first record that has one left."""
        scripts = (self._scripts.get(offset) for offset in offsets)
        script = next((script for script in scripts if script), None)
        if script is None:
            return Outcome.OK
        step = script.pop(0)
        if step.outcome is None and may_hang:
            await asyncio.get_running_loop().create_future()
        if step.seconds or step.outcome is Outcome.OK:
            await asyncio.sleep(step.seconds)
        return step.outcome or Outcome.OK
