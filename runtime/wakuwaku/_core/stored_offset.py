"""An offset of a consumer that its log keeps: what is stored, what is being stored, and when storing is worth it."""

from __future__ import annotations

__all__ = ["StoredOffset"]


class StoredOffset:
    """Know one stored offset; at most one call to store it is under way."""

    __slots__ = ("_coming", "known")

    def __init__(self, known: int | None) -> None:
        self.known = known  # to be stored
        self._coming: int | None = None

    @property
    def under_way(self) -> bool:
        """Tell whether it is being stored."""
        return self._coming is not None

    def store(self, offset: int) -> None:
        """Take in that this offset is being stored."""
        self._coming = offset

    def stored(self) -> None:
        """Take in that it is durable."""
        self.known, self._coming = self._coming, None

    def worth_storing(self, edge: int | None, *, step: int, at_rest: bool) -> int | None:
        """Return the edge when it moved by `step`, or at all when nothing more will move it soon; else None."""
        if edge is None or edge == self.known:
            return None
        return edge if at_rest or edge - self.or_none_yet() >= step else None

    def or_none_yet(self) -> int:
        """Return the offset, -1 when none is stored."""
        return -1 if self.known is None else self.known
