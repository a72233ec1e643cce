"""The contiguous edge of what is done: the only offset a consumer may store.

Law: the edge never passes an offset that was added and not resolved. Offsets the log left out (gaps) count as done.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence

__all__ = ["Frontier"]

_TRIM_AFTER = 4096  # resolved flags kept before the front of a stretch is cut off


class Frontier:
    """Track which offsets of a partition are resolved.

    One byte per offset between the edge and the newest: a record that stays unresolved for long costs a byte for each
    that is resolved behind it. Offsets are added in ascending order; each is resolved once.
    """

    __slots__ = ("_cursor", "_edge", "_flags", "_starts", "pending")

    def __init__(self, edge: int | None) -> None:
        self._edge = edge
        self._starts: deque[int] = deque()  # stretches without a gap: first offset, and a flag per offset
        self._flags: deque[bytearray] = deque()
        self._cursor = 0  # everything before it in the first stretch is resolved
        self.pending = 0

    def add(self, offsets: Sequence[int]) -> None:
        """Take in offsets that must be resolved, ascending and newer than all before."""
        self.pending += len(offsets)
        if isinstance(offsets, range):
            self._extend(offsets.start, len(offsets))
            return
        start = length = 0
        for offset in offsets:
            if length and offset == start + length:
                length += 1
            else:
                self._extend(start, length)
                start, length = offset, 1
        self._extend(start, length)

    def _extend(self, start: int, length: int) -> None:
        if not length:
            return
        if self._starts and start == self._starts[-1] + len(self._flags[-1]):
            self._flags[-1].extend(bytes(length))
        else:
            self._starts.append(start)
            self._flags.append(bytearray(length))

    def resolve(self, offsets: Iterable[int]) -> None:
        """Mark offsets as done."""
        starts, flags = self._starts, self._flags
        if len(starts) == 1:
            only, start = flags[0], starts[0]
            for offset in offsets:
                only[offset - start] = 1
                self.pending -= 1
            return
        for offset in offsets:
            index = bisect_right(starts, offset) - 1
            flags[index][offset - starts[index]] = 1
            self.pending -= 1

    def first_pending(self) -> int | None:
        """Return the first offset that is not resolved, or None."""
        self.edge()
        return self._starts[0] + self._cursor if self._starts else None

    def end(self) -> int:
        """Return the offset behind the newest that was added; 0 when there is none."""
        if self._starts:
            return self._starts[-1] + len(self._flags[-1])
        return 0 if self._edge is None else self._edge + 1

    def edge(self) -> int | None:
        """Return the last offset at or below which everything is resolved, or None when there is none yet."""
        while self._flags:
            flags, start = self._flags[0], self._starts[0]
            undone = flags.find(0, self._cursor)
            if undone < 0:
                self._edge = start + len(flags) - 1
                self._flags.popleft()
                self._starts.popleft()
                self._cursor = 0
                continue
            if undone:
                self._edge = start + undone - 1
            self._cursor = undone
            if undone > _TRIM_AFTER:
                del flags[:undone]
                self._starts[0] = start + undone
                self._cursor = 0
            break
        return self._edge
