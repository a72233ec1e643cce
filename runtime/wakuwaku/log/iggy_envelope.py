"""Fold a record that Iggy could not hold as it is into one that it can, and unfold it again.

A message of Iggy has a body of at least one byte, and headers with names and values of 1 to 255 bytes that take up to
100 000 bytes together. Events, retry records and dead letters keep within that. What does not, such as a foreign record
that is moved here from another log, travels whole in the body of a message with the one header ``wakuwaku-folded``
(version = 1), which only this package unfolds.
"""

from __future__ import annotations

from typing import Final

import msgspec

from wakuwaku.headers import Record

__all__ = ["FOLDED_HEADER", "folded", "unfolded"]

FOLDED_HEADER: Final = "wakuwaku-folded"

_VERSION: Final = b"\x01"
_MAX_FIELD: Final = 255
_MAX_HEADERS: Final = 100_000
#: Bytes of a header besides its name and value, and of the three standard headers together.
_FIELDS: Final = 10
_STANDARD: Final = 83

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Record)


def folded(record: Record) -> Record:
    """Return a record as Iggy can hold it: itself, or one that has it in its body."""
    if record.body and (record.extra is None or _fit(record.extra)):
        return record
    return Record(b"", _ENCODER.encode(record), {FOLDED_HEADER: _VERSION})


def unfolded(record: Record) -> Record:
    """Return the record that another one has in its body, or the record itself when it has none, or nothing sound."""
    if record.head or record.extra is None or record.extra.get(FOLDED_HEADER) != _VERSION:
        return record
    try:
        return _DECODER.decode(record.body)
    except msgspec.DecodeError:
        return record


def _fit(headers: dict[str, bytes]) -> bool:
    total = _STANDARD
    for name, value in headers.items():
        name_length, value_length = len(name.encode()), len(value)
        if not (1 <= name_length <= _MAX_FIELD and 1 <= value_length <= _MAX_FIELD):
            return False
        total += name_length + value_length + _FIELDS
    return FOLDED_HEADER not in headers and total <= _MAX_HEADERS
