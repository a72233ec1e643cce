"""`Retention`: how long the records of a topic are kept."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Retention"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Say which records of a topic may go; one reason is enough, and without any all are kept for ever.

    `max_age` lets go of records that were appended longer ago, in seconds; `max_bytes` of the oldest of a partition
    when it holds more, counted as they are stored; `drop_consumed` of those that every consumer is done with.

    Whatever it says, a record stays as long as a named consumer has it to read: one that stored an offset in the topic
    or took a lease on it, in any partition. So do the last records of a partition, since they tell where it goes on.
    Raises `ValueError` for a number below 0.
    """

    max_age: float | None = None
    max_bytes: int | None = None
    drop_consumed: bool = False

    def __post_init__(self) -> None:
        if self.max_age is not None and not 0 <= self.max_age < float("inf"):
            raise ValueError(f"max_age is a number of seconds, 0 or more, not {self.max_age}")
        if self.max_bytes is not None and self.max_bytes < 0:
            raise ValueError(f"max_bytes is 0 or more, not {self.max_bytes}")
