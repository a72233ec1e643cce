"""Shrink a run by its algebra before the handler sees it.

======================  =====================================================================
algebra                 what is left
======================  =====================================================================
NON_ASSOCIATIVE         every event
COMMUTATIVE             every event
IDEMPOTENT              of equal *neighbours* the first (``a b a`` stays)
IDEMPOTENT_COMMUTATIVE  of equal events the first
ASSOCIATIVE             one event, folded in log order; more where two events refuse to combine
======================  =====================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from wakuwaku.algebra import Algebra

__all__ = ["Reduced", "reduce"]

E = TypeVar("E")


class Reduced(Generic[E]):
    """Hold what is left of a run: `events`, and for each the positions of the events that went into it, ascending."""

    __slots__ = ("events", "sources")

    def __init__(self, events: Sequence[E], sources: Sequence[Sequence[int]]) -> None:
        self.events = events
        self.sources = sources


class _Singles(Sequence[Sequence[int]]):
    """Say that every event stands for itself, without a list of lists."""

    __slots__ = ("_length",)

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int | slice) -> Sequence[int] | Sequence[Sequence[int]]:  # type: ignore[override]
        positions = range(self._length)[index]
        return (positions,) if isinstance(positions, int) else [(position,) for position in positions]


def reduce(algebra: Algebra, events: Sequence[E], combine: Callable[[E, E], E | None]) -> Reduced[E]:
    """Reduce the events of one run.

    `combine(earlier, later)` is asked for ASSOCIATIVE runs only; None means that the two stay apart.
    """
    if len(events) < 2 or algebra is Algebra.NON_ASSOCIATIVE or algebra is Algebra.COMMUTATIVE:
        return Reduced(events, _Singles(len(events)))
    if algebra is Algebra.ASSOCIATIVE:
        return _fold(events, combine)
    if algebra is Algebra.IDEMPOTENT:
        return _collapse_neighbours(events)
    return _collapse_all(events)


def _fold(events: Sequence[E], combine: Callable[[E, E], E | None]) -> Reduced[E]:
    folded: list[E] = []
    sources: list[range] = []
    start, accumulated = 0, events[0]
    for position in range(1, len(events)):
        combined = combine(accumulated, events[position])
        if combined is None:
            folded.append(accumulated)
            sources.append(range(start, position))
            start, accumulated = position, events[position]
        else:
            accumulated = combined
    folded.append(accumulated)
    sources.append(range(start, len(events)))
    return Reduced(folded, sources)


def _collapse_neighbours(events: Sequence[E]) -> Reduced[E]:
    kept = [0, *(position for position in range(1, len(events)) if events[position] != events[position - 1])]
    if len(kept) == len(events):
        return Reduced(events, _Singles(len(events)))
    ends = [*kept[1:], len(events)]
    return Reduced(
        [events[position] for position in kept], [range(start, end) for start, end in zip(kept, ends, strict=True)]
    )


def _collapse_all(events: Sequence[E]) -> Reduced[E]:
    try:
        groups: dict[E, list[int]] = {}
        for position, event in enumerate(events):
            groups.setdefault(event, []).append(position)
    except TypeError:  # an event that holds a mapping compares but does not hash
        return _collapse_all_by_equality(events)
    return Reduced(list(groups), list(groups.values()))


def _collapse_all_by_equality(events: Sequence[E]) -> Reduced[E]:
    kept: list[E] = []
    sources: list[list[int]] = []
    for position, event in enumerate(events):
        try:
            sources[kept.index(event)].append(position)
        except ValueError:
            kept.append(event)
            sources.append([position])
    return Reduced(kept, sources)
