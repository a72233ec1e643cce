"""Write what the core notes to the logger ``wakuwaku``.

No line holds a record's body, and none above DEBUG the text of an error, which often quotes data.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wakuwaku._core.commands import (
    AttemptFailed,
    BacklogDrained,
    BacklogFull,
    DeadReason,
    Failure,
    GaveUp,
    Latched,
    Note,
    OffsetsSkipped,
    Quarantined,
    QuarantineLifted,
    RecordRefused,
    RecordsBuried,
    Unlatched,
)

__all__ = ["Place", "log_lag", "log_note", "log_unavailable", "log_unguarded", "logger"]

logger = logging.getLogger("wakuwaku")


_BURIED = {
    DeadReason.UNDECODABLE_BODY: "dropping an undecodable record",
    DeadReason.UNRECOVERABLE: "dropping chunk after unrecoverable handler failure",
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
    level, message = _WORDS[type(note)](note)
    logger.log(level, "%s: %s", place, message)
    failure = getattr(note, "failure", None)
    if isinstance(failure, Failure):
        logger.debug("%s: %s said: %s", place, failure.error_type, failure.message)


def _raised(failure: Failure) -> str:
    """Say who raised what. The error's text is left out: it often quotes data, and the dead letter has it."""
    return f"{failure.handler or 'the decoder'} raised {failure.error_type}"


_ERROR, _WARNING, _INFO = logging.ERROR, logging.WARNING, logging.INFO

#: How each kind of note is told: the level and the words.
_WORDS: Mapping[type[Note], Callable[[Any], tuple[int, str]]] = {
    RecordRefused: lambda note: (
        _ERROR,
        f"record at offset {note.dead.offset} goes to the dead letters: {note.dead.failure.message}",
    ),
    RecordsBuried: lambda note: (
        _ERROR,
        f"{_BURIED[note.reason]}: {len(note.offsets)} records from offset {note.offsets[0]} on go to the dead letters; "
        + _raised(note.failure),
    ),
    Quarantined: lambda note: (
        _WARNING,
        f"key {note.key:016x}: {note.records} records wait, first attempt in {note.due_in:g} s; "
        + _raised(note.failure),
    ),
    AttemptFailed: lambda note: (
        _WARNING,
        f"key {note.key:016x}: attempt {note.attempt} failed, next in {note.due_in:g} s; {_raised(note.failure)}",
    ),
    GaveUp: lambda note: (
        _ERROR,
        f"giving up retry of key {note.key:016x} after attempt {note.attempts} ({note.policy.value}); "
        + _raised(note.failure),
    ),
    QuarantineLifted: lambda note: (_INFO, f"key {note.key:016x} is out of quarantine after {note.seconds:.1f} s"),
    BacklogFull: lambda note: (_WARNING, f"{note.records} records wait for another attempt; reading pauses"),
    BacklogDrained: lambda note: (_WARNING, f"{note.records} records wait for another attempt; reading goes on"),
    OffsetsSkipped: lambda note: (_WARNING, f"the log holds no records from offset {note.first} to {note.last}"),
    Latched: lambda note: (_WARNING, f"{note.handler} says nothing would succeed right now; reading pauses"),
    Unlatched: lambda note: (_WARNING, f"{note.handler} went through after {note.seconds:.1f} s; reading goes on"),
}


def log_lag(handler: str, seconds: float) -> None:
    """Write that the event loop stands still, and which handler was called last."""
    logger.warning(
        "the event loop has stood still for %.1f s, in %s: let it await, or make `handle` a plain function, which runs "
        "in a thread",
        seconds,
        handler or "something other than a handler",
    )


def log_unguarded(place: Place) -> None:
    """Write that nothing but its assignment keeps a second instance off a partition."""
    logger.info("%s: this log keeps no leases, so this partition must be given to no other instance", place)


def log_unavailable(doing: str, error: Exception, delay: float, place: Place) -> None:
    """Write that the log did not answer and when it is asked again."""
    logger.warning("%s: %s failed, next try in %g s: %s", place, doing, delay, error)
