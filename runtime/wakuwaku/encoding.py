"""Encode events for the log, and refuse what their own consumer would refuse."""

from __future__ import annotations

import struct
from typing import Any

import msgspec

from wakuwaku.errors import DecodeError, PublishError
from wakuwaku.event import Codec, Event
from wakuwaku.headers import Record
from wakuwaku.ordering import Ordering

__all__ = ["MAX_BODY", "EventEncoder"]


#: Bytes of the largest body: it has to fit into a dead letter, too.
MAX_BODY = 32 * 1024 * 1024


class EventEncoder:
    """Make records of events; every event is decoded again as its consumers will."""

    def __init__(self) -> None:
        self._codecs: dict[type[Event], Codec[Any]] = {}

    def encode(self, index: int, event: Event, ordering: Ordering | None) -> tuple[Record, int]:
        """Return the record of an event and the hash of its key; `index` is the event's place in the call.

        Raises `PublishError` for what its consumer would refuse.
        """
        if not _is_event(event):
            raise PublishError(f"event {index} is no event but {type(event).__name__}; nothing was sent")
        event_type = type(event)
        codec = self._codecs.get(event_type)
        if codec is None:
            codec = self._codecs[event_type] = Codec(event_type)
        try:
            body = codec.encode(event)
            codec.decode(body)
            described = event_type.__wakuwaku__
            key = described.key.__wakuwaku__.hash(event)
        except (
            DecodeError,
            msgspec.MsgspecError,
            struct.error,
            AttributeError,
            TypeError,
            ValueError,
            ArithmeticError,
            RecursionError,
        ) as error:
            raise PublishError(
                f"event {index} ({event_type.__name__}) is not valid, nothing was sent: {error}"
            ) from error
        if len(body) > MAX_BODY:
            raise PublishError(
                f"event {index} ({event_type.__name__}) has {len(body):,} bytes, {MAX_BODY:,} at most; nothing was sent"
            )
        return Record(described.head(key, ordering), body), key


def _is_event(value: object) -> bool:
    """Tell whether a caller without a type checker gave an event."""
    return isinstance(value, Event)
