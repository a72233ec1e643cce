"""What is known of one quarantined key."""

from __future__ import annotations

import enum

from wakuwaku._core.journal import Pending

__all__ = ["QuarantinedKey", "Stage"]


class Stage(enum.Enum):
    """Say where a quarantined key stands."""

    WAITING = "waiting"  # for its due time, or for its first record to be durable
    STARTING = "starting"  # "attempt started" is being written
    READY = "ready"  # a worker may take it
    RUNNING = "running"
    ENDING = "ending"  # how the attempt ended is being written
    MOVING = "moving"  # its records are being written again at the end
    PARKED = "parked"  # given up, until an operator acts


class QuarantinedKey:
    """Hold what is known of one quarantined key; times are monotonic seconds."""

    __slots__ = ("attempts", "copies", "due", "last_handed", "on_the_way", "pending", "since", "stage", "up_to")

    def __init__(self, *, since: float, due: float) -> None:
        self.pending: dict[int, Pending] = {}  # by retry offset, in order
        self.copies: dict[int, tuple[int, Pending]] = {}  # by main offset, while replaying: written once more
        self.last_handed = -1  # the newest retry offset of the attempt that is under way
        self.on_the_way = 0  # records in the outbox or in flight
        self.attempts = 0  # failed so far
        self.since = since
        self.due = due
        self.stage = Stage.WAITING
        self.up_to = -1  # the newest main offset that was written for it

    def handed(self) -> list[tuple[int, Pending]]:
        """Return what the attempt that is under way works on, with retry offsets."""
        return [(at, pending) for at, pending in self.pending.items() if at <= self.last_handed]

    def last_up_to(self, stored: int) -> int | None:
        """Return the retry offset of the last record before the first one whose main offset is above `stored`."""
        last = None
        for at, pending in self.pending.items():
            if pending.entry.offset > stored:
                break
            last = at
        return last
