"""Whom a consumer keeps waiting."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku.testing.laws.resolved import Resolved
from wakuwaku.testing.ledger import gives_up
from wakuwaku.testing.trace import (
    CallEnded,
    CallStarted,
    Crashed,
    Idle,
    LifeStarted,
    Nature,
    Outcome,
    Published,
    Read,
    StopAsked,
    Stopped,
    Trace,
)

__all__ = ["isolation"]


def isolation(trace: Trace) -> Iterator[str]:
    """Check that nobody waits for the failure of another: a free worker takes a healthy key, and reading goes on.

    Looked at whenever time passes and the log is at rest. Every key that has read and unhandled records and is not in
    quarantine is at work then, unless all workers of the main topic are taken: one by each run that is with a handler
    or waits in place, and one more by a key whose runs went side by side, until the last of them is done. And nothing
    published stays unread for longer than two idle intervals while there is room for it and no handler waits in place.
    """
    watch = _Watch(trace)
    for one in trace.happened:
        watch.see(one)
        if isinstance(one, Idle) and one.undisturbed and not watch.ended:
            if waiting := watch.waiting_keys():
                yield f"keys {waiting} wait at {one.at:.3f}, {watch.taken} workers are taken"
            if watch.may_read() and one.at > watch.unread_since + 2 * trace.config.idle_interval:
                yield f"offset {watch.next_unread} was not read at {one.at:.3f}, since {watch.unread_since:.3f}"


class _Watch:
    """Keep who is at work in the life that runs, and what it could take up."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._resolved = Resolved(trace)
        self._calls: dict[int, CallStarted] = {}
        self._published = 0
        self._begin(at=0.0)

    def _begin(self, at: float) -> None:
        self.ended = False
        self._before = frozenset(self._resolved.offsets)  # by lives before, which this one may have to resolve again
        self.next_unread = self._published  # until the first read tells where this life is
        self.unread_since = at
        self._read: set[int] = set()
        self._handed: set[int] = set()
        self._at_work: dict[int, set[int]] = {}  # by key: the types that are with a handler or wait in place
        self._wide: set[int] = set()  # keys whose runs went side by side
        self._in_hand: dict[int, set[int]] = {}  # by key: what was handed out since it is at work
        self._in_place: set[tuple[int, int]] = set()  # key and type of what waits in place

    @property
    def taken(self) -> int:
        """Return how many workers of the main topic are taken."""
        return sum(map(len, self._at_work.values())) + len(self._wide)

    def waiting_keys(self) -> list[int]:
        """Return the healthy keys that wait although a worker is free."""
        if self.taken >= self._trace.config.concurrency:
            return []
        facts = self._trace.facts
        unhandled = self._read - self._handed - self._resolved.offsets
        keys = {facts[offset].key for offset in unhandled if facts[offset].nature is Nature.HANDLED}
        return sorted(keys - self._at_work.keys() - self._resolved.ledger.keys.keys())

    def may_read(self) -> bool:
        """Tell whether something is unread and nothing stands against reading it."""
        config = self._trace.config
        done = self._resolved.offsets - self._before
        held = len((self._read - done).union(*self._in_hand.values()))
        pending = self._resolved.ledger.records
        room = not pending or config.max_pending_retry > pending + held
        return self.next_unread < self._published and held < config.max_in_flight and room and not self._in_place

    def see(self, one: object) -> None:
        """Take in what happened."""
        self._resolved.see(one)
        if isinstance(one, LifeStarted):
            self._begin(one.at)
        elif isinstance(one, StopAsked | Crashed | Stopped) or gives_up(self._trace, one):
            self.ended = True
        elif isinstance(one, Published):
            self._published = one.end
            self.unread_since = min(self.unread_since, one.at)
        elif isinstance(one, Read) and one.topic == self._trace.topic:
            self._read.update(one.offsets)
            if one.offsets:
                self.next_unread = one.offsets[-1] + 1
            self.unread_since = one.at
        elif isinstance(one, CallStarted):
            self._started(one)
        elif isinstance(one, CallEnded):
            self._over(self._calls[one.call], one)
        elif isinstance(one, Idle):
            self._wide &= self._at_work.keys()  # until time passes, the next chunk of a run may be on its way
            self._in_hand = {key: offsets for key, offsets in self._in_hand.items() if key in self._at_work}
            if self._nothing_to_read(one):
                self.unread_since = one.at

    def _nothing_to_read(self, idle: Idle) -> bool:
        """Tell whether reading was not possible until now, so that waiting counts from here."""
        return not idle.undisturbed or not self.may_read()

    def _started(self, call: CallStarted) -> None:
        self._calls[call.call] = call
        if call.source != "main":
            return
        self._handed.update(call.offsets)
        self._in_hand.setdefault(call.key, set()).update(call.offsets)
        tags = self._at_work.setdefault(call.key, set())
        tags.add(call.tag)
        if len(tags) > 1:
            self._wide.add(call.key)

    def _over(self, call: CallStarted, end: CallEnded) -> None:
        if end.outcome is Outcome.TRANSIENT:
            self._in_place.add((call.key, call.tag))
            return
        self._in_place.discard((call.key, call.tag))
        if call.source == "main":
            self._at_work[call.key].discard(call.tag)
            if not self._at_work[call.key]:
                del self._at_work[call.key]
