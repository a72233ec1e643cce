"""In which order handlers are given what belongs together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wakuwaku.algebra import Algebra
from wakuwaku.config import DeliveryMode
from wakuwaku.deadletter import DeadLetter
from wakuwaku.testing.laws.walk import walk
from wakuwaku.testing.ledger import Ledger
from wakuwaku.testing.topic import ALGEBRAS
from wakuwaku.testing.trace import (
    Appended,
    CallEnded,
    CallStarted,
    Crashed,
    Dropped,
    Fact,
    Nature,
    Outcome,
    Read,
    Stopped,
    StopReturned,
    Trace,
)

__all__ = ["order"]

_ACQUIRES = 2
_RELEASES = 4


def order(trace: Trace) -> Iterator[str]:
    """Check that each event comes after all that must be before it, and that a repeat runs everything again.

    Two events of one key are ordered when they have the same type, when the first acquires or when the second releases.
    When the second is handed out, the first is settled: it went through, or it failed for good. When the first goes
    through again, after the second did, the second is handed out once more. Events of a type whose order does not
    matter, by its algebra, are not ordered among themselves. In NO_DOUBLE_CONSUME a crash may have lost the first.
    """
    return _Order(trace).check()


class _Order:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._before = _predecessors(trace)
        self._ledger = Ledger(trace.config.retry_delays)
        self._settled: set[int] = set()
        self._gone: set[int] = set()  # what retention took: it can't be handed out again
        self._losable: set[int] = set()
        self._read: dict[int, set[int]] = {}  # by life
        self._calls: dict[int, CallStarted] = {}
        self._last: dict[int, tuple[int, int]] = {}  # by offset: the call that got it last, and the place in its batch
        self._last_good: dict[int, tuple[int, int]] = {}

    def check(self) -> Iterator[str]:
        yield from walk(
            self._trace,
            {
                CallStarted: self._call_started,
                CallEnded: self._call_ended,
                Appended: self._appended,
                Dropped: self._dropped,
                Read: self._has_read,
                Crashed: self._life_over,
                Stopped: self._life_over,
                StopReturned: self._life_over,
            },
        )
        waiting = {source for state in self._ledger.keys.values() for source in state.sources}
        for offset in self._last_good.keys() - waiting - self._gone:
            for earlier in self._before[offset]:
                good = self._last_good.get(earlier)
                if good is not None and good > self._last[offset]:
                    yield f"offset {earlier} went through in call {good[0]}, and {offset} not again after it"

    def _call_started(self, call: CallStarted) -> Iterable[str]:
        self._calls[call.call] = call
        done = self._settled | self._losable
        for place, offset in enumerate(call.offsets):
            self._last[offset] = (call.call, place)
            for earlier in self._before[offset]:
                if earlier not in done and earlier not in call.offsets[:place]:
                    yield f"call {call.call} got offset {offset} before offset {earlier} was settled"

    def _call_ended(self, end: CallEnded) -> None:
        offsets = self._calls[end.call].offsets
        if end.outcome in {Outcome.OK, Outcome.UNRECOVERABLE}:
            self._settled.update(offsets)
        if end.outcome is Outcome.OK:
            self._last_good.update({offset: (end.call, place) for place, offset in enumerate(offsets)})

    def _appended(self, appended: Appended) -> None:
        if appended.topic == self._trace.dead:
            buried = [DeadLetter.from_record(record).offset for record in appended.records]
            self._settled.update(buried)
            self._last.update(dict.fromkeys(buried, (len(self._calls), len(self._trace.facts))))  # not to come any more
        else:
            self._ledger.add(appended.base, self._trace.retry_items(appended))

    def _dropped(self, dropped: Dropped) -> None:
        self._settled.update(range(dropped.first))
        self._gone.update(range(dropped.first))

    def _has_read(self, read: Read) -> None:
        if read.topic == self._trace.topic:
            self._read.setdefault(read.life, set()).update(read.offsets)

    def _life_over(self, over: Crashed | Stopped | StopReturned) -> None:
        if self._trace.config.mode is DeliveryMode.NO_DOUBLE_CONSUME:
            self._losable |= self._read.pop(over.life, set())


def _predecessors(trace: Trace) -> Mapping[int, Sequence[int]]:
    """Return for each offset those that must be settled before it is handed out."""
    facts = [fact for fact in trace.facts.values() if fact.nature is Nature.HANDLED]
    return {
        later.offset: [
            earlier.offset for earlier in facts if earlier.offset < later.offset and _ordered(earlier, later)
        ]
        for later in facts
    }


def _ordered(earlier: Fact, later: Fact) -> bool:
    if earlier.key != later.key:
        return False
    if earlier.tag == later.tag:
        return ALGEBRAS[earlier.tag] is not Algebra.IDEMPOTENT_COMMUTATIVE
    return bool(earlier.ordering & _ACQUIRES or later.ordering & _RELEASES)
