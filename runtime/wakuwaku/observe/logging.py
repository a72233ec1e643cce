"""Write what the core notes to the logger ``wakuwaku``. No line ever holds a record's body."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from wakuwaku._core.commands import (
    DeadReason,
    Latched,
    Note,
    OffsetsSkipped,
    RecordRefused,
    RecordsBuried,
    Unlatched,
)
from wakuwaku.errors import LogError

__all__ = ["Place", "log_note", "log_unavailable", "logger"]

logger = logging.getLogger("wakuwaku")


_BURIED = {
    DeadReason.UNDECODABLE_BODY: "dropping an undecodable record",
    DeadReason.UNRECOVERABLE: "dropping chunk after unrecoverable handler failure",
    DeadReason.GAVE_UP: "giving up retry",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Say which partition a line is about."""

    topic: str
    partition: int
    consumer: str

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition} ({self.consumer})"


def log_note(note: Note, place: Place) -> None:
    """Write one note."""
    match note:
        case RecordRefused(dead):
            logger.error(
                "%s: record at offset %d goes to the dead letters: %s", place, dead.offset, dead.failure.message
            )
        case RecordsBuried(reason, failure, offsets):
            logger.error(
                "%s: %s: %s raised %s; %d records from offset %d on go to the dead letters: %s",
                place,
                _BURIED[reason],
                failure.handler or "the decoder",
                failure.error_type,
                len(offsets),
                offsets[0],
                failure.message,
            )
        case OffsetsSkipped(first, last):
            logger.warning("%s: the log holds no records from offset %d to %d", place, first, last)
        case Latched(handler):
            logger.warning("%s: %s says nothing would succeed right now; reading pauses", place, handler)
        case Unlatched(handler, seconds):
            logger.warning("%s: %s went through after %.1f s; reading goes on", place, handler, seconds)
        case _:
            raise AssertionError(note)


def log_unavailable(doing: str, error: LogError, delay: float, place: Place) -> None:
    """Write that the log did not answer and when it is asked again."""
    logger.warning("%s: %s failed, next try in %g s: %s", place, doing, delay, error)
