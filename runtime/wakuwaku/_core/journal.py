"""The retry topic's bytes: pending records in the Rust system's format, and journal entries of ours between them.

A pending record is the original with its body untouched, its ordering rewritten, and two headers more:

===================  =====  =======================================================================
header               bytes  content
===================  =====  =======================================================================
``wakuwaku-retry``   9      version = 1, u64 little endian: Unix milliseconds when it was written here
``wakuwaku-source``  10     version = 1, u64 little endian: offset in the main topic, original ordering
===================  =====  =======================================================================

A journal entry has the one header ``wakuwaku-journal`` (version = 1) and a MessagePack body. A record without a source
header was written by the Rust system; it is taken as it is.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from wakuwaku._core.plan import Entry
from wakuwaku.errors import HeaderError
from wakuwaku.headers import HEAD, RETRY_HEADER, Record, encode_retry, parse_head, parse_retry
from wakuwaku.ordering import Ordering

__all__ = [
    "JOURNAL_HEADER",
    "SOURCE_HEADER",
    "AttemptEnded",
    "AttemptStarted",
    "JournalEntry",
    "Moved",
    "Pending",
    "decode",
    "encode_entry",
    "encode_pending",
    "original",
]

SOURCE_HEADER: Final = "wakuwaku-source"
JOURNAL_HEADER: Final = "wakuwaku-journal"

_VERSION: Final = 1
_SOURCE: Final = struct.Struct("<BQB")
_ORDERING_AT: Final = HEAD.size - 2  # the byte of `Record.head` that holds the ordering
_NO_SOURCE: Final = -1
_ORDERINGS: Final = frozenset(Ordering)


class AttemptStarted(msgspec.Struct, frozen=True, tag="started", array_like=True):
    """Attempt number `attempt` of a key is about to run with its pending records up to retry offset `last`."""

    key: int
    attempt: int
    last: int
    at_ms: int


class AttemptEnded(msgspec.Struct, frozen=True, tag="ended", array_like=True):
    """An attempt ended: these retry offsets are resolved, `attempts` have failed so far, the next is due at `due_ms`.

    `due_ms` is Unix milliseconds, or None when the key is parked until an operator acts.
    """

    key: int
    attempts: int
    due_ms: int | None
    resolved: Sequence[int]


class Moved(msgspec.Struct, frozen=True, tag="moved", array_like=True):
    """A key's pending records stand before this entry once more, in order; the old ones at `resolved` are void."""

    key: int
    attempts: int
    due_ms: int | None
    up_to: int
    resolved: Sequence[int]


JournalEntry: TypeAlias = AttemptStarted | AttemptEnded | Moved

_ENCODER = msgspec.msgpack.Encoder()
_DECODER: msgspec.msgpack.Decoder[JournalEntry] = msgspec.msgpack.Decoder(JournalEntry)


class Pending(msgspec.Struct, frozen=True):
    """Hold a record of the retry topic that waits for its key's attempts.

    `entry.offset` is its offset in the main topic, negative when the Rust system wrote it; `entry.record` is as it
    stands in the retry topic.
    """

    key: int
    entry: Entry
    failed_at_ms: int


def encode_entry(entry: JournalEntry) -> Record:
    """Encode a journal entry as a record of the retry topic."""
    return Record(b"", _ENCODER.encode(entry), {JOURNAL_HEADER: bytes((_VERSION,))})


def encode_pending(entry: Entry, failed_at_ms: int) -> Record:
    """Encode a record of the main topic for the retry topic, with the ordering of `entry`."""
    head = entry.record.head
    extra = dict(entry.record.extra or {})
    extra[RETRY_HEADER] = encode_retry(failed_at_ms)
    if entry.offset >= 0 and SOURCE_HEADER not in extra:  # it has one when it comes from the retry topic
        extra[SOURCE_HEADER] = _SOURCE.pack(_VERSION, entry.offset, head[_ORDERING_AT])
    return Record(_with_ordering(head, entry.ordering), entry.record.body, extra)


def decode(record: Record) -> Pending | JournalEntry:
    """Read a record of the retry topic; raises `HeaderError` for what is neither."""
    extra = record.extra or {}
    if JOURNAL_HEADER in extra:
        if extra[JOURNAL_HEADER] != bytes((_VERSION,)):
            raise HeaderError(JOURNAL_HEADER, "unknown_version")
        try:
            return _DECODER.decode(record.body)
        except msgspec.DecodeError:
            raise HeaderError(JOURNAL_HEADER, "malformed") from None
    head = parse_head(record)
    if RETRY_HEADER not in extra:
        raise HeaderError(RETRY_HEADER, "missing")
    source = _NO_SOURCE
    if SOURCE_HEADER in extra:
        source, _ = _parse_source(extra[SOURCE_HEADER])
    return Pending(head.key, Entry(source, head.tag, int(head.ordering), record), parse_retry(extra[RETRY_HEADER]))


def original(record: Record) -> Record:
    """Return a pending record as it stood in the main topic, header for header."""
    extra = dict(record.extra or {})
    extra.pop(RETRY_HEADER, None)
    source = extra.pop(SOURCE_HEADER, None)
    head = record.head if source is None else _with_ordering(record.head, _parse_source(source)[1])
    return Record(head, record.body, extra or None)


def _with_ordering(head: bytes, ordering: int) -> bytes:
    return head[:_ORDERING_AT] + bytes((ordering,)) + head[_ORDERING_AT + 1 :]


def _parse_source(value: bytes) -> tuple[int, int]:
    if len(value) != _SOURCE.size:
        raise HeaderError(SOURCE_HEADER, "malformed")
    version, offset, ordering = _SOURCE.unpack(value)
    if version != _VERSION:
        raise HeaderError(SOURCE_HEADER, "unknown_version")
    if ordering not in _ORDERINGS:
        raise HeaderError(SOURCE_HEADER, "malformed")
    return int(offset), int(ordering)
