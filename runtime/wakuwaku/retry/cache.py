"""Where contexts of failed items wait until the item comes back."""

from __future__ import annotations

import time
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

from wakuwaku.retry.context import Clock, RetryContext
from wakuwaku.retry.duration import Duration, seconds
from wakuwaku.retry.errors import RetryCacheCapacityExceededError

if TYPE_CHECKING:
    from collections.abc import Hashable, MutableMapping

    from wakuwaku.retry.snapshot import RetrySnapshot

__all__ = ["MapRetryContextCache", "RetryContextCache", "SnapshotRetryContextCache"]


class RetryContextCache(Protocol):
    """Keep contexts by key; used from several threads at once."""

    def get(self, key: Hashable, /) -> RetryContext | None:
        """Return the context of a key, or None."""
        ...

    def put(self, key: Hashable, context: RetryContext, /) -> None:
        """Keep the context; raise RetryCacheCapacityExceededError when a new key has no room."""
        ...

    def remove(self, key: Hashable, /) -> None:
        """Forget the key, if it is there."""
        ...

    def __contains__(self, key: object, /) -> bool: ...


class MapRetryContextCache:
    """Keep contexts in memory.

    A new key raises RetryCacheCapacityExceededError when `capacity` keys wait already; a known one can always be
    updated. With `ttl`, a context that was not updated for that long is gone; circuits stay.
    """

    def __init__(self, capacity: int = 4096, ttl: Duration | None = None, *, clock: Clock = time.monotonic) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be 1 or more, not {capacity}")
        self.capacity = capacity
        self.ttl = None if ttl is None else seconds(ttl, "ttl")
        self._clock = clock
        self._lock = RLock()
        self._kept: dict[Hashable, tuple[float, RetryContext]] = {}

    def get(self, key: Hashable) -> RetryContext | None:
        """Return the context of a key, or None."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            if self._expired(*found):
                del self._kept[key]
                return None
            return found[1]

    def put(self, key: Hashable, context: RetryContext) -> None:
        """Keep the context, and start its time to live anew."""
        with self._lock:
            if key not in self._kept and len(self._kept) >= self.capacity:
                self._drop_expired()
                if len(self._kept) >= self.capacity:
                    raise RetryCacheCapacityExceededError(
                        f"the retry cache holds {self.capacity} keys and has no room for another; "
                        "if fewer items are failing than that, their keys change between presentations"
                    )
            self._kept[key] = (self._clock(), context)

    def remove(self, key: Hashable) -> None:
        """Forget the key, if it is there."""
        with self._lock:
            self._kept.pop(key, None)

    def __contains__(self, key: object) -> bool:
        with self._lock:
            found = self._kept.get(key)
            return found is not None and not self._expired(*found)

    def __len__(self) -> int:
        with self._lock:
            self._drop_expired()
            return len(self._kept)

    def _expired(self, put_at: float, context: RetryContext) -> bool:
        return self.ttl is not None and context.machinery.circuit is None and self._clock() - put_at >= self.ttl

    def _drop_expired(self) -> None:
        if self.ttl is not None:
            for key in [key for key, kept in self._kept.items() if self._expired(*kept)]:
                del self._kept[key]


class SnapshotRetryContextCache:
    """Keep contexts as snapshots in any mapping, such as a `shelve` file or a table, so that counts survive a restart.

    The mapping must be safe for the threads that use it. Contexts of circuits are refused.
    """

    def __init__(
        self,
        store: MutableMapping[Any, RetrySnapshot],
        *,
        clock: Clock = time.monotonic,
        wall: Clock = time.time,
    ) -> None:
        self.store = store
        self._clock = clock
        self._wall = wall

    def get(self, key: Hashable) -> RetryContext | None:
        """Return a context that goes on where the kept one was, or None."""
        value = self.store.get(key)
        return None if value is None else RetryContext.restore(value, clock=self._clock, wall=self._wall)

    def put(self, key: Hashable, context: RetryContext) -> None:
        """Keep a snapshot of the context."""
        self.store[key] = context.snapshot(wall=self._wall)

    def remove(self, key: Hashable) -> None:
        """Forget the key, if it is there."""
        self.store.pop(key, None)

    def __contains__(self, key: object) -> bool:
        return key in self.store
