"""Durations as users write them: seconds, or a `timedelta`."""

from __future__ import annotations

from datetime import timedelta
from math import isfinite
from typing import TypeAlias

__all__ = ["Duration", "seconds"]

Duration: TypeAlias = float | timedelta


def seconds(value: Duration, name: str) -> float:
    """Return a duration in seconds; raise ValueError, naming the argument, when it is negative or not finite."""
    length = value.total_seconds() if isinstance(value, timedelta) else float(value)
    if not isfinite(length) or length < 0:
        raise ValueError(f"{name} must be a finite number of seconds, 0 or more, not {value!r}")
    return length
