"""Wire headers, byte for byte those of the Rust system, and the record that carries them.

==================  =====  ==========================================================================
header              bytes  content
==================  =====  ==========================================================================
``wakuwaku-tag``    4      event type tag, u32 little endian
``wakuwaku-key``    8      64-bit hash of the partition key, little endian
``wakuwaku-props``  3      version = 1, ordering, algebra
``wakuwaku-retry``  9      version = 1, u64 little endian: Unix milliseconds of the write to the retry topic
==================  =====  ==========================================================================

Any other value, length or version is a bad header.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from wakuwaku.algebra import Algebra
from wakuwaku.errors import HeaderError
from wakuwaku.ordering import Ordering

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "HEAD",
    "HEAD_LENGTH",
    "KEY_HEADER",
    "PROPS_BY_BYTES",
    "PROPS_HEADER",
    "RETRY_HEADER",
    "TAG_HEADER",
    "Head",
    "Record",
    "encode_head",
    "encode_retry",
    "parse_head",
    "parse_props",
    "parse_retry",
]

TAG_HEADER: Final = "wakuwaku-tag"
KEY_HEADER: Final = "wakuwaku-key"
PROPS_HEADER: Final = "wakuwaku-props"
RETRY_HEADER: Final = "wakuwaku-retry"

VERSION: Final = 1

#: Tag, key hash and the three bytes of the properties, as they stand one behind another in `Record.head`.
HEAD: Final = struct.Struct("<IQ3s")
HEAD_LENGTH: Final = HEAD.size
_RETRY: Final = struct.Struct("<BQ")
_WIDTHS: Final = {TAG_HEADER: 4, KEY_HEADER: 8, PROPS_HEADER: 3}

#: Every valid value of the properties header with its meaning.
PROPS_BY_BYTES: Final[Mapping[bytes, tuple[Ordering, Algebra]]] = {
    bytes((VERSION, ordering, algebra)): (ordering, algebra) for ordering in Ordering for algebra in Algebra
}


class Record(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Hold one message as the log keeps it: headers and body.

    `head` is the values of the tag, key and properties headers one behind another (15 bytes). When one of the three is
    missing or has another length, `head` is empty and all headers are in `extra`, so nothing of a foreign or damaged
    message is lost. `extra` holds every other header, or None when there is none.
    """

    head: bytes
    body: bytes
    extra: dict[str, bytes] | None = None

    @classmethod
    def of(cls, headers: Mapping[str, bytes], body: bytes) -> Record:
        """Make a record from all its headers by name."""
        extra = dict(headers)
        if all(len(extra.get(name, b"")) == width for name, width in _WIDTHS.items()):
            head = b"".join(extra.pop(name) for name in _WIDTHS)
            return cls(head, body, extra or None)
        return cls(b"", body, extra or None)

    @property
    def headers(self) -> dict[str, bytes]:
        """Return all headers by name, the bytes as they are on the wire."""
        headers: dict[str, bytes] = {}
        if self.head:
            start = 0
            for name, width in _WIDTHS.items():
                headers[name] = self.head[start : start + width]
                start += width
        if self.extra:
            headers |= self.extra
        return headers


class Head(NamedTuple):
    """Tell what the three standard headers of a record say."""

    tag: int
    key: int
    ordering: Ordering
    algebra: Algebra


def encode_head(tag: int, key: int, ordering: Ordering, algebra: Algebra) -> bytes:
    """Encode the three standard headers as `Record.head`."""
    return HEAD.pack(tag, key, bytes((VERSION, ordering, algebra)))


def parse_props(value: bytes) -> tuple[Ordering, Algebra]:
    """Parse the properties header.

    Raises `HeaderError`: malformed for another length, ordering or algebra; unknown_version for another version.
    """
    props = PROPS_BY_BYTES.get(value)
    if props is not None:
        return props
    unknown = len(value) == _WIDTHS[PROPS_HEADER] and value[0] != VERSION
    raise HeaderError(PROPS_HEADER, "unknown_version" if unknown else "malformed")


def parse_head(record: Record) -> Head:
    """Parse the standard headers of a record; raises `HeaderError` naming the first bad one."""
    if len(record.head) != HEAD_LENGTH:
        headers = record.extra or {}
        for name, width in _WIDTHS.items():
            if name not in headers:
                raise HeaderError(name, "missing")
            if len(headers[name]) != width:
                raise HeaderError(name, "malformed")
        raise HeaderError(TAG_HEADER, "malformed")  # no `Record.of` made this: a damaged log
    tag, key, props = HEAD.unpack(record.head)
    ordering, algebra = parse_props(props)
    return Head(tag, key, ordering, algebra)


def encode_retry(failed_at_ms: int) -> bytes:
    """Encode the retry header; `failed_at_ms` is Unix milliseconds."""
    return _RETRY.pack(VERSION, failed_at_ms)


def parse_retry(value: bytes) -> int:
    """Parse the retry header into Unix milliseconds; raises `HeaderError`."""
    if len(value) != _RETRY.size:
        raise HeaderError(RETRY_HEADER, "malformed")
    version, failed_at_ms = _RETRY.unpack(value)
    if version != VERSION:
        raise HeaderError(RETRY_HEADER, "unknown_version")
    return int(failed_at_ms)
