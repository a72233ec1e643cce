"""One partition of a consumer as a pure state machine: `step(input, now)` returns what is to be done.

Laws of this machine:

1. *Order.* A key has one batch under way at most; what arrives meanwhile queues behind it, and is planned as one batch
   when the key is free.
2. *No event lost.* An offset is resolved when its record was handled, folded into a handled one, passed over on
   purpose, or is durable in the dead-letter topic; never before.
3. *Frontier.* Only the contiguous edge of resolved offsets is ever stored.
4. *Isolation.* Keys wait for one another only while a handler waits for something that all of them need (a latch).
5. *Bounded.* At most `max_in_flight + poll_count` records are held.
6. *Stop.* After `StopRequested` nothing new starts; dead letters of the drain are durable before the last offset is
   stored, and `Finish` is the last command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from wakuwaku._core.commands import (
    AppendDead,
    Command,
    Dead,
    DeadReason,
    Failure,
    Finish,
    Latched,
    OffsetsSkipped,
    Poll,
    QueueKeys,
    RecordRefused,
    RecordsBuried,
    RunKey,
    SleepUntil,
    StoreOffset,
    Unlatched,
)
from wakuwaku._core.frontier import Frontier
from wakuwaku._core.inputs import (
    DeadAppended,
    Input,
    KeyAbandoned,
    KeyFinished,
    KeyTaken,
    OffsetStored,
    Polled,
    Started,
    StopRequested,
    TransientFailed,
    TransientPassed,
    Woke,
)
from wakuwaku._core.plan import Entry, plan
from wakuwaku.algebra import Algebra
from wakuwaku.errors import HeaderError
from wakuwaku.headers import HEAD, HEAD_LENGTH, PROPS_BY_BYTES, Record, parse_head

__all__ = ["Partition", "Settings"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Set what a partition does and how much it holds; durations in seconds.

    `algebras` has the registered algebra of every tag that is handled. Tags in `ignored` are passed over on purpose;
    with `skip_unknown` so is every tag that is in neither.
    """

    algebras: Mapping[int, Algebra]
    ignored: frozenset[int] = frozenset()
    skip_unknown: bool = False
    poll_count: int = 1000
    poll_interval: float = 0.1
    idle_interval: float = 1.0
    max_in_flight: int = 10_000


_NO_ORDERINGS: Mapping[bytes, int] = {}


class _KeyQueue:
    """Hold what waits for a key, and what runs for it."""

    __slots__ = ("running", "waiting")

    def __init__(self) -> None:
        self.waiting: list[Entry] = []
        self.running: list[Entry] = []


class Partition:
    """Decide what one partition does next; see the laws at the head of the module.

    `stored` is the consumer's stored offset, or None; `first` is where reading starts without one.
    """

    def __init__(self, settings: Settings, *, stored: int | None, first: int = 0) -> None:
        self._settings = settings
        self._orderings = _orderings_by_props(settings.algebras)
        self._frontier = Frontier(stored)
        self._keys: dict[int, _KeyQueue] = {}
        self._position = first if stored is None else stored + 1
        self._polling = False
        self._interval = settings.poll_interval
        self._latched: dict[int, tuple[str, float]] = {}
        self._dead: list[Dead] = []
        self._appending: list[Dead] = []
        self._stored = stored
        self._storing: int | None = None
        self._running = 0
        self._stopping = False
        self._finished = False
        self._steps: dict[type[Any], Callable[[Any, float], list[Command]]] = {
            Started: self._started,
            Polled: self._polled,
            Woke: self._woke,
            KeyTaken: self._key_taken,
            KeyFinished: self._key_finished,
            KeyAbandoned: self._key_abandoned,
            TransientFailed: self._transient_failed,
            TransientPassed: self._transient_passed,
            DeadAppended: self._dead_appended,
            OffsetStored: self._offset_stored,
            StopRequested: self._stop_requested,
        }

    @property
    def in_flight(self) -> int:
        """Return how many polled records are not resolved."""
        return self._frontier.pending

    @property
    def position(self) -> int:
        """Return the offset that is polled next."""
        return self._position

    @property
    def stored(self) -> int | None:
        """Return the offset that is known to be stored."""
        return self._stored

    def resolved_before(self, end: int) -> bool:
        """Tell whether every record before offset `end` was read and is resolved."""
        edge = self._frontier.edge()
        return (not self.in_flight and self._position >= end) or (edge is not None and edge >= end - 1)

    def step(self, happened: Input, now: float) -> list[Command]:
        """Take in what happened and return what is to be done, in order; `now` is monotonic time in seconds."""
        return self._steps[type(happened)](happened, now)

    # -- reading ----------------------------------------------------------------------------------------------------

    def _started(self, _: Started, now: float) -> list[Command]:
        return self._settle(now)

    def _woke(self, _: Woke, now: float) -> list[Command]:
        self._polling = False
        return self._settle(now)

    def _polled(self, page: Polled, now: float) -> list[Command]:
        self._polling = False
        if self._stopping:
            return self._settle(now)
        if not page.records:
            return self._idle(now)
        self._interval = self._settings.poll_interval
        commands: list[Command] = []
        if page.offsets[0] != self._position:
            commands.append(OffsetsSkipped(self._position, page.offsets[0] - 1))
        self._position = page.offsets[-1] + 1
        self._frontier.add(page.offsets)

        ready: list[int] = []
        passed_over: list[int] = []
        keys, orderings, unpack = self._keys, self._orderings, HEAD.unpack
        for offset, record in zip(page.offsets, page.records, strict=True):
            if len(record.head) == HEAD_LENGTH:
                tag, key, props = unpack(record.head)
                ordering = orderings.get(tag, _NO_ORDERINGS).get(props)
                if ordering is not None:
                    queue = keys.get(key)
                    if queue is None:
                        queue = keys[key] = _KeyQueue()
                        ready.append(key)
                    queue.waiting.append(Entry(offset, tag, ordering, record))
                    continue
            dead = self._refuse(offset, record)
            if dead is None:
                passed_over.append(offset)
            else:
                commands.append(RecordRefused(dead))
                self._dead.append(dead)
        self._frontier.resolve(passed_over)
        if ready:
            commands.append(QueueKeys(ready))
        return commands + self._settle(now)

    def _refuse(self, offset: int, record: Record) -> Dead | None:
        """Say why a record can't be handled, or return None when it is to be passed over."""
        try:
            head = parse_head(record)
        except HeaderError as error:
            return Dead(offset, record, DeadReason.BAD_HEADER, Failure("HeaderError", str(error)))
        if head.tag in self._settings.ignored:
            return None
        registered = self._settings.algebras.get(head.tag)
        if registered is None:
            if self._settings.skip_unknown:
                return None
            return Dead(
                offset, record, DeadReason.UNKNOWN_TAG, Failure("UnknownTag", f"no handler knows tag {head.tag}")
            )
        message = f"tag {head.tag} is {registered.name}, the record says {head.algebra.name}"
        return Dead(offset, record, DeadReason.ALGEBRA_MISMATCH, Failure("AlgebraMismatch", message))

    def _idle(self, now: float) -> list[Command]:
        commands = self._settle(now, poll=False)
        self._polling = True  # asleep; `Woke` ends it
        commands.append(SleepUntil(now + self._interval))
        self._interval = min(self._interval * 2, self._settings.idle_interval)
        return commands

    # -- handling ---------------------------------------------------------------------------------------------------

    def _key_taken(self, taken: KeyTaken, now: float) -> list[Command]:
        if self._stopping:
            return self._settle(now)
        queue = self._keys[taken.key]
        queue.running, queue.waiting = queue.waiting, []
        self._running += 1
        return [RunKey(taken.key, plan(queue.running))]

    def _key_finished(self, finished: KeyFinished, now: float) -> list[Command]:
        queue = self._keys[finished.key]
        done = [entry.offset for entry in queue.running]
        commands: list[Command] = []
        if finished.dead:
            buried = {dead.offset for dead in finished.dead}
            done = [offset for offset in done if offset not in buried]
            self._dead.extend(finished.dead)
            commands.extend(_burials(finished.dead))
        self._frontier.resolve(done)
        queue.running = []
        self._running -= 1
        if queue.waiting:
            commands.append(QueueKeys((finished.key,)))
        else:
            del self._keys[finished.key]
        return commands + self._settle(now)

    def _key_abandoned(self, abandoned: KeyAbandoned, now: float) -> list[Command]:
        # The key stays shut: it keeps what ran, so nothing newer of it can start and its offsets stay unresolved.
        self._latched.pop(abandoned.key, None)
        self._running -= 1
        return self._settle(now)

    def _transient_failed(self, failed: TransientFailed, now: float) -> list[Command]:
        first = not self._latched
        self._latched.setdefault(failed.key, (failed.handler, now))
        return [Latched(failed.handler)] if first else []

    def _transient_passed(self, passed: TransientPassed, now: float) -> list[Command]:
        handler, since = self._latched.pop(passed.key)
        if self._latched:
            return []
        return [Unlatched(handler, now - since), *self._settle(now)]

    # -- writing ----------------------------------------------------------------------------------------------------

    def _dead_appended(self, _: DeadAppended, now: float) -> list[Command]:
        self._frontier.resolve(dead.offset for dead in self._appending)
        self._appending = []
        return self._settle(now)

    def _offset_stored(self, _: OffsetStored, now: float) -> list[Command]:
        self._stored, self._storing = self._storing, None
        return self._settle(now)

    # -- stopping ---------------------------------------------------------------------------------------------------

    def _stop_requested(self, _: StopRequested, now: float) -> list[Command]:
        self._stopping = True
        return self._settle(now)

    # -- what follows from the state --------------------------------------------------------------------------------

    def _settle(self, now: float, *, poll: bool = True) -> list[Command]:  # noqa: ARG002 - steps of time come later
        """Return the commands that the state calls for and that are not under way yet."""
        commands: list[Command] = []
        if self._dead and not self._appending:
            self._appending, self._dead = self._dead, []
            commands.append(AppendDead(self._appending))
        if self._storing is None and self._worth_storing():
            self._storing = self._frontier.edge()
            assert self._storing is not None  # noqa: S101 - narrows the type: an edge that moved is a number
            commands.append(StoreOffset(self._storing))
        if self._stopping:
            commands.extend(self._finish())
        elif poll and not self._polling and not self._latched and self._frontier.pending < self._settings.max_in_flight:
            self._polling = True
            commands.append(Poll(self._position, self._settings.poll_count))
        return commands

    def _worth_storing(self) -> bool:
        """Tell whether the edge moved far enough to be stored: a poll's worth, or all that there is."""
        edge = self._frontier.edge()
        if edge is None or edge == self._stored:
            return False
        if not self._frontier.pending or (self._stopping and not self._running):
            return True
        return edge - (-1 if self._stored is None else self._stored) >= self._settings.poll_count

    def _finish(self) -> list[Command]:
        busy = self._running or self._dead or self._appending or self._storing is not None
        if busy or self._finished:
            return []
        self._finished = True
        return [Finish()]


def _burials(dead: Sequence[Dead]) -> list[RecordsBuried]:
    """Return one note for each failure, with the offsets it cost."""
    groups: dict[int, list[Dead]] = {}
    for one in dead:
        groups.setdefault(id(one.failure), []).append(one)
    return [
        RecordsBuried(group[0].reason, group[0].failure, [one.offset for one in group]) for group in groups.values()
    ]


def _orderings_by_props(algebras: Mapping[int, Algebra]) -> dict[int, dict[bytes, int]]:
    """Return, for each tag, the valid values of the properties header with the ordering each stands for."""
    return {
        tag: {props: int(ordering) for props, (ordering, algebra) in PROPS_BY_BYTES.items() if algebra is registered}
        for tag, registered in algebras.items()
    }
