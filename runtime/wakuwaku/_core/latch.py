"""Who waits in place for something that every key needs; while anyone does, nothing new is read or attempted."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Latch", "Waiting"]


class Waiting(NamedTuple):
    """Say which handler waits, and since when in monotonic seconds."""

    handler: str
    since: float


class Latch:
    """Keep the keys with a run that waits in place; the runs of one key may wait side by side."""

    def __init__(self) -> None:
        self._waiting: dict[int, Waiting] = {}
        self._runs: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def close(self, key: int, handler: str, now: float) -> bool:
        """Have a run of a key wait; tell whether it is the only one."""
        first = not self._waiting
        self._waiting.setdefault(key, Waiting(handler, now))
        self._runs[key] = self._runs.get(key, 0) + 1
        return first

    def release(self, key: int) -> Waiting | None:
        """Have a run of a key go on; return how the key waited when nobody waits any more."""
        self._runs[key] -= 1
        if self._runs[key]:
            return None
        waited = self.forget(key)
        return None if self._waiting else waited

    def forget(self, key: int) -> Waiting | None:
        """Let go of all runs of a key, if any wait."""
        self._runs.pop(key, None)
        return self._waiting.pop(key, None)

    def longest(self) -> Waiting | None:
        """Return who has waited for longest, or None."""
        return min(self._waiting.values(), key=lambda one: one.since, default=None)
