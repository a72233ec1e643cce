"""Dead letters: what is kept of a record that could not be handled, and where.

A dead letter is one record in the topic ``dead_<topic>_<consumer>``, on the partition the original came from. Its body
is a MessagePack map of `DeadLetter`'s fields, so that it may outgrow a header; its standard headers are the original's,
when those were sound, so that the log's own tools still see key and tag.
"""

from __future__ import annotations

import msgspec

from wakuwaku.errors import DecodeError
from wakuwaku.headers import Record

__all__ = ["DeadLetter", "dead_topic"]


def dead_topic(topic: str, consumer: str) -> str:
    """Return the name of a consumer's dead-letter topic."""
    return f"dead_{topic}_{consumer}"


class DeadLetter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Hold a record that could not be handled, and why.

    `headers` and `body` are the original's, byte for byte. `reason` is one of ``bad_header``, ``unknown_tag``,
    ``algebra_mismatch``, ``undecodable_body``, ``unrecoverable`` and ``gave_up``. `error_type`, `message` and
    `traceback` are bounded text. `attempts` counts the handler's calls, 0 when it was never called. `dead_at_ms` is
    Unix milliseconds.
    """

    version: int = 1
    topic: str
    partition: int
    offset: int
    headers: dict[str, bytes]
    body: bytes
    reason: str
    error_type: str
    message: str
    traceback: str = ""
    handler: str = ""
    attempts: int = 0
    consumer: str
    dead_at_ms: int

    def to_record(self, head: bytes) -> Record:
        """Return the record to append; `head` is the original's standard headers, or empty."""
        return Record(head, _ENCODER.encode(self))

    @classmethod
    def from_record(cls, record: Record) -> DeadLetter:
        """Read a dead letter back; raises `DecodeError`."""
        try:
            return _DECODER.decode(record.body)
        except msgspec.DecodeError as error:
            raise DecodeError(f"not a dead letter: {error}") from error


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(DeadLetter)
