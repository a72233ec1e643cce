"""Whether everything reaches a handler or the dead letters, and how often."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from wakuwaku._core.journal import AttemptStarted
from wakuwaku._engine.partition import LAST_WORDS
from wakuwaku.algebra import Algebra
from wakuwaku.config import DeliveryMode, GiveUp
from wakuwaku.deadletter import DeadLetter
from wakuwaku.testing.ledger import Ledger, gives_up
from wakuwaku.testing.topic import ALGEBRAS
from wakuwaku.testing.trace import (
    Appended,
    CallEnded,
    CallStarted,
    Crashed,
    Dropped,
    Nature,
    Outcome,
    Read,
    Recorded,
    StopAsked,
    Stopped,
    StopReturned,
    Trace,
)

__all__ = ["no_event_lost", "no_event_twice"]


def no_event_lost(trace: Trace) -> Iterator[str]:
    """Check that every record ended as handled, folded into a handled one or dead, and was handed out as published.

    In NO_DOUBLE_CONSUME a record may be lost that a life had in its hands when it was cut short, or that was handed out
    and has no outcome. A parked key's records wait. Records that retention took before they were handled don't count.
    """
    yield from _contents(trace)
    if not trace.completed:
        return
    may_lose = trace.config.mode is DeliveryMode.NO_DOUBLE_CONSUME
    losable = _losable(trace) if may_lose else set[int]()
    ledger = Ledger(trace.config.retry_delays)
    done: set[int] = set()
    for one in trace.happened:
        if isinstance(one, Dropped):
            done.update(range(one.first))
        elif isinstance(one, Appended) and one.topic == trace.dead:
            done.update(_buried(one))
        elif isinstance(one, Appended) and one.topic == trace.retries:
            ledger.add(one.base, trace.retry_items(one))
    for start, end in trace.calls().values():
        if end is not None and end.outcome is Outcome.OK:
            done.update(start.offsets)
    waiting = {source for state in ledger.keys.values() if state.due_ms is None for source in state.sources}
    for fact in trace.facts.values():
        gone = fact.nature is Nature.IGNORED or fact.offset in done or fact.offset in waiting or fact.offset in losable
        if not gone:
            yield f"offset {fact.offset} ({fact.nature.value}) of key {fact.key} was lost"


def no_event_twice(trace: Trace) -> Iterator[str]:
    """Check that only a failure that its own handler told leads to a second delivery.

    In NO_EVENT_LOSE so does a new life.
    """
    forever = trace.config.mode is DeliveryMode.NO_DOUBLE_CONSUME
    handed: dict[int, CallStarted] = {}  # by offset: the call it was handed to last
    failed: set[int] = set()
    for one in trace.happened:
        if isinstance(one, CallStarted):
            for offset in one.offsets:
                before = handed.get(offset)
                if before is not None and before.call not in failed and (forever or before.life == one.life):
                    yield f"offset {offset} was handed to call {before.call} and again to call {one.call}"
                handed[offset] = one
        elif isinstance(one, CallEnded) and one.outcome in {Outcome.TRANSIENT, Outcome.RETRYABLE}:
            failed.add(one.call)


def _buried(appended: Appended) -> list[int]:
    return [DeadLetter.from_record(record).offset for record in appended.records]


def _losable(trace: Trace) -> set[int]:
    """Return what NO_DOUBLE_CONSUME may lose.

    That is what a handler got and told no outcome of; and, when a life was cut short by a crash, an abort, or a stop
    whose last words found no log to take them, what it had read and not made durable. An instance that took over while
    another one had an attempt under way ends it as one that was cut short.
    """
    losable: set[int] = set()
    hands = _Hands(trace)
    calls = trace.calls()
    cuts = {round(one.at + one.timeout, 6) for one in trace.happened if isinstance(one, StopAsked)}
    for one in trace.happened:
        if isinstance(one, CallStarted) and _without_outcome(calls[one.call][1], cuts):
            losable.update(one.offsets)
        elif isinstance(one, Appended) and one.topic == trace.retries:
            losable |= hands.appended(one)
        elif hands.cut_short(one):
            losable |= hands.dropped(one.life)
    return losable


class _Hands:
    """Follow what each life has in its hands."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._held: dict[int, set[int]] = {}  # by life: main offsets that it read and did not make durable
        self._stops: dict[int, float] = {}  # by life: until when its last words were to be written
        self._begun: dict[int, int] = {}  # by key: the life that began its last attempt
        self._ledger = Ledger(trace.config.retry_delays)

    def appended(self, one: Appended) -> set[int]:
        """Take in an append to the retry topic; return what attempts of other lives, which this ends, had."""
        taken_over = [key for key, life in self._begun.items() if life != one.life]
        lost = {offset for key in taken_over for offset in _handed_out(self._ledger, key)}
        items = self._trace.retry_items(one)
        self._begun.update((item.key, one.life) for item in items if isinstance(item, AttemptStarted))
        self._ledger.add(one.base, items)
        for state in self._ledger.keys.values():
            self._held.get(one.life, set()).difference_update(state.sources)
        if gives_up(self._trace, one):
            self._stops[one.life] = one.at + self._trace.config.drain_timeout + LAST_WORDS
        return lost

    def cut_short(self, one: Recorded) -> bool:
        """Take in anything else, and tell whether it cut its life short."""
        if isinstance(one, Read) and one.topic == self._trace.topic:
            self._held.setdefault(one.life, set()).update(one.offsets)
        elif isinstance(one, StopAsked):
            self._stops[one.life] = one.at + one.timeout + LAST_WORDS
        elif isinstance(one, Stopped | StopReturned):
            fenced = self._trace.instances > 1 and (isinstance(one, Stopped) or one.left > 0)
            aborted = isinstance(one, Stopped) and not one.by_policy
            return fenced or aborted or one.at >= self._stops.get(one.life, 0)
        return isinstance(one, Crashed)

    def dropped(self, life: int) -> set[int]:
        """Return what a life had when it was cut short."""
        lost = self._held.pop(life, set())
        return lost.union(*(_handed_out(self._ledger, key) for key in self._ledger.keys))


def _without_outcome(end: CallEnded | None, cuts: Collection[float]) -> bool:
    """Tell whether nobody knows how a call ended, as when a stop and the call's own time-out cut it at one instant."""
    if end is None or end.outcome is Outcome.CANCELLED:
        return True
    return end.outcome is Outcome.RETRYABLE and round(end.at, 6) in cuts


def _handed_out(ledger: Ledger, key: int) -> set[int]:
    """Return the main offsets that an attempt which started and did not end works on."""
    state = ledger.keys.get(key)
    if state is None or state.started is None:
        return set()
    return {source for offset, source in state.pending.items() if offset <= state.started.last}


def _contents(trace: Trace) -> Iterator[str]:
    """Check what handlers got, and what dead letters hold and why."""
    failed_for_good: set[int] = set()
    calls: dict[int, CallStarted] = {}
    for one in trace.happened:
        if isinstance(one, CallStarted):
            calls[one.call] = one
            published = [trace.facts[offset] for offset in one.offsets]
            if any(fact.tag != one.tag or fact.key != one.key for fact in published):
                yield f"call {one.call} got records of another type or key"
            if not _is_reduced(ALGEBRAS[one.tag], [fact.value for fact in published], one.values):
                yield f"call {one.call} got {list(one.values)} for {[fact.value for fact in published]}"
        elif isinstance(one, CallEnded) and one.outcome is Outcome.UNRECOVERABLE:
            failed_for_good.update(calls[one.call].offsets)
        elif isinstance(one, Appended) and one.topic == trace.dead:
            for record in one.records:
                yield from _letter(trace, DeadLetter.from_record(record), failed_for_good)


def _letter(trace: Trace, letter: DeadLetter, failed_for_good: set[int]) -> Iterable[str]:
    """Check that a dead letter holds what was published, and that there was a cause."""
    fact = trace.facts[letter.offset]
    if (letter.body, letter.headers) != (fact.record.body, fact.record.headers):
        yield f"the dead letter of offset {letter.offset} is not what was published"
    cause = {
        "unrecoverable": letter.offset in failed_for_good,
        "gave_up": trace.config.on_give_up is GiveUp.CONTINUE and fact.nature is not Nature.REFUSED,
        "undecodable_body": fact.nature is Nature.UNDECODABLE,
    }
    if not cause.get(letter.reason, fact.nature is Nature.REFUSED):
        yield f"offset {letter.offset} ({fact.nature.value}) is dead without a cause: {letter.reason}"


def _is_reduced(algebra: Algebra, published: Sequence[int], given: Sequence[int]) -> bool:
    if algebra is Algebra.ASSOCIATIVE:
        return sum(given) == sum(published)
    if algebra in {Algebra.IDEMPOTENT, Algebra.IDEMPOTENT_COMMUTATIVE}:
        return set(given) == set(published)
    return list(given) == list(published)
