"""What generated event and key classes stand on."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import msgspec

from wakuwaku.errors import DecodeError
from wakuwaku.headers import encode_head
from wakuwaku.keyhash import KeyHash, hasher_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from wakuwaku.algebra import Algebra
    from wakuwaku.ordering import Ordering

__all__ = ["Codec", "Event", "EventType", "Key", "KeyType", "combined"]


class KeyType:
    """Describe a key type: its topic and how it hashes.

    `layout` maps the key's fields, in order, to the types the hash reads them as (see `wakuwaku.keyhash`).
    `partitions` is how many partitions the topic is created with; a running log tells the real number.
    """

    def __init__(
        self,
        *,
        name: str,
        topic: str,
        layout: Mapping[str, str],
        key_hash: KeyHash = KeyHash.XXH3,
        partitions: int = 1,
    ) -> None:
        self.name = name
        self.topic = topic
        self.layout = layout
        self.key_hash = key_hash
        self.partitions = partitions

    def __repr__(self) -> str:
        return f"<key type {self.name} of topic {self.topic!r}>"

    @cached_property
    def hash(self) -> Callable[[Any], int]:
        """Hash a key, or an event of this key, to an unsigned 64-bit number."""
        return hasher_of(self.layout, self.key_hash)

    @cached_property
    def values(self) -> Callable[[Any], object]:
        """Return the key's field values of a key or an event; equal values mean the same key."""
        return attrgetter(*self.layout)


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """Be the base class of generated key types."""

    __wakuwaku__: ClassVar[KeyType]


K = TypeVar("K", bound=Key)
K_co = TypeVar("K_co", bound=Key, covariant=True)


class EventType(Generic[K_co]):
    """Describe an event type: who it is on the wire and which laws it obeys.

    `combiner` returns the object with the combine rules that are written by hand, when there are any.
    """

    def __init__(
        self,
        *,
        name: str,
        tag: int,
        key: type[K_co],
        algebra: Algebra,
        ordering: Ordering,
        combiner: Callable[[], object] | None = None,
    ) -> None:
        self.name = name
        self.tag = tag
        self.key = key
        self.algebra = algebra
        self.ordering = ordering
        self.combiner = combiner

    def __repr__(self) -> str:
        return f"<event type {self.name}, tag {self.tag} of topic {self.topic!r}>"

    @property
    def topic(self) -> str:
        """Return the topic, which is the key type's."""
        return self.key.__wakuwaku__.topic

    def head(self, key_hash: int, ordering: Ordering | None = None) -> bytes:
        """Encode the standard headers of one event of this type."""
        return encode_head(self.tag, key_hash, self.ordering if ordering is None else ordering, self.algebra)


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Be the base class of generated events: frozen, keyword-only, compared by value."""

    __wakuwaku__: ClassVar[EventType[Any]]

    @property
    def key(self) -> Key:
        """Return the key this event belongs to."""
        raise NotImplementedError

    def combine(self, later: Any) -> Self | None:  # noqa: ARG002 - overrides take Self, which only Any lets them
        """Fold this event and the next one of its run into one, or return None when the two stay apart.

        Generated for associative events from their combine rules; two events of other types stay apart.
        """
        return None


E = TypeVar("E", bound=Event)


def combined(earlier: E, later: E) -> E | None:
    """Fold two neighbours of a run into one, or return None when they stay apart.

    They also stay apart when their combination can't be made: a sum that breaks a constraint or leaves its type's range
    must not keep the two events, each of which is valid, from their handler.
    """
    try:
        return earlier.combine(later)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - whatever a rule or a constructor raises
        return None


class Codec(Generic[E]):
    """Encode and decode the body of one event type: a MessagePack map by field name."""

    def __init__(self, event: type[E]) -> None:
        self.event = event

    def __repr__(self) -> str:
        return f"Codec({self.event.__name__})"

    @cached_property
    def encode(self) -> Callable[[E], bytes]:
        """Encode an event into the bytes of a record's body."""
        return msgspec.msgpack.Encoder().encode

    @cached_property
    def decoder(self) -> msgspec.msgpack.Decoder[E]:
        """Return the msgspec decoder; built on first use, so that importing a topic stays cheap."""
        return msgspec.msgpack.Decoder(self.event)

    def decode(self, body: bytes) -> E:
        """Decode a record's body; raises `DecodeError` naming the event and the field."""
        try:
            return self.decoder.decode(body)
        except (msgspec.DecodeError, ValueError, RecursionError, ArithmeticError) as error:
            # An ArithmeticError comes of a decimal that a check can't compute with, such as 1E+99 % 0.01.
            raise DecodeError(f"{self.event.__wakuwaku__.name}: {error}") from error
