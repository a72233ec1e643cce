"""What a handler author uses: handlers, the batches they get, and the ways out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast, final, overload

from wakuwaku._core.reduce import reduce
from wakuwaku.event import Codec, Event, Key, combined

if TYPE_CHECKING:
    from typing import TypeAlias

    from wakuwaku.classify import Classifier

__all__ = ["Batch", "Handler", "HandlerBundle", "Ignore", "Route", "Topic", "is_stub", "stub", "stub_methods"]

E = TypeVar("E", bound=Event)
F = TypeVar("F", bound=Callable[..., Any])
E_co = TypeVar("E_co", bound=Event, covariant=True)

Source: TypeAlias = Literal["main", "retry"]
_STUB = "__wakuwaku_stub__"


@final
class Batch(Sequence[E_co]):
    """Hold what one call of a handler is to apply: events of one key, in order, already folded by their algebra.

    `offsets` are those of all records that went into the batch; folding makes them more than the events.
    `unfolded` has the event of each of these offsets as it was published. `attempt` starts at 1.
    """

    __slots__ = ("_events", "attempt", "offsets", "partition", "source", "topic", "unfolded")

    def __init__(
        self,
        events: Sequence[E_co],
        *,
        topic: str,
        partition: int,
        offsets: Sequence[int],
        attempt: int = 1,
        source: Source = "main",
        unfolded: Sequence[E_co] | None = None,
    ) -> None:
        self._events = events
        self.unfolded = events if unfolded is None else unfolded
        self.topic = topic
        self.partition = partition
        self.offsets = offsets
        self.attempt = attempt
        self.source: Source = source

    @staticmethod
    def of(*events: E) -> Batch[E]:
        """Make a batch by hand, to call a handler in a test; offsets count from 0 on partition 0."""
        if not events:
            raise ValueError("a batch holds at least one event")
        if any(event.key != events[0].key for event in events):
            raise ValueError("a batch holds events of one key")
        topic = events[0].__wakuwaku__.topic
        return Batch(events, topic=topic, partition=0, offsets=range(len(events)))

    @property
    def key(self) -> Key:
        """Return the key all events of the batch belong to."""
        return self._events[0].key

    def after(self, offset: int | None) -> Batch[E_co] | None:
        """Return what of this batch comes behind an offset, folded anew; None when nothing is left.

        A handler that adds instead of setting stores `offsets[-1]` in the transaction that adds, and asks for what
        comes after it when the batch is handed over again: after a crash the same events may come folded with newer
        ones. None as the offset means that nothing was applied yet.
        """
        if offset is None or self.offsets[0] > offset:
            return self
        return self._of([(at, one) for at, one in zip(self.offsets, self.unfolded, strict=True) if at > offset])

    def only(self, offsets: Collection[int]) -> Batch[E_co] | None:
        """Return what of this batch has one of these offsets, folded anew; None when nothing has.

        For a handler that keeps in its database which offsets were applied; `wakuwaku.inbox` does so.
        """
        if all(at in offsets for at in self.offsets):
            return self
        return self._of([(at, one) for at, one in zip(self.offsets, self.unfolded, strict=True) if at in offsets])

    def _of(self, left: Sequence[tuple[int, E_co]]) -> Batch[E_co] | None:
        """Return a batch of these offsets and events, folded, or None when there are none."""
        if not left:
            return None
        offsets, events = zip(*left, strict=True)
        reduced = reduce(events[0].__wakuwaku__.algebra, events, combined)
        return Batch(
            reduced.events,
            topic=self.topic,
            partition=self.partition,
            offsets=[offsets[position] for sources in reduced.sources for position in sources],
            attempt=self.attempt,
            source=self.source,
            unfolded=[events[position] for sources in reduced.sources for position in sources],
        )

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: int) -> E_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[E_co]: ...
    def __getitem__(self, index: int | slice) -> E_co | Sequence[E_co]:
        return self._events[index]

    def __iter__(self) -> Iterator[E_co]:
        return iter(self._events)

    def __repr__(self) -> str:
        return f"<batch of {len(self)} from {self.topic}/{self.partition} ({self.source}), attempt {self.attempt}>"


class Handler(ABC, Generic[E]):
    """Apply the events of one type.

    Generated contracts derive from this class, one per event, and set `event` and `max_batch`. `handle` may be a
    coroutine function or a plain function, which runs in a thread. A batch holds at most `max_batch` events. At most
    `concurrency` calls run at a time in one consumer; None leaves that to the consumer.

    `classify`, a classifier of `wakuwaku.classify`, says which class an error has that `handle` raised and that is no
    `HandleError`. For an error that it does not know the consumer's own classifier is asked.
    """

    event: ClassVar[type[Event]]
    max_batch: int = 1
    concurrency: int | None = None
    classify: Classifier | None = None

    @abstractmethod
    def handle(self, events: Batch[E]) -> Coroutine[Any, Any, None] | None:
        """Apply the events of one key, in order; raise a `HandleError` to say how it failed."""


def stub(function: F) -> F:
    """Mark a method of a handler or a combiner as not filled in yet; a consumer refuses to start while one is there."""
    setattr(function, _STUB, True)
    return function


def is_stub(handler: Handler[Any]) -> bool:
    """Tell whether a handler still carries the mark of `stub`."""
    return bool(getattr(handler.handle, _STUB, False))


def stub_methods(of: object) -> list[str]:
    """Return the names of the methods of an object that still carry the mark of `stub`, sorted."""
    return [name for name in dir(type(of)) if getattr(getattr(type(of), name, None), _STUB, False)]


@final
class Ignore:
    """Say on purpose that nobody handles an event here; its records are passed over."""

    def __init__(self, reason: str = "") -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Ignore({self.reason!r})" if self.reason else "Ignore()"


@final
class Topic:
    """Describe a topic for a bundle: its name, the codec of each tag, and the bundle's field for each tag."""

    def __init__(self, *, name: str, codecs: Mapping[int, Codec[Any]], fields: Mapping[int, str]) -> None:
        self.name = name
        self.codecs = codecs
        self.fields = fields


@final
class Route:
    """Join an event type's codec with the handler that gets its events."""

    __slots__ = ("codec", "handler")

    def __init__(self, codec: Codec[Any], handler: Handler[Any] | Ignore) -> None:
        self.codec = codec
        self.handler = handler


class HandlerBundle:
    """Be the base class of generated bundles: one required field per event of a topic."""

    __wakuwaku__: ClassVar[Topic]

    def routes(self) -> dict[int, Route]:
        """Return the codec and handler of each tag of the topic."""
        topic = self.__wakuwaku__
        return {
            tag: Route(topic.codecs[tag], cast("Handler[Any] | Ignore", getattr(self, field)))
            for tag, field in topic.fields.items()
        }
