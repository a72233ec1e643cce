"""Quarantine: which keys wait for another attempt, with which records, and until when.

Laws:

1. A key is in quarantine from the moment a run of it failed until nothing of it is pending, *and that is durable*.
2. Whatever arrives for a quarantined key goes behind what is pending.
3. "Attempt n started" is durable before the attempt runs, and how it ended before anything follows from it.
4. The edge, which is the retry offset that may be stored, never passes a pending record.
5. A record of the main topic is pending at most once, however often it is read again.

All that must become durable goes through the outbox, in order; one append at a time takes everything that waits in it.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from typing import TypeAlias

import msgspec

from wakuwaku._core.frontier import Frontier
from wakuwaku._core.journal import (
    AttemptEnded,
    AttemptStarted,
    JournalEntry,
    Moved,
    Pending,
    decode,
    encode_entry,
    encode_pending,
)
from wakuwaku._core.plan import Entry
from wakuwaku._core.quarantined_key import QuarantinedKey, Stage
from wakuwaku.headers import Record

__all__ = ["Durable", "Quarantine"]


class Durable(msgspec.Struct):
    """Say what follows from an append that is durable."""

    main: list[int]  # main offsets that are resolved by it
    ready: list[int]  # keys whose attempt may run
    lifted: list[tuple[int, float]]  # keys whose quarantine ended, and since when it was


class _Waiting(msgspec.Struct, frozen=True):
    """A record of the main topic on its way to the retry topic; `moved` when it was there before."""

    key: int
    entry: Entry
    failed_at_ms: int
    moved: bool = False


_Item: TypeAlias = _Waiting | AttemptStarted | AttemptEnded | Moved


class Quarantine:
    """Keep the quarantined keys of one partition.

    `stored` is the stored retry offset, or None. `wall_offset` is Unix time minus monotonic time, in seconds, taken
    once: while the process lives only monotonic time counts.
    """

    def __init__(self, delays: Sequence[float], *, stored: int | None, wall_offset: float) -> None:
        self.delays = delays
        self.keys: dict[int, QuarantinedKey] = {}
        self.accounted: dict[int, int] = {}  # keys that left it: up to which main offset nothing of them is to be done
        self.position = 0  # the main offset that is read next
        self.records = 0  # of all keys, durable or on the way
        self.busy = 0  # keys between STARTING and ENDING
        self.up_to = -1  # the newest main offset that was pending at the start
        self._wall_offset = wall_offset
        self._due: list[tuple[float, int]] = []  # a heap; what no longer holds is passed over
        self._held_back: list[tuple[float, int]] = []  # due, but the main offset behind their records is not stored
        self._outbox: list[_Item] = []
        self._in_flight: list[_Item] = []
        self._frontier = Frontier(stored)
        self._open: dict[int, AttemptStarted] = {}  # attempts that started and did not end, while replaying
        self._due_ms: dict[int, int | None] = {}  # due times as written, while replaying
        self.stirred = True  # something of it may be called for; a partition without failures never looks again

    # -- questions ----------------------------------------------------------------------------------------------------

    def holds(self, key: int) -> bool:
        """Tell whether a key is in quarantine."""
        return key in self.keys

    def next_due(self) -> float | None:
        """Return when the next key is due, or None when none is waiting."""
        while self._due:
            due, key = self._due[0]
            state = self.keys.get(key)
            if state is not None and state.stage is Stage.WAITING and state.due == due and state.pending:
                return due
            heapq.heappop(self._due)
        return None

    def edge(self) -> int | None:
        """Return the last retry offset at or below which nothing is pending."""
        return self._frontier.edge()

    @property
    def writing(self) -> bool:
        """Tell whether something waits to be durable."""
        return bool(self._outbox or self._in_flight)

    def calm(self) -> None:
        """Take in that nothing is called for; with no key and nothing to write it stays so until something happens."""
        self.stirred = bool(self.keys or self.writing)

    def to_ms(self, now: float) -> int:
        """Return monotonic time as Unix milliseconds."""
        return round((now + self._wall_offset) * 1000)

    # -- starting -----------------------------------------------------------------------------------------------------

    def replay(self, offset: int, record: Record) -> None:
        """Take in one record of the retry topic, as it was left; raises `HeaderError` for what is no such record."""
        self._frontier.add((offset,))
        try:
            item = decode(record)
        except Exception:
            self._frontier.resolve((offset,))
            raise
        if isinstance(item, Pending):
            self._replay_pending(offset, item)
        else:
            self._frontier.resolve((offset,))
            self._replay_entry(item)

    def _replay_pending(self, offset: int, pending: Pending) -> None:
        source = pending.entry.offset
        if source < 0:  # the Rust system wrote it: give it an offset of its own
            entry = msgspec.structs.replace(pending.entry, offset=-1 - offset)
            pending = msgspec.structs.replace(pending, entry=entry)
        state = self.keys.get(pending.key)
        if state is None:
            state = self.keys[pending.key] = QuarantinedKey(since=0.0, due=0.0)
            state.up_to = self.accounted.pop(pending.key, -1)
            self._due_ms[pending.key] = pending.failed_at_ms + round(self.delays[0] * 1000)
        elif 0 <= source <= state.up_to and any(other.entry.offset == source for other in state.pending.values()):
            # Written again: it takes the first one's place when a `Moved` entry says so, else a crash had it written
            # twice. Records of one append never come apart, so until then the order of the first ones counts.
            if source in state.copies:
                self._frontier.resolve((state.copies[source][0],))
            state.copies[source] = (offset, pending)
            return
        state.pending[offset] = pending
        state.up_to = max(state.up_to, source)
        self.records += 1

    def _replay_entry(self, entry: JournalEntry) -> None:
        state = self.keys.get(entry.key)
        if state is None:
            return  # of a key whose records are all resolved
        if isinstance(entry, AttemptStarted):
            self._open[entry.key] = entry
            return
        if isinstance(entry, Moved):
            state.up_to = max(state.up_to, entry.up_to)
            state.pending |= dict(sorted(state.copies.values()))
            self.records += len(state.copies)
            state.copies.clear()
        self._open.pop(entry.key, None)
        self._forget(state, entry.resolved)
        state.attempts = entry.attempts
        self._due_ms[entry.key] = entry.due_ms
        if not state.pending:
            self.accounted[entry.key] = state.up_to
            del self.keys[entry.key]

    def open(self, now: float, *, hand_again: bool) -> list[int]:
        """End the replay, and return the keys whose last attempt a crash cut short.

        With `hand_again` such an attempt counts as failed and its records stay pending. Without, they were handed
        out and must not be handed out again: they are resolved, which is the loss that NO_DOUBLE_CONSUME accepts.
        Due times lie between now and one delay from now, whatever the wall clock did meanwhile.
        """
        self.up_to = max((state.up_to for state in self.keys.values()), default=-1)
        self.accounted = {key: up_to for key, up_to in self.accounted.items() if up_to >= self.position}
        cut_short = list(self._open)
        for key, state in list(self.keys.items()):
            started = self._open.get(key)
            due_ms = self._due_ms[key]
            state.since = now
            self._frontier.resolve(at for at, _ in state.copies.values())
            state.copies.clear()
            if started is not None:
                state.last_handed = started.last
            if started is not None and hand_again:
                state.attempts = started.attempt
                due_ms = started.at_ms + round(self._delay_after(state.attempts) * 1000)
            elif started is not None:
                self.busy += 1
                self.end(key, attempts=state.attempts, due=now, resolved=[at for at, _ in state.handed()])
                continue
            if due_ms is None:
                state.stage = Stage.PARKED
            else:
                due = due_ms / 1000 - self._wall_offset
                self._wait(key, state, min(max(due, now), now + self._delay_after(state.attempts)))
        self._open.clear()
        self._due_ms.clear()
        return cut_short

    def _delay_after(self, attempts: int) -> float:
        return self.delays[min(attempts, len(self.delays) - 1)]

    # -- keys and records ---------------------------------------------------------------------------------------------

    def shut_in(self, key: int, entries: Sequence[Entry], now: float) -> None:
        """Put a key whose run failed in quarantine with what is left of its work, in order."""
        self.stirred = True
        self.keys[key] = QuarantinedKey(since=now, due=now + self.delays[0])
        for entry in entries:
            self._put(key, entry, now)

    def settled(self, key: int, entry: Entry) -> bool:
        """Tell whether a record is done with, since it is older than what was resolved when its key left quarantine.

        Only after a crash are such records read again.
        """
        up_to = self.accounted.get(key)
        if up_to is None:
            return False
        if entry.offset > up_to:
            del self.accounted[key]
            return False
        return True

    def divert(self, key: int, entry: Entry, now: float) -> bool:
        """Put a record that arrived for a quarantined key behind what is pending.

        Returns False when it was written before, by a life of this consumer that crashed: then it is accounted for.
        """
        if entry.offset <= self.keys[key].up_to:
            return False
        self._put(key, entry, now)
        return True

    def _put(self, key: int, entry: Entry, now: float) -> None:
        state = self.keys[key]
        state.up_to = max(state.up_to, entry.offset)
        state.on_the_way += 1
        self.records += 1
        self._outbox.append(_Waiting(key, entry, self.to_ms(now)))

    # -- attempts -----------------------------------------------------------------------------------------------------

    def begin_due(self, now: float, limit: int, *, stored: int | None = None) -> None:
        """Start the attempts of keys that are due, oldest due time first, while fewer than `limit` keys are busy.

        With `stored`, records of the main topic behind this offset are not handed out yet: should the process end, they
        would be read and handed out once more.
        """
        for held_back in self._held_back:
            heapq.heappush(self._due, held_back)
        self._held_back.clear()
        while self.busy < limit:
            due = self.next_due()
            if due is None or due > now:
                return
            _, key = heapq.heappop(self._due)
            state = self.keys[key]
            last = next(reversed(state.pending)) if stored is None else state.last_up_to(stored)
            if last is None:
                self._held_back.append((due, key))
                continue
            state.stage = Stage.STARTING
            state.last_handed = last
            self.busy += 1
            self._outbox.append(AttemptStarted(key, state.attempts + 1, state.last_handed, self.to_ms(now)))

    def take(self, key: int) -> list[Entry]:
        """Hand out the records of a key whose attempt may run."""
        state = self.keys[key]
        state.stage = Stage.RUNNING
        return [pending.entry for _, pending in state.handed()]

    def resume(self, key: int) -> list[Entry]:
        """Take up again, only to end it, an attempt that a crash cut short; returns what it worked on."""
        self.busy += 1
        return self.take(key)

    def end(self, key: int, *, attempts: int, due: float | None, resolved: Sequence[int]) -> None:
        """Write how a key's attempt ended; `due` None parks the key, `resolved` are retry offsets."""
        state = self.keys[key]
        state.stage = Stage.ENDING
        due_ms = None if due is None else self.to_ms(due)
        self._outbox.append(AttemptEnded(key, attempts, due_ms, resolved))
        state.due = -1.0 if due is None else due

    def resolved_by(self, key: int, unfinished: Collection[int]) -> list[int]:
        """Return the retry offsets of the attempt under way whose main offsets are not in `unfinished`."""
        return [at for at, pending in self.keys[key].handed() if pending.entry.offset not in unfinished]

    # -- the outbox ---------------------------------------------------------------------------------------------------

    def next_append(self) -> list[Record]:
        """Return everything that waits to be durable, or nothing while an append is under way."""
        if self._in_flight or not self._outbox:
            return []
        self._in_flight, self._outbox = self._outbox, []
        return [
            encode_pending(item.entry, item.failed_at_ms) if isinstance(item, _Waiting) else encode_entry(item)
            for item in self._in_flight
        ]

    def appended(self, base: int, now: float) -> Durable:
        """Take in that the last append is durable, its first record at offset `base`."""
        items, self._in_flight = self._in_flight, []
        self._frontier.add(range(base, base + len(items)))
        durable = Durable([], [], [])
        for offset, item in enumerate(items, base):
            if isinstance(item, _Waiting):
                self._pending_durable(offset, item, durable)
                continue
            self._frontier.resolve((offset,))
            if isinstance(item, AttemptStarted):
                self.keys[item.key].stage = Stage.READY
                durable.ready.append(item.key)
            elif isinstance(item, AttemptEnded):
                self._ended(item, now, durable)
            else:
                self._moved(item)
        return durable

    def _pending_durable(self, offset: int, item: _Waiting, durable: Durable) -> None:
        state = self.keys[item.key]
        first = not state.pending
        state.pending[offset] = Pending(item.key, item.entry, item.failed_at_ms)
        if item.moved:
            self.records += 1
            return
        state.on_the_way -= 1
        durable.main.append(item.entry.offset)
        if first and state.stage is Stage.WAITING:
            self._wait(item.key, state, state.due)

    def _ended(self, entry: AttemptEnded, now: float, durable: Durable) -> None:
        state = self.keys[entry.key]
        self.busy -= 1
        self._forget(state, entry.resolved)
        # What failed is resolved when nothing is left; what is on the way was never tried, and a replay counts it so.
        state.attempts = entry.attempts if state.pending else 0
        state.last_handed = -1
        if not state.pending and not state.on_the_way:
            if state.up_to >= self.position:
                self.accounted[entry.key] = state.up_to
            del self.keys[entry.key]
            durable.lifted.append((entry.key, state.since))
        elif entry.due_ms is None:
            state.stage = Stage.PARKED
        else:
            self._wait(entry.key, state, state.due if state.pending else now)

    def _moved(self, entry: Moved) -> None:
        state = self.keys[entry.key]
        self._forget(state, entry.resolved)
        if entry.due_ms is None:
            state.stage = Stage.PARKED
        else:
            self._wait(entry.key, state, state.due)

    def _wait(self, key: int, state: QuarantinedKey, due: float) -> None:
        state.stage = Stage.WAITING
        state.due = due
        if state.pending:
            heapq.heappush(self._due, (due, key))

    def _forget(self, state: QuarantinedKey, offsets: Sequence[int]) -> None:
        for offset in offsets:
            pending = state.pending.pop(offset, None)
            if pending is None:
                continue
            self.records -= 1
            self._frontier.resolve((offset,))
            copy = state.copies.pop(pending.entry.offset, None)
            if copy is not None:
                self._frontier.resolve((copy[0],))

    # -- moving up ----------------------------------------------------------------------------------------------------

    def move_up(self, span: int) -> None:
        """Write the oldest pending key's records again at the end when they hold the edge back by more than `span`.

        Order, failure times, attempts and due time stay as they are. A key that is busy is left for later.
        """
        first = self._frontier.first_pending()
        if first is None:
            return
        # Only what is behind it and done counts: what is pending would be there after a move as well, and so would one
        # entry for each key, so a move that gains nothing would be followed by the next one for ever.
        done = self._frontier.end() - first - self.records
        if done <= max(span, len(self.keys)):
            return
        key, state = next((key, state) for key, state in self.keys.items() if first in state.pending)
        if state.on_the_way or state.stage not in {Stage.WAITING, Stage.PARKED}:
            return  # a record on the way would come to stand in front of older ones
        for pending in state.pending.values():
            self._outbox.append(_Waiting(key, pending.entry, pending.failed_at_ms, moved=True))
        due_ms = None if state.stage is Stage.PARKED else self.to_ms(state.due)
        self._outbox.append(Moved(key, state.attempts, due_ms, state.up_to, list(state.pending)))
        state.stage = Stage.MOVING
