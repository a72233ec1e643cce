"""What a partition is told at its start."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import final

import msgspec

from wakuwaku._core.schedule import GiveUp
from wakuwaku.algebra import Algebra

__all__ = ["DeliveryMode", "Settings", "UnknownEvents"]


@final
class DeliveryMode(enum.Enum):
    """Say which of the two a crash may do: repeat events, or lose them."""

    NO_EVENT_LOSE = "no_event_lose"
    NO_DOUBLE_CONSUME = "no_double_consume"


@final
class UnknownEvents(enum.Enum):
    """Say what becomes of a record whose tag no handler of the bundle knows."""

    DEAD_LETTER = "dead_letter"
    SKIP = "skip"
    STOP = "stop"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Set what a partition does and how much it holds; durations in seconds.

    `algebras` has the registered algebra of every tag that is handled. Tags in `ignored` are passed over on purpose;
    `unknown` says what becomes of a tag that is in neither. `failures_in_a_row` keys may fail for good one after
    another before the partition stops, since then it is not the events that are wrong. `retry_delays` has the delay
    before each attempt of a quarantined key. `retry_concurrency` keys are attempted at a time. `move_span` is how many
    records of the retry topic the oldest pending one may hold back the stored retry offset.
    """

    algebras: Mapping[int, Algebra]
    ignored: frozenset[int] = frozenset()
    unknown: UnknownEvents = UnknownEvents.DEAD_LETTER
    failures_in_a_row: int = 1000
    mode: DeliveryMode = DeliveryMode.NO_EVENT_LOSE
    retry_delays: Sequence[float] = (2.0, 4.0, 8.0, 16.0)
    on_give_up: GiveUp = GiveUp.CONTINUE
    poll_count: int = 1000
    poll_interval: float = 0.1
    idle_interval: float = 1.0
    max_in_flight: int = 10_000
    max_pending_retry: int = 100_000
    retry_concurrency: int = 10
    move_span: int = 100_000
