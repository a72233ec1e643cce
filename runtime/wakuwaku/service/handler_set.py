"""Handlers registered one by one, for those who have no generated bundle at hand or share a handler between events."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, final, overload

from wakuwaku.errors import StartError
from wakuwaku.event import Codec, Event
from wakuwaku.handler import Handler, HandlerBundle, Ignore, Route, Topic
from wakuwaku.service.sharing import Sharing

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from wakuwaku.config import ConsumerConfig
    from wakuwaku.consumer import Consumer
    from wakuwaku.errors import ErrorClass
    from wakuwaku.handler import Batch
    from wakuwaku.log import Log

__all__ = ["HandlerSet", "Handles", "check_opened"]

E = TypeVar("E", bound=Event)
E_contra = TypeVar("E_contra", bound=Event, contravariant=True)


class Handles(Protocol[E_contra]):
    """Be a handler that takes batches of an event, whatever others it takes as well."""

    def handle(self, events: Batch[E_contra], /) -> Coroutine[Any, Any, None] | None:
        """Apply the events."""
        ...


@final
class HandlerSet:
    """Register handlers one by one and start a consumer with them: ``HandlerSet.new(a).push(b).start(log, config)``.

    Adding something returns a new set; a set never changes. One handler may take several events: register it once for
    each, ``HandlerSet.new(audit, OrderPlaced).push(audit, PaymentReceived)``. All events have to be of one topic, and
    every event that is generated beside them has to have a handler or be ignored on purpose.
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Sequence[tuple[object, type[Event] | None]] = ()) -> None:
        self._entries = tuple(entries)

    @classmethod
    @overload
    def new(cls, handler: Handler[Any], /) -> Self: ...
    @classmethod
    @overload
    def new(cls, handler: Handles[E], event: type[E], /) -> Self: ...
    @classmethod
    def new(cls, handler: object, event: type[Event] | None = None, /) -> Self:
        """Begin a set with one handler; `push` tells of the arguments."""
        return cls([(handler, event)])

    @overload
    def push(self, handler: Handler[Any], /) -> HandlerSet: ...
    @overload
    def push(self, handler: Handles[E], event: type[E], /) -> HandlerSet: ...
    def push(self, handler: object, event: type[Event] | None = None, /) -> HandlerSet:
        """Add a handler for the event its contract names, or for `event`; it needs no base class then."""
        return HandlerSet([*self._entries, (handler, event)])

    def ignore(self, event: type[Event], reason: str = "") -> HandlerSet:
        """Say on purpose that nobody handles an event here; its records are passed over."""
        return HandlerSet([*self._entries, (Ignore(reason), event)])

    def bundle(self) -> HandlerBundle:
        """Return the handlers as a bundle, which is what a `Consumer` takes.

        Raises one `StartError` that names everything that is wrong: no handler at all, events of two topics, two
        handlers for one event or tag, an event nobody handles, a handler that names no event.
        """
        problems: list[str] = []
        sharing = Sharing()
        chosen: dict[type[Event], Handler[Any] | Ignore] = {}
        for handler, named in self._entries:
            event = named if named is not None else getattr(handler, "event", None)
            if problem := _problem(handler, event):
                problems.append(problem)
                continue
            assert event is not None  # noqa: S101 - told as a problem otherwise
            if event in chosen:
                problems.append(
                    f"{event.__name__} has two handlers, {_name(chosen[event])} and {_name(handler)}: leave one out"
                )
                continue
            chosen[event] = handler if isinstance(handler, Ignore) else sharing.handler_for(handler, event)
        problems += _topic_problems(list(chosen)) if chosen else [] if problems else [_EMPTY]
        if problems:
            raise StartError("; ".join(problems))
        return _bundle_of(chosen)

    async def start(
        self,
        log: Log,
        config: ConsumerConfig,
        *,
        classifier: Callable[[Exception], ErrorClass | None] | None = None,
    ) -> Consumer:
        """Check everything and start a consumer; stop it with `shutdown`.

        Raises what `bundle` and `Consumer.start` raise.
        """
        from wakuwaku.consumer import Consumer  # noqa: PLC0415 - a set may be made without an event loop at hand

        check_opened(log)
        consumer = Consumer(log, self.bundle(), config, classifier=classifier)
        try:
            await consumer.start()
        except BaseException:
            await consumer.abort()
            raise
        return consumer

    def __repr__(self) -> str:
        return f"<handler set of {', '.join(_name(handler) for handler, _ in self._entries) or 'nothing'}>"


def check_opened(log: object) -> None:
    """Raise `StartError` for what `connect` returned and nobody awaited."""
    if not inspect.isawaitable(log):
        return
    if inspect.iscoroutine(log):
        log.close()  # or Python would complain of it, too
    raise StartError("the log is not open yet: await it, as in `async with await connect(…) as log`")


_EMPTY = "no handler is registered, so there is nothing to consume: push one, or ignore events on purpose"


def _problem(handler: object, event: object) -> str | None:
    """Return what is wrong with one handler and the event it was registered for."""
    name = _name(handler)
    if isinstance(handler, type):
        return f"{name} is a class: give an instance, {name}(…), or use ServiceBuilder.consumer, which makes one"
    if event is None:
        return f"{name} does not say which event it takes: name it, push(handler, Event), or derive from its contract"
    if not isinstance(event, type) or not issubclass(event, Event) or not hasattr(event, "__wakuwaku__"):
        return f"{name} is registered for {event!r}, which is no generated event"
    if not callable(getattr(handler, "handle", None)) and not isinstance(handler, Ignore):
        return f"{name} has no method `handle`, so it can't take {event.__name__}"
    own = getattr(handler, "event", event)
    if own is not event:
        told = getattr(own, "__name__", repr(own))
        return f"{name} is written for {told}, and registered for {event.__name__}: leave one of the two out"
    return None


def _topic_problems(events: Sequence[type[Event]]) -> Iterator[str]:
    """Yield what is wrong with the events together."""
    topics: dict[str, list[str]] = {}
    tags: dict[tuple[str, int], list[str]] = {}
    for event in events:
        described = event.__wakuwaku__
        topics.setdefault(described.topic, []).append(event.__name__)
        tags.setdefault((described.topic, described.tag), []).append(event.__name__)
    if len(topics) > 1:
        listed = "; ".join(f"{topic!r} has {', '.join(names)}" for topic, names in topics.items())
        yield f"one consumer reads one topic, and these are of {len(topics)}: {listed}; start a consumer for each topic"
    for (topic, tag), names in tags.items():
        if len(names) > 1:
            both = " and ".join(names)
            yield f"tag {tag} of topic {topic!r} belongs to {both}: give one of them another in the schema"
    if len(topics) == 1:
        keys = {event.__wakuwaku__.key for event in events}
        modules = {kind.__module__ for kind in (*keys, *events)}
        for other in sorted(_events_of(keys, modules) - set(events), key=lambda event: int(event.__wakuwaku__.tag)):
            yield (
                f"nobody handles {other.__name__} (tag {other.__wakuwaku__.tag} of topic {other.__wakuwaku__.topic!r}):"
                f" push a handler, or say so with ignore({other.__name__})"
            )


def _events_of(keys: set[Any], modules: set[str]) -> set[type[Event]]:
    """Return the events of some keys which these modules define: generated code has all events of a topic together."""
    found: set[type[Event]] = set()
    waiting: list[type[Event]] = [Event]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            described = vars(kind).get("__wakuwaku__")
            if described is not None and described.key in keys and kind.__module__ in modules:
                found.add(kind)
    return found


def _bundle_of(handlers: dict[type[Event], Handler[Any] | Ignore]) -> HandlerBundle:
    codecs = {event.__wakuwaku__.tag: Codec(event) for event in handlers}
    routes = {
        event.__wakuwaku__.tag: Route(codecs[event.__wakuwaku__.tag], handler) for event, handler in handlers.items()
    }
    described = Topic(
        name=next(iter(handlers)).__wakuwaku__.topic, codecs=codecs, fields={tag: str(tag) for tag in codecs}
    )

    class Registered(HandlerBundle):
        __wakuwaku__ = described

        def routes(self) -> dict[int, Route]:
            return routes

    return Registered()


def _name(handler: object) -> str:
    if isinstance(handler, Ignore):
        return repr(handler)
    return handler.__qualname__ if isinstance(handler, type) else type(handler).__qualname__
