"""Events of every algebra under a key hashed as Rust does, and handlers that fail by rule, as `peer/src/trace.rs`."""

from __future__ import annotations

import builtins
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

import msgspec

from wakuwaku import (
    Algebra,
    Batch,
    Codec,
    Event,
    EventType,
    Handler,
    HandlerBundle,
    Ignore,
    Key,
    KeyHash,
    KeyType,
    Ordering,
    RetryableError,
    Topic,
    TransientError,
    UnrecoverableError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EVENTS", "TOPIC", "Handled", "TraceEvent", "TraceHandlers", "TraceKey", "handlers_into"]

TOPIC = "traces"
POISON = "poison"


class TraceKey(Key, frozen=True, kw_only=True):
    """A key of two fields."""

    customer: builtins.str
    number: builtins.int

    __wakuwaku__: ClassVar[KeyType] = KeyType(
        name="traces.TraceKey",
        topic=TOPIC,
        layout={"customer": "str", "number": "u64"},
        key_hash=KeyHash.RUST,
        partitions=4,
    )


class TraceEvent(Event, frozen=True, kw_only=True):
    """Have a key and numbers."""

    customer: builtins.str
    number: builtins.int
    values: tuple[builtins.int, ...]

    @property
    def key(self) -> TraceKey:
        """Return the key this event belongs to."""
        return TraceKey(customer=self.customer, number=self.number)


def _type(name: str, tag: int, algebra: Algebra) -> EventType[TraceKey]:
    return EventType(name=f"traces.{name}", tag=tag, key=TraceKey, algebra=algebra, ordering=Ordering.RELAXED)


class Plain(TraceEvent, frozen=True, kw_only=True):
    """Obey no law."""

    __wakuwaku__: ClassVar[EventType[TraceKey]] = _type("Plain", 1, Algebra.NON_ASSOCIATIVE)


class Folded(TraceEvent, frozen=True, kw_only=True):
    """Fold."""

    __wakuwaku__: ClassVar[EventType[TraceKey]] = _type("Folded", 2, Algebra.ASSOCIATIVE)

    def combine(self, later: Self) -> Self:
        """Fold this event and the next one of its run into one."""
        return msgspec.structs.replace(self, values=self.values + later.values)


class Repeated(TraceEvent, frozen=True, kw_only=True):
    """Mean the same once and twice."""

    __wakuwaku__: ClassVar[EventType[TraceKey]] = _type("Repeated", 3, Algebra.IDEMPOTENT)


class Unordered(TraceEvent, frozen=True, kw_only=True):
    """Mean the same in any order."""

    __wakuwaku__: ClassVar[EventType[TraceKey]] = _type("Unordered", 4, Algebra.COMMUTATIVE)


class Merged(TraceEvent, frozen=True, kw_only=True):
    """Mean the same once and twice, in any order."""

    __wakuwaku__: ClassVar[EventType[TraceKey]] = _type("Merged", 5, Algebra.IDEMPOTENT_COMMUTATIVE)


EVENTS: Mapping[int, type[TraceEvent]] = {1: Plain, 2: Folded, 3: Repeated, 4: Unordered, 5: Merged}
CODECS: Mapping[int, Codec[Any]] = {tag: Codec(event) for tag, event in EVENTS.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceHandlers(HandlerBundle):
    """Who handles the events of the topic."""

    __wakuwaku__ = Topic(
        name=TOPIC,
        codecs=CODECS,
        fields={1: "plain", 2: "folded", 3: "repeated", 4: "unordered", 5: "merged"},
    )

    plain: Handler[Plain] | Ignore
    folded: Handler[Folded] | Ignore
    repeated: Handler[Repeated] | Ignore
    unordered: Handler[Unordered] | Ignore
    merged: Handler[Merged] | Ignore


class Handled(NamedTuple):
    """Tell what a handler was given and took."""

    tag: int
    customer: str
    number: int
    values: tuple[int, ...]


E = TypeVar("E", bound=TraceEvent)


def _fail(tag: int, value: int, calls: Counter[int]) -> None:
    """Raise what the rules want for a value that comes up for the first, second … time."""
    if tag == 1 and value % 211 == 5:
        raise UnrecoverableError("never")
    if value % 101 == 7:
        calls[value] += 1
        if calls[value] <= 2:
            raise RetryableError("not yet")
    if value % 503 == 3:
        calls[value] += 1
        if calls[value] <= 1:
            raise TransientError("not now")


def handlers_into(trace: list[Handled]) -> TraceHandlers:
    """Return handlers that keep what they take, and fail by the rules that the program in Rust has too."""
    calls: Counter[int] = Counter()

    def take(tag: int, event: TraceEvent) -> None:
        if tag == 1 and event.customer == POISON:
            raise RetryableError("always")
        for value in event.values:
            _fail(tag, value, calls)
        trace.append(Handled(tag, event.customer, event.number, event.values))

    def handler(kind: type[E]) -> Handler[E]:
        class Take(Handler[E]):
            event = kind
            max_batch = 1

            async def handle(self, events: Batch[E]) -> None:
                for event in events:
                    take(kind.__wakuwaku__.tag, event)

        return Take()

    return TraceHandlers(
        plain=handler(Plain),
        folded=handler(Folded),
        repeated=handler(Repeated),
        unordered=handler(Unordered),
        merged=handler(Merged),
    )
