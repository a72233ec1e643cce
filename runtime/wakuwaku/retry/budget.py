"""A limit to retries that many executions share."""

from __future__ import annotations

from threading import Lock

__all__ = ["RetryBudget"]


class RetryBudget:
    """Let retries be a share of the traffic, so that an outage does not multiply the load.

    The budget starts full with `capacity` retries. Each retry takes one; each execution that succeeds gives back
    `ratio` of one. So in a long outage retries stop, and under mild failure they stay below `ratio` of the successes.
    Share one budget among all templates that call the same service. Safe to use from several threads.
    """

    def __init__(self, capacity: float = 100.0, ratio: float = 0.1) -> None:
        if not capacity >= 1:
            raise ValueError(f"capacity must be 1 or more, not {capacity!r}")
        if not 0 <= ratio <= 1:
            raise ValueError(f"ratio is a share from 0 to 1, not {ratio!r}")
        self.capacity = capacity
        self.ratio = ratio
        self._left = float(capacity)
        self._lock = Lock()

    @property
    def left(self) -> float:
        """Return how many retries are left."""
        return self._left

    def take(self) -> bool:
        """Take one retry and return True, or return False when less than one is left."""
        with self._lock:
            if self._left < 1:
                return False
            self._left -= 1
            return True

    def give_back(self) -> None:
        """Credit one success."""
        with self._lock:
            self._left = min(self.capacity, self._left + self.ratio)
