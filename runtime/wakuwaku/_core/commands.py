"""What a partition wants done, told in the imperative, and the values that go with it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from wakuwaku._core.plan import Segment
from wakuwaku._core.schedule import GiveUp
from wakuwaku.headers import Record

__all__ = [
    "AppendDead",
    "AppendRetry",
    "AttemptFailed",
    "BacklogDrained",
    "BacklogFull",
    "Command",
    "Dead",
    "DeadReason",
    "Failure",
    "Finish",
    "GaveUp",
    "Latched",
    "Note",
    "OffsetsSkipped",
    "Poll",
    "QuarantineLifted",
    "Quarantined",
    "QueueKeys",
    "RecordRefused",
    "RecordsBuried",
    "RunKey",
    "SleepUntil",
    "Stop",
    "StoreOffset",
    "StoreRetryOffset",
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
    """Hold a record on its way to the dead letters; `retry` when `offset` is one of the retry topic."""

    offset: int
    record: Record
    reason: DeadReason
    failure: Failure
    retry: bool = False


class Poll(msgspec.Struct, frozen=True, gc=False):
    """Read up to `count` records of the main topic from `offset` on, and answer with `Polled`."""

    offset: int
    count: int


class SleepUntil(msgspec.Struct, frozen=True, gc=False):
    """Answer with `Woke` at this monotonic time, in seconds; a later command of this kind takes its place."""

    at: float


class QueueKeys(msgspec.Struct, frozen=True):
    """Have workers take these keys, in this order, each answered with `KeyTaken` when a worker is free.

    Keys whose attempt is due have workers of their own, so that failing keys never take those of healthy ones.
    """

    keys: Sequence[int]
    retry: bool = False


class RunKey(msgspec.Struct, frozen=True):
    """Execute the segments of a key, one after another, and answer with `KeyFinished` or `KeyAbandoned`.

    `attempt` is 0 for records of the main topic, and the number of the attempt, from 1, for those of the retry topic.
    """

    key: int
    segments: Sequence[Segment]
    attempt: int = 0


class AppendDead(msgspec.Struct, frozen=True):
    """Write dead letters, and answer with `DeadAppended` once they are durable."""

    dead: Sequence[Dead]


class AppendRetry(msgspec.Struct, frozen=True):
    """Write records to the retry topic in one append, and answer with `RetryAppended` once they are durable."""

    records: Sequence[Record]


class StoreOffset(msgspec.Struct, frozen=True, gc=False):
    """Store the consumer's offset in the main topic, and answer with `OffsetStored`."""

    offset: int


class StoreRetryOffset(msgspec.Struct, frozen=True, gc=False):
    """Store the consumer's offset in the retry topic, and answer with `RetryOffsetStored`."""

    offset: int


class Stop(msgspec.Struct, frozen=True):
    """End the partition with this reason once it is drained, which `Finish` tells: a policy asks for it."""

    reason: str


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


class Quarantined(Note, frozen=True):
    """A run of a key failed; the key waits for another attempt with this many records."""

    key: int
    failure: Failure
    records: int
    due_in: float


class AttemptFailed(Note, frozen=True):
    """Attempt number `attempt` of a quarantined key failed; the next is due in this many seconds."""

    key: int
    attempt: int
    failure: Failure
    due_in: float


class GaveUp(Note, frozen=True):
    """The attempts of a quarantined key are used up."""

    key: int
    attempts: int
    failure: Failure
    policy: GiveUp


class QuarantineLifted(Note, frozen=True, gc=False):
    """Nothing of a key is pending any more, after this many seconds."""

    key: int
    seconds: float


class BacklogFull(Note, frozen=True, gc=False):
    """No more is polled: this many records wait in the retry topic."""

    records: int


class BacklogDrained(Note, frozen=True, gc=False):
    """Polling goes on: there is room in the retry topic again."""

    records: int


class Latched(Note, frozen=True, gc=False):
    """No more is polled: a handler waits in place for something that every key needs."""

    handler: str


class Unlatched(Note, frozen=True, gc=False):
    """Polling goes on: the handler that waited in place went through after this many seconds."""

    handler: str
    seconds: float


Command: TypeAlias = (
    Poll
    | SleepUntil
    | QueueKeys
    | RunKey
    | AppendDead
    | AppendRetry
    | StoreOffset
    | StoreRetryOffset
    | Stop
    | Finish
    | Note
)
