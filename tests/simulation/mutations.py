"""Bugs on purpose: what a careless change could make of the machine or the engine, and the law that must notice.

Each is a patch of one or two methods. The simulator has to find it within a thousand seeds.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import msgspec

from wakuwaku._core import attempts, partition
from wakuwaku._core.attempts import Attempts
from wakuwaku._core.burial import AttemptOver
from wakuwaku._core.commands import Command, QueueKeys, RunKey
from wakuwaku._core.inputs import KeyAbandoned, KeyFinished, KeyTaken, Polled
from wakuwaku._core.partition import Partition
from wakuwaku._core.plan import Entry, Segment, plan
from wakuwaku._core.quarantine import Durable, Quarantine
from wakuwaku._core.quarantined_key import Stage
from wakuwaku._engine.execution import Progress
from wakuwaku._engine.partition import PartitionRunner
from wakuwaku.errors import ConsumerStoppedError

__all__ = ["MUTATIONS", "Mutation"]

Patch = tuple[object, str, Any]


@dataclass(frozen=True, slots=True)
class Mutation:
    """Name the law that a bug breaks, the patches that make the bug, and the seed from which on it is looked for."""

    law: str
    patches: Sequence[Patch]
    first: int = 0

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        """Have the bug while the block runs."""
        with contextlib.ExitStack() as stack:
            for target, name, mutant in self.patches:
                stack.enter_context(patch.object(target, name, mutant))
            yield


# -- order ------------------------------------------------------------------------------------------------------------


def _plan_without_fences(entries: Sequence[Entry]) -> list[Segment]:
    return plan([msgspec.structs.replace(entry, ordering=1) for entry in entries])


def _newest_first(entries: Sequence[Entry]) -> list[Segment]:
    return plan(sorted(entries, key=lambda entry: -entry.offset))


# -- loss -------------------------------------------------------------------------------------------------------------


def _know_nothing(_: Progress, command: RunKey) -> KeyAbandoned:
    return KeyAbandoned(command.key)


def _end_at_once(self: PartitionRunner, reason: str) -> None:
    self._fail(ConsumerStoppedError(reason))


_divert = Partition._divert
_conclude = Partition._conclude
_key_finished = Partition._key_finished


def _drop_when_full(self: Partition, key: int, entry: Entry, now: float) -> bool:
    if self._quarantine.holds(key) and self._quarantine.records >= self._settings.max_pending_retry // 2:
        self._frontier.resolve((entry.offset,))
        return True
    return _divert(self, key, entry, now)


def _letters_later(self: Partition, finished: KeyFinished, now: float) -> list[Command]:
    """Shut a key in before its dead letters are durable."""
    if self._quarantine.holds(finished.key) or not finished.dead:
        return _key_finished(self, finished, now)
    self._burial.add(finished.dead, main=[dead.offset for dead in finished.dead])
    return _conclude(self, finished, now) + self._settle(now)


def _letters_never(self: Partition, finished: KeyFinished, now: float) -> list[Command]:
    return _key_finished(self, msgspec.structs.replace(finished, dead=()), now)


# -- twice ------------------------------------------------------------------------------------------------------------

_polled = Partition._polled
_open = Quarantine.open


def _run_before_the_offset_is_stored(self: Partition, page: Polled, now: float) -> list[Command]:
    commands = _polled(self, page, now)
    held, self._held = self._held, []
    return commands + self._admit(held, now)


def _never_settled(self: Quarantine, key: int, entry: Entry) -> bool:
    return False


def _hand_out_again_after_a_crash(self: Quarantine, now: float, *, hand_again: bool) -> list[int]:
    return _open(self, now, hand_again=True)


# -- frontier ---------------------------------------------------------------------------------------------------------


def _store_what_is_read(self: Partition) -> int | None:
    read = self._reading.position - 1
    return read if read > self._stored.or_none_yet() else None


def _store_past_pending(self: Quarantine) -> int | None:
    return self._frontier.end() - 1 if self._frontier.end() else None


# -- quarantine -------------------------------------------------------------------------------------------------------

_holds = Quarantine.holds


def _over_before_it_is_durable(self: Quarantine, key: int) -> bool:
    return _holds(self, key) and self.keys[key].stage is not Stage.ENDING


def _never_divert(self: Partition, key: int, entry: Entry, now: float) -> bool:
    return False


# -- attempts ---------------------------------------------------------------------------------------------------------

_end = Attempts.end
_appended = Quarantine.appended
_settle_quarantine = Partition._settle_quarantine


def _count_interrupted(self: Attempts, abandoned: KeyAbandoned, now: float) -> list[Command]:
    state = self._quarantine.keys[abandoned.key]
    state.attempts += 1
    _end(self, AttemptOver(abandoned.key, state.attempts, now, []))
    return []


def _forget_attempts(self: Quarantine, now: float, *, hand_again: bool) -> list[int]:
    cut_short = _open(self, now, hand_again=hand_again)
    for state in self.keys.values():
        state.attempts = 0
    return cut_short


def _run_at_once(self: Partition, now: float) -> list[Command]:
    """Hand an attempt out before "attempt started" is durable."""
    commands = _settle_quarantine(self, now)
    starting = [key for key, state in self._quarantine.keys.items() if state.stage is Stage.STARTING]
    for key in starting:
        self._quarantine.keys[key].stage = Stage.READY
    return [*commands, QueueKeys(starting, retry=True)] if starting else commands


def _started_changes_nothing(self: Quarantine, base: int, now: float) -> Durable:
    before = {key: state.stage for key, state in self.keys.items()}
    durable = _appended(self, base, now)
    for key in durable.ready:
        self.keys[key].stage = before[key]
    durable.ready.clear()
    return durable


def _due_at_once(self: Quarantine, now: float, *, hand_again: bool) -> list[int]:
    """Take a restart for a good time to try again."""
    cut_short = _open(self, now, hand_again=hand_again)
    for key, state in self.keys.items():
        if state.stage is Stage.WAITING:
            self._wait(key, state, now)
    return cut_short


# -- isolation --------------------------------------------------------------------------------------------------------

_do = PartitionRunner._do
_poll = Partition._poll


def _one_pool(self: PartitionRunner, command: Command) -> None:
    """Let attempts take the workers of healthy keys."""
    _do(self, msgspec.structs.replace(command, retry=False) if isinstance(command, QueueKeys) else command)


def _wait_for_all(self: Partition) -> list[Command]:
    """Read on only when every key of the last poll is done."""
    return [] if self._keys.running else _poll(self)


# -- bounds -----------------------------------------------------------------------------------------------------------

_init = Partition.__init__


def _limitless(**limits: int) -> Callable[..., None]:
    def init(self: Partition, settings: Any, **rest: Any) -> None:
        _init(self, msgspec.structs.replace(settings, **limits), **rest)

    return init


# -- stop -------------------------------------------------------------------------------------------------------------

_key_taken = Partition._key_taken


def _take_after_stop(self: Partition, taken: KeyTaken, now: float) -> list[Command]:
    stopping, self._stopping = self._stopping, False
    try:
        commands = _key_taken(self, taken, now)
    finally:
        self._stopping = stopping
    return [command for command in commands if isinstance(command, RunKey)] if stopping else commands


def _attempt_while_stopping(self: Partition) -> bool:
    return not self._latch


# -- time -------------------------------------------------------------------------------------------------------------

_load = PartitionRunner._load


async def _write_the_wall_clock(self: PartitionRunner) -> Partition:
    """Ask the wall clock for the times in the journal, instead of once at the start."""
    machine = await _load(self)
    loop, wall = asyncio.get_running_loop(), self._subscription.wall

    def to_ms(at: float) -> int:
        return round((wall() + at - loop.time()) * 1000)

    machine._quarantine.to_ms = to_ms  # type: ignore[method-assign, assignment]
    return machine


def _due_as_written(self: Quarantine, now: float, *, hand_again: bool) -> list[int]:
    """Believe the wall clock of the life before."""
    due_ms = dict(self._due_ms)
    cut_short = _open(self, now, hand_again=hand_again)
    for key, state in self.keys.items():
        written = due_ms.get(key)
        if state.stage is Stage.WAITING and written is not None:
            self._wait(key, state, written / 1000 - self._wall_offset)
    return cut_short


MUTATIONS: Mapping[str, Mutation] = {
    "fences are ignored": Mutation("order", [(partition, "plan", _plan_without_fences)]),
    "the newest record comes first": Mutation(
        "order", [(partition, "plan", _newest_first), (attempts, "plan", _newest_first)]
    ),
    "records are dropped when the backlog is full": Mutation(
        "no event lost", [(Partition, "_divert", _drop_when_full)]
    ),
    "a key is shut in before its dead letters are durable": Mutation(
        "no event lost", [(Partition, "_key_finished", _letters_later)], first=900
    ),
    "dead letters are not written": Mutation("no event lost", [(Partition, "_key_finished", _letters_never)]),
    "a stop forgets what it cut off": Mutation("no event lost", [(Progress, "abandoned", _know_nothing)]),
    "a policy ends a partition without a drain": Mutation("no event lost", [(PartitionRunner, "_drain", _end_at_once)]),
    "records run before the offset behind them is stored": Mutation(
        "no event twice", [(Partition, "_polled", _run_before_the_offset_is_stored)]
    ),
    "records that are done with run again after a restart": Mutation(
        "no event twice", [(Quarantine, "settled", _never_settled)]
    ),
    "an attempt that a crash cut short is run again": Mutation(
        "no event twice", [(Quarantine, "open", _hand_out_again_after_a_crash)]
    ),
    "the stored offset passes a running key": Mutation(
        "frontier", [(Partition, "_offset_worth_storing", _store_what_is_read)]
    ),
    "the retry offset passes a pending record": Mutation("frontier", [(Quarantine, "edge", _store_past_pending)]),
    "quarantine ends before the journal says so": Mutation(
        "quarantine", [(Quarantine, "holds", _over_before_it_is_durable)]
    ),
    "records of a quarantined key are not diverted": Mutation("quarantine", [(Partition, "_divert", _never_divert)]),
    "an interrupted attempt counts": Mutation("counted attempts", [(Attempts, "abandoned", _count_interrupted)]),
    "attempts are forgotten at a restart": Mutation("counted attempts", [(Quarantine, "open", _forget_attempts)]),
    "an attempt runs before its start is durable": Mutation(
        "counted attempts",
        [(Partition, "_settle_quarantine", _run_at_once), (Quarantine, "appended", _started_changes_nothing)],
    ),
    "a restart makes every key due": Mutation("counted attempts", [(Quarantine, "open", _due_at_once)]),
    "attempts take the workers of healthy keys": Mutation("isolation", [(PartitionRunner, "_do", _one_pool)]),
    "reading waits for the slowest key": Mutation("isolation", [(Partition, "_poll", _wait_for_all)]),
    "nothing bounds what is in flight": Mutation("bounded", [(Partition, "__init__", _limitless(max_in_flight=10**9))]),
    "nothing bounds the backlog": Mutation("bounded", [(Partition, "__init__", _limitless(max_pending_retry=10**9))]),
    "waiting keys are started after a stop": Mutation("stop", [(Partition, "_key_taken", _take_after_stop)]),
    "attempts are started after a stop": Mutation(
        "stop",
        [(Partition, "_may_attempt", _attempt_while_stopping), (Partition, "_key_taken", _take_after_stop)],
    ),
    "due times follow the wall clock": Mutation("time", [(PartitionRunner, "_load", _write_the_wall_clock)]),
    "due times of a life before are believed": Mutation("time", [(Quarantine, "open", _due_as_written)]),
}
