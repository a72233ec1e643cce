"""Bytes of the commands the client has no method for, and of one where the method costs too much.

All numbers are little endian. A name is ``[2, length, UTF-8]``; a single consumer is ``[1]`` and its name; a partition
is ``[1]`` and a u32. These commands are the same in server 0.9.0-edge.5 and in the client 0.9.0; what a reply of a poll
looks like is a matter of `iggy_poll`.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CREATE_TOPIC",
    "GET_OFFSET",
    "POLL",
    "STORE_OFFSET",
    "Place",
    "create_topic",
    "parse_stored_offset",
]

POLL: Final = 100
GET_OFFSET: Final = 120
STORE_OFFSET: Final = 121
CREATE_TOPIC: Final = 302

_PARTITION: Final = struct.Struct("<BI")
_STORED: Final = struct.Struct("<IQQ")
_STORE: Final = struct.Struct("<QB")
_POLL: Final = struct.Struct("<BQIB")
_BY_OFFSET: Final = 1
#: The reply comes when most servers have the offset.
_QUORUM: Final = 1
_STRING: Final = 2
_NUMBER: Final = 1
_MAX_ID: Final = 2**32 - 1


class Place:
    """Name a consumer and a partition, as each command about them begins."""

    __slots__ = ("_beginning",)

    def __init__(self, consumer: str, stream: str, topic: str, partition: int) -> None:
        where = _name(stream) + _name(topic) + _PARTITION.pack(1, partition)
        self._beginning = b"\x01" + _consumer(consumer) + where

    def get_offset(self) -> bytes:
        """Return the payload that asks for the stored offset."""
        return self._beginning

    def store_offset(self, offset: int) -> bytes:
        """Return the payload that stores an offset."""
        return self._beginning + _STORE.pack(offset, _QUORUM)

    def poll(self, offset: int, count: int) -> bytes:
        """Return the payload that reads from an offset on; the consumer's stored offset stays as it is."""
        return self._beginning + _POLL.pack(_BY_OFFSET, offset, count, 0)


def create_topic(stream: str, name: str, partitions: int, options: Mapping[str, str]) -> bytes:
    """Return the payload that creates a topic; options are texts by name, as a configuration file would have them."""
    block = b"".join(_field(key) + _field(value) for key, value in sorted(options.items()))
    encoded = name.encode()
    return _name(stream) + struct.pack("<IB", partitions, len(encoded)) + encoded + block


def parse_stored_offset(reply: bytes) -> int | None:
    """Return the stored offset of a reply, or None when none was stored. Raises `ValueError` for another reply."""
    if not reply:
        return None
    if len(reply) != _STORED.size:
        raise ValueError(f"{len(reply)} bytes are no stored offset")
    return int(_STORED.unpack(reply)[2])


def _name(text: str) -> bytes:
    encoded = text.encode()
    return bytes((_STRING, len(encoded))) + encoded


def _consumer(text: str) -> bytes:
    """Return a consumer's name; one of digits alone is a number, as all clients of Iggy take it."""
    if text.isascii() and text.isdecimal() and int(text) <= _MAX_ID:
        return struct.pack("<BBI", _NUMBER, 4, int(text))
    return _name(text)


def _field(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<BI", _STRING, len(encoded)) + encoded
