"""What a partition wants done, told in the imperative, and the values that go with it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from wakuwaku._core.plan import Segment
from wakuwaku.headers import Record

__all__ = [
    "AppendDead",
    "Command",
    "Dead",
    "DeadReason",
    "Failure",
    "Finish",
    "Latched",
    "Note",
    "OffsetsSkipped",
    "Poll",
    "QueueKeys",
    "RecordRefused",
    "RecordsBuried",
    "RunKey",
    "SleepUntil",
    "StoreOffset",
    "Unlatched",
]


class DeadReason(enum.Enum):
    """Say why a record went to the dead letters."""

    BAD_HEADER = "bad_header"
    UNKNOWN_TAG = "unknown_tag"
    ALGEBRA_MISMATCH = "algebra_mismatch"
    UNDECODABLE_BODY = "undecodable_body"
    UNRECOVERABLE = "unrecoverable"
    GAVE_UP = "gave_up"


class Failure(msgspec.Struct, frozen=True):
    """Describe an error as bounded text; it never holds the error itself, nor a payload."""

    error_type: str
    message: str
    traceback: str = ""
    handler: str = ""
    attempts: int = 0


class Dead(msgspec.Struct, frozen=True):
    """Hold a record on its way to the dead letters."""

    offset: int
    record: Record
    reason: DeadReason
    failure: Failure


class Poll(msgspec.Struct, frozen=True, gc=False):
    """Read up to `count` records of the main topic from `offset` on, and answer with `Polled`."""

    offset: int
    count: int


class SleepUntil(msgspec.Struct, frozen=True, gc=False):
    """Answer with `Woke` at this monotonic time, in seconds."""

    at: float


class QueueKeys(msgspec.Struct, frozen=True):
    """Have workers take these keys, in this order, each answered with `KeyTaken` when a worker is free."""

    keys: Sequence[int]


class RunKey(msgspec.Struct, frozen=True):
    """Execute the segments of a key, one after another, and answer with `KeyFinished` or `KeyAbandoned`."""

    key: int
    segments: Sequence[Segment]


class AppendDead(msgspec.Struct, frozen=True):
    """Write dead letters, and answer with `DeadAppended` once they are durable."""

    dead: Sequence[Dead]


class StoreOffset(msgspec.Struct, frozen=True, gc=False):
    """Store the consumer's offset in the main topic, and answer with `OffsetStored`."""

    offset: int


class Finish(msgspec.Struct, frozen=True, gc=False):
    """Nothing is left to be done after a stop."""


class Note(msgspec.Struct, frozen=True):
    """Tell a person something; the core never logs."""


class RecordRefused(Note, frozen=True):
    """A record of the main topic can't be handled."""

    dead: Dead


class RecordsBuried(Note, frozen=True):
    """A handler failed for good on these records, or they do not decode."""

    reason: DeadReason
    failure: Failure
    offsets: Sequence[int]


class OffsetsSkipped(Note, frozen=True):
    """The log left out the offsets from `first` to `last`."""

    first: int
    last: int


class Latched(Note, frozen=True, gc=False):
    """No more is polled: a handler waits in place for something that every key needs."""

    handler: str


class Unlatched(Note, frozen=True, gc=False):
    """Polling goes on: the handler that waited in place went through after this many seconds."""

    handler: str
    seconds: float


Command: TypeAlias = Poll | SleepUntil | QueueKeys | RunKey | AppendDead | StoreOffset | Finish | Note
