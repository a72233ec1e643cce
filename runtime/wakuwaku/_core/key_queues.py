"""What waits and what runs for each key with work on the main topic: one batch of a key at most is under way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from wakuwaku._core.plan import Entry

__all__ = ["KeyQueues"]


class _KeyQueue:
    __slots__ = ("running", "waiting")

    def __init__(self) -> None:
        self.waiting: list[Entry] = []
        self.running: list[Entry] = []


class KeyQueues:
    """Keep the queue of each key that has work; a key is known from its first record until it is let go."""

    def __init__(self) -> None:
        self.running = 0  # keys with a batch under way
        self._keys: dict[int, _KeyQueue] = {}

    def put(self, handled: Iterable[tuple[int, Entry]]) -> list[int]:
        """Queue records at their keys, and return the keys that had no work before."""
        ready: list[int] = []
        keys = self._keys
        for key, entry in handled:
            queue = keys.get(key)
            if queue is None:
                queue = keys[key] = _KeyQueue()
                ready.append(key)
            queue.waiting.append(entry)
        return ready

    def take(self, key: int) -> list[Entry]:
        """Begin a batch with everything that waits for a key."""
        queue = self._keys[key]
        queue.running, queue.waiting = queue.waiting, []
        self.running += 1
        return queue.running

    def end(self, key: int) -> Sequence[Entry]:
        """End a key's batch and return it; what waits goes on waiting."""
        queue = self._keys[key]
        ended, queue.running = queue.running, []
        self.running -= 1
        return ended

    def abandon(self, key: int, kept: Collection[int]) -> None:
        """End a key's batch as one that was cut short: it stays under way, but for the offsets in `kept`.

        Those wait again. So nothing newer of the key starts.
        """
        queue = self._keys[key]
        queue.waiting[:0] = [entry for entry in queue.running if entry.offset in kept]
        self.running -= 1

    def more(self, key: int) -> bool:
        """Tell whether more waits for a key without a batch, and let go of one that has nothing."""
        if self._keys[key].waiting:
            return True
        del self._keys[key]
        return False

    def waiting(self, key: int) -> Sequence[Entry]:
        """Return what waits for a key."""
        return self._keys[key].waiting

    def idle(self) -> list[int]:
        """Return the keys with no batch under way."""
        return [key for key, queue in self._keys.items() if not queue.running]

    def let_go(self, key: int) -> None:
        """Forget a key, and what waits for it."""
        del self._keys[key]
