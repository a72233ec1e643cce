"""How a consumer is, as values: for liveness and readiness probes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Health", "PartitionHealth"]


@dataclass(frozen=True, slots=True)
class PartitionHealth:
    """Tell how one partition is; ages in seconds.

    `heartbeat_age` is the age of the last thing that happened to it: at most the idle interval while it polls.
    `waiting_for` names a handler that waits in place for something all keys need, since `waiting_since` seconds.
    `in_flight` records are read and not resolved; `pending_retry` records of `quarantined` keys wait for an attempt.
    """

    partition: int
    heartbeat_age: float
    in_flight: int
    quarantined: int
    pending_retry: int
    waiting_for: str | None
    waiting_since: float | None


@dataclass(frozen=True, slots=True)
class Health:
    """Tell how a consumer is.

    `alive`: every partition runs. `ready`: alive, and no partition waits in place for something all keys need.
    """

    alive: bool
    ready: bool
    partitions: tuple[PartitionHealth, ...]
