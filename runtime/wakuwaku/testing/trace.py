"""What happened in a simulation, in order: all that the laws are checked against."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from wakuwaku._core.journal import JournalEntry, Pending, decode
from wakuwaku.config import ConsumerConfig
from wakuwaku.errors import HeaderError
from wakuwaku.headers import Record

__all__ = [
    "Appended",
    "CallEnded",
    "CallStarted",
    "ClockRead",
    "Crashed",
    "Dropped",
    "Fact",
    "Idle",
    "LifeStarted",
    "Nature",
    "Outcome",
    "Published",
    "Read",
    "Recorded",
    "StopAsked",
    "StopReturned",
    "Stopped",
    "Stored",
    "Trace",
]


class Outcome(enum.Enum):
    """Say how a call of a handler ended; a call that a crash cut short has no end."""

    OK = "ok"
    TRANSIENT = "transient"
    RETRYABLE = "retryable"
    UNRECOVERABLE = "unrecoverable"
    CANCELLED = "cancelled"


class Nature(enum.Enum):
    """Say what is to become of a published record."""

    HANDLED = "handled"
    IGNORED = "ignored"
    REFUSED = "refused"  # its headers are bad, or nobody knows its tag
    UNDECODABLE = "undecodable"


class Fact(NamedTuple):
    """Hold what is known of a published record without looking at what a consumer made of it."""

    offset: int
    key: int
    tag: int
    ordering: int
    value: int
    nature: Nature
    record: Record


class Published(NamedTuple):
    """Records before offset `end` are in the main topic."""

    at: float
    life: int
    end: int


class LifeStarted(NamedTuple):
    """A consumer was started."""

    at: float
    life: int


class ClockRead(NamedTuple):
    """A life looked at the wall clock for the first time; `wall_offset` is Unix time minus virtual time then."""

    at: float
    life: int
    wall_offset: float


class Crashed(NamedTuple):
    """A life ended between two steps; nothing of it has an effect any more."""

    at: float
    life: int


class StopAsked(NamedTuple):
    """`shutdown(timeout)` was called."""

    at: float
    life: int
    timeout: float


class StopReturned(NamedTuple):
    """`shutdown` returned, with this many records unresolved."""

    at: float
    life: int
    left: int


class Stopped(NamedTuple):
    """A life stopped on its own, or was aborted since the log could not be reached."""

    at: float
    life: int
    reason: str

    @property
    def by_policy(self) -> bool:
        """Tell whether a policy asked for it."""
        return "was given up after" in self.reason


class Read(NamedTuple):
    """A life read these offsets."""

    at: float
    life: int
    topic: str
    offsets: Sequence[int]


class Appended(NamedTuple):
    """Records became durable, the first of them at `base`."""

    at: float
    life: int
    topic: str
    base: int
    records: Sequence[Record]


class Stored(NamedTuple):
    """A stored offset became durable."""

    at: float
    life: int
    topic: str
    offset: int


class CallStarted(NamedTuple):
    """A handler was called."""

    at: float
    life: int
    call: int
    key: int
    tag: int
    offsets: Sequence[int]
    values: Sequence[int]
    attempt: int
    source: str


class CallEnded(NamedTuple):
    """A call ended."""

    at: float
    life: int
    call: int
    outcome: Outcome


class Idle(NamedTuple):
    """Nothing was ready and time was about to pass; `undisturbed` when no call of the log was under way or failed."""

    at: float
    life: int
    undisturbed: bool


class Dropped(NamedTuple):
    """Retention took every main record before offset `first`."""

    at: float
    life: int
    first: int


Recorded: TypeAlias = (
    Published
    | LifeStarted
    | ClockRead
    | Crashed
    | StopAsked
    | StopReturned
    | Stopped
    | Read
    | Appended
    | Stored
    | CallStarted
    | CallEnded
    | Idle
    | Dropped
)


@dataclass(slots=True)
class Trace:
    """Hold one simulation: what was published, how the consumer was set up, and everything that happened."""

    seed: int
    config: ConsumerConfig
    topic: str
    retries: str
    dead: str
    instances: int = 1
    completed: bool = False
    facts: dict[int, Fact] = field(default_factory=dict)
    happened: list[Recorded] = field(default_factory=list)
    _decoded: dict[int, list[Pending | JournalEntry]] = field(default_factory=dict)

    def retry_items(self, appended: Appended) -> list[Pending | JournalEntry]:
        """Return what an append to the retry topic says, record by record."""
        items = self._decoded.get(id(appended))
        if items is None:
            try:
                items = [decode(record) for record in appended.records]
            except HeaderError as error:
                raise AssertionError(f"the retry topic holds what is no record of ours: {error}") from error
            self._decoded[id(appended)] = items
        return items

    def calls(self) -> Mapping[int, tuple[CallStarted, CallEnded | None]]:
        """Return every call with its end, in order of their starts."""
        calls: dict[int, tuple[CallStarted, CallEnded | None]] = {}
        for one in self.happened:
            if isinstance(one, CallStarted):
                calls[one.call] = (one, None)
            elif isinstance(one, CallEnded):
                calls[one.call] = (calls[one.call][0], one)
        return calls
