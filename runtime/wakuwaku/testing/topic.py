"""The topic that simulations run on: one event type per algebra, and handlers that do what a script says."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import msgspec

from wakuwaku.algebra import Algebra
from wakuwaku.event import Codec, Event, EventType, Key, KeyType
from wakuwaku.handler import Batch, Handler, HandlerBundle, Ignore, Route, Topic
from wakuwaku.ordering import Ordering

if TYPE_CHECKING:
    from typing import Self

__all__ = ["ALGEBRAS", "CODECS", "EVENTS", "IGNORED_TAG", "NEVER_COMBINED", "TOPIC", "Scripted", "SimulatedEvent"]

TOPIC = "facts"

#: The tag of the event type that nobody handles, on purpose.
IGNORED_TAG = 6

#: An associative event of this value stays apart from the one before it.
NEVER_COMBINED = 3

Call: TypeAlias = Callable[[int, Batch[Any]], Awaitable[None]]


class SubjectKey(Key, frozen=True, kw_only=True):
    """Name what events are about."""

    subject: builtins.int

    __wakuwaku__: ClassVar[KeyType] = KeyType(name="facts.Subject", topic=TOPIC, layout={"subject": "u64"})


class SimulatedEvent(Event, frozen=True, kw_only=True):
    """Be what all events of the topic have in common."""

    subject: builtins.int
    value: builtins.int

    @property
    def key(self) -> SubjectKey:
        """Return the key this event belongs to."""
        return SubjectKey(subject=self.subject)


def _type(name: str, tag: int, algebra: Algebra) -> EventType[SubjectKey]:
    return EventType(name=f"facts.{name}", tag=tag, key=SubjectKey, algebra=algebra, ordering=Ordering.RELAXED)


class Told(SimulatedEvent, frozen=True, kw_only=True):
    """Obey no law."""

    __wakuwaku__ = _type("Told", 1, Algebra.NON_ASSOCIATIVE)


class Counted(SimulatedEvent, frozen=True, kw_only=True):
    """Fold by adding."""

    __wakuwaku__ = _type("Counted", 2, Algebra.ASSOCIATIVE)

    def combine(self, later: Self) -> Self | None:
        """Add the two, unless the later one stays apart."""
        if later.value == NEVER_COMBINED:
            return None
        return msgspec.structs.replace(self, value=self.value + later.value)


class Replaced(SimulatedEvent, frozen=True, kw_only=True):
    """Be the same when applied twice in a row."""

    __wakuwaku__ = _type("Replaced", 3, Algebra.IDEMPOTENT)


class Added(SimulatedEvent, frozen=True, kw_only=True):
    """Be the same in any order."""

    __wakuwaku__ = _type("Added", 4, Algebra.COMMUTATIVE)


class Tagged(SimulatedEvent, frozen=True, kw_only=True):
    """Be the same in any order and any number."""

    __wakuwaku__ = _type("Tagged", 5, Algebra.IDEMPOTENT_COMMUTATIVE)


class Noticed(SimulatedEvent, frozen=True, kw_only=True):
    """Be ignored."""

    __wakuwaku__ = _type("Noticed", IGNORED_TAG, Algebra.NON_ASSOCIATIVE)


EVENTS: tuple[type[SimulatedEvent], ...] = (Told, Counted, Replaced, Added, Tagged, Noticed)
ALGEBRAS: Mapping[int, Algebra] = {event.__wakuwaku__.tag: event.__wakuwaku__.algebra for event in EVENTS}
CODECS: dict[int, Codec[Any]] = {event.__wakuwaku__.tag: Codec(event) for event in EVENTS}


class _ScriptedHandler(Handler[Any]):
    """Pass every batch on."""

    def __init__(self, call: Call, max_batch: int) -> None:
        self._call = call
        self.max_batch = max_batch

    async def handle(self, events: Batch[Any]) -> None:
        await self._call(self.event.__wakuwaku__.tag, events)


class _OnTold(_ScriptedHandler):
    event = Told


class _OnCounted(_ScriptedHandler):
    event = Counted


class _OnReplaced(_ScriptedHandler):
    event = Replaced


class _OnAdded(_ScriptedHandler):
    event = Added


class _OnTagged(_ScriptedHandler):
    event = Tagged


class Scripted(HandlerBundle):
    """Hand every batch, with its tag, to one function; `max_batch` holds for all types."""

    __wakuwaku__ = Topic(name=TOPIC, codecs=CODECS, fields={tag: str(tag) for tag in CODECS})

    def __init__(self, call: Call, max_batch: int) -> None:
        handlers = (_OnTold, _OnCounted, _OnReplaced, _OnAdded, _OnTagged)
        self._routes = {
            one.event.__wakuwaku__.tag: Route(CODECS[one.event.__wakuwaku__.tag], one(call, max_batch))
            for one in handlers
        }
        self._routes[IGNORED_TAG] = Route(CODECS[IGNORED_TAG], Ignore("the simulation says so"))

    def routes(self) -> dict[int, Route]:
        """Return the codec and handler of each tag of the topic."""
        return self._routes
