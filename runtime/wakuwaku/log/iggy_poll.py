"""Read the reply of a poll: the server's batches as they lie on its disk.

A reply is ``[partition u32][current offset u64][messages u32]`` and batches behind one another. A batch has a header of
256 bytes (base offset at 8, length of the whole batch at 32, messages at 48, zeros from 52 on) and frames: 48 bytes
(offset delta at 24, length of the headers at 32, of the body at 36, zeros from 40 on), the body, the headers. A header
is twice ``[kind u8][length u32][bytes]``, name and value. All numbers are little endian.

The client would make four objects of each record and hand each header out one by one, which takes longer than all that
a consumer does; here a record is one `unpack` and two slices. The layout belongs to a protocol version, and every field
that must be zero or must add up is checked, so another layout is an error and not a wrong record.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from wakuwaku.headers import KEY_HEADER, PROPS_HEADER, TAG_HEADER, Record
from wakuwaku.log.iggy_envelope import unfolded
from wakuwaku.log.protocol import Page

__all__ = ["LayoutError", "Polled", "parse_headers", "parse_poll"]

_REPLY: Final = struct.Struct("<IQI")
_BATCH: Final = struct.Struct("<8xQ16xQ8xI204s")
_LENGTHS: Final = struct.Struct("<32xIIQ")
_DELTA: Final = struct.Struct("<24xI20x")
_FIELD: Final = struct.Struct("<BI")
_ZEROS: Final = bytes(204)
_RAW: Final = 1
_STRING: Final = 2


class LayoutError(Exception):
    """Report a reply that has another layout than the one this module knows."""


class Polled(NamedTuple):
    """Hold a page, and the offset of the newest record of the partition, which is 0 when there never was one."""

    page: Page
    current: int


def _beginning(name: str, value_length: int) -> bytes:
    encoded = name.encode()
    return _FIELD.pack(_STRING, len(encoded)) + encoded + _FIELD.pack(_RAW, value_length)


# The three headers of nearly every record: sorted by name, as all clients write them.
_KEY: Final = _beginning(KEY_HEADER, 8)
_PROPS: Final = _beginning(PROPS_HEADER, 3)
_TAG: Final = _beginning(TAG_HEADER, 4)
_USUAL: Final = struct.Struct(f"{len(_KEY)}s8s{len(_PROPS)}s3s{len(_TAG)}s4s")
#: `Record.head` by the bytes of the usual headers: a key's events lie close together. Bounded, since keys are not.
_HEADS: Final[dict[bytes, bytes]] = {}
_MAX_HEADS: Final = 8_192
_STANDARD: Final = frozenset((KEY_HEADER, PROPS_HEADER, TAG_HEADER))


def parse_poll(reply: bytes) -> Polled:
    """Return what a reply holds. Raises `LayoutError`."""
    try:
        return _parse(reply)
    except (struct.error, UnicodeDecodeError) as error:
        raise LayoutError(f"the reply of a poll ends too early: {error}") from error


def _parse(reply: bytes) -> Polled:
    _, current, count = _REPLY.unpack_from(reply)
    offsets: list[int] = []
    records: list[Record] = []
    position = _REPLY.size
    while position < len(reply):
        base, length, messages, zeros = _BATCH.unpack_from(reply, position)
        end = position + length
        if length < _BATCH.size or end > len(reply) or zeros != _ZEROS:
            raise LayoutError(f"at byte {position} of the reply of a poll stands no batch")
        found, last = _frames(reply, position + _BATCH.size, end, records)
        if found != messages:
            raise LayoutError(f"a batch of {messages} messages holds {found}")
        if messages:
            (first_delta,) = _DELTA.unpack_from(reply, position + _BATCH.size)
            (last_delta,) = _DELTA.unpack_from(reply, last)
            if last_delta - first_delta != messages - 1:
                raise LayoutError(f"the {messages} messages of a batch do not follow one another")
            offsets += range(base + first_delta, base + last_delta + 1)
        position = end
    if len(records) != count:
        raise LayoutError(f"a reply of {count} messages holds {len(records)}")
    return Polled(page_of(offsets, records), current)


def _frames(reply: bytes, position: int, end: int, records: list[Record]) -> tuple[int, int]:
    """Add the records of a batch's frames; return how many there are and where the last one begins.

    This loop is the cost of reading.
    """
    before, start = len(records), position
    unpack, frame, heads, add = _LENGTHS.unpack_from, _LENGTHS.size, _HEADS, records.append
    while position < end:
        headers_length, body_length, zero = unpack(reply, position)
        start = position + frame
        middle = start + body_length
        position = middle + headers_length
        if zero or position > end:
            raise LayoutError(f"at byte {start - frame} of the reply of a poll stands no message")
        headers = reply[middle:position]
        head = heads.get(headers)
        if head is not None:
            add(Record(head, reply[start:middle]))
        else:
            add(_record(reply[start:middle], headers))
    return len(records) - before, start - frame


def page_of(offsets: list[int], records: list[Record]) -> Page:
    """Return a page, its offsets as a range when there is no gap."""
    if offsets and offsets[-1] - offsets[0] == len(offsets) - 1:
        return Page(range(offsets[0], offsets[-1] + 1), records)
    return Page(offsets, records)


def _record(body: bytes, headers: bytes) -> Record:
    if len(headers) == _USUAL.size:
        key_name, key, props_name, props, tag_name, tag = _USUAL.unpack(headers)
        if key_name == _KEY and props_name == _PROPS and tag_name == _TAG:
            if len(_HEADS) >= _MAX_HEADS:
                _HEADS.clear()
            head = _HEADS[headers] = tag + key + props
            return Record(head, body)
    return record_of(parse_headers(headers), body)


def parse_headers(headers: bytes) -> list[tuple[str, int, bytes]]:
    """Return name, kind and value of each header; a name that is no text is made one. Raises `LayoutError`."""
    parsed: list[tuple[str, int, bytes]] = []
    position = 0
    while position < len(headers):
        fields: list[tuple[int, bytes]] = []
        for _ in range(2):
            kind, length = _FIELD.unpack_from(headers, position)
            start = position + _FIELD.size
            position = start + length
            if position > len(headers):
                raise LayoutError("a header of a message is longer than all of them")
            fields.append((kind, headers[start:position]))
        (name_kind, name), (kind, value) = fields
        text = name.decode(errors="backslashreplace")
        parsed.append((text if name_kind == _STRING else f"{text} (kind {name_kind})", kind, value))
    return parsed


def record_of(headers: list[tuple[str, int, bytes]], body: bytes) -> Record:
    """Return the record with these headers.

    A standard header counts only when its value is raw bytes, as the Rust system has it; else the record is one with
    bad headers, and all of them are kept.
    """
    by_name = {name: value for name, _, value in headers}
    if all(kind == _RAW for name, kind, _ in headers if name in _STANDARD):
        return unfolded(Record.of(by_name, body))
    return Record(b"", body, by_name)
