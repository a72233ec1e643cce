"""What can happen to a partition, told in the past tense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from wakuwaku._core.commands import Dead, Failure
from wakuwaku._core.plan import Entry
from wakuwaku.headers import Record

__all__ = [
    "DeadAppended",
    "Input",
    "KeyAbandoned",
    "KeyFinished",
    "KeyTaken",
    "OffsetStored",
    "Polled",
    "Replayed",
    "RetryAppended",
    "RetryOffsetStored",
    "Started",
    "StopRequested",
    "TransientFailed",
    "TransientPassed",
    "Woke",
]


class Replayed(msgspec.Struct, frozen=True):
    """These records of the retry topic were there at the start, from behind the stored retry offset on."""

    offsets: Sequence[int]
    records: Sequence[Record]


class Started(msgspec.Struct, frozen=True):
    """The partition may begin: all of the retry topic was replayed."""


class Polled(msgspec.Struct, frozen=True):
    """A poll returned records at these offsets, ascending; none at the end of the log."""

    offsets: Sequence[int]
    records: Sequence[Record]


class Woke(msgspec.Struct, frozen=True):
    """The time the partition slept for has come."""


class KeyTaken(msgspec.Struct, frozen=True, gc=False):
    """A worker is free for a ready key."""

    key: int


class KeyFinished(msgspec.Struct, frozen=True):
    """All that was handed out for a key is done, but for what is named here.

    `dead` goes to the dead letters. `unfinished` is to be tried again, in this order and with these orderings, because
    a run failed: `failed` has the main offsets of the runs that did, `failure` says how the first of them did.
    """

    key: int
    dead: Sequence[Dead] = ()
    unfinished: Sequence[Entry] = ()
    failed: frozenset[int] = frozenset()
    failure: Failure | None = None


class KeyAbandoned(msgspec.Struct, frozen=True):
    """What was handed out for a key ended without an outcome: cancelled, or left behind by a stop.

    `kept` has the offsets of what is certainly not done: no handler got it, or the one that did said that it failed.
    `dead` goes to the dead letters. Whether the rest was handled nobody knows.
    """

    key: int
    kept: frozenset[int] = frozenset()
    dead: Sequence[Dead] = ()


class TransientFailed(msgspec.Struct, frozen=True, gc=False):
    """A handler said that nothing would succeed right now; its chunk waits in place."""

    key: int
    handler: str


class TransientPassed(msgspec.Struct, frozen=True, gc=False):
    """The chunk that waited in place went through, or failed in another way."""

    key: int


class DeadAppended(msgspec.Struct, frozen=True, gc=False):
    """The dead letters of the last `AppendDead` are durable."""


class RetryAppended(msgspec.Struct, frozen=True, gc=False):
    """The records of the last `AppendRetry` are durable, the first of them at this offset of the retry topic."""

    base: int


class RetryOffsetStored(msgspec.Struct, frozen=True, gc=False):
    """The offset of the last `StoreRetryOffset` is durable."""


class OffsetStored(msgspec.Struct, frozen=True, gc=False):
    """The offset of the last `StoreOffset` is durable."""


class StopRequested(msgspec.Struct, frozen=True, gc=False):
    """No new work may start; what runs may finish."""


Input: TypeAlias = (
    Replayed
    | Started
    | Polled
    | Woke
    | KeyTaken
    | KeyFinished
    | KeyAbandoned
    | TransientFailed
    | TransientPassed
    | DeadAppended
    | RetryAppended
    | RetryOffsetStored
    | OffsetStored
    | StopRequested
)
