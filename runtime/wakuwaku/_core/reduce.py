"""Shrink a run by its algebra before the handler sees it.

======================  =====================================================================
algebra                 what is left
======================  =====================================================================
NON_ASSOCIATIVE         every event
COMMUTATIVE             every event
IDEMPOTENT              of equal *neighbours* the first (``a b a`` stays)
IDEMPOTENT_COMMUTATIVE  of equal events one, at the place of the last
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
    """Fold halves and join them at their edges: a rule that makes longer and longer values copies each few times."""
    folded, sources = _fold_stretch(events, 0, len(events), combine)
    return Reduced(folded, sources)


def _fold_stretch(
    events: Sequence[E], start: int, end: int, combine: Callable[[E, E], E | None]
) -> tuple[list[E], list[range]]:
    if end - start == 1:
        return [events[start]], [range(start, end)]
    middle = (start + end) // 2
    folded, sources = _fold_stretch(events, start, middle, combine)
    later, later_sources = _fold_stretch(events, middle, end, combine)
    combined = combine(folded[-1], later[0])
    if combined is not None:
        folded[-1] = combined
        sources[-1] = range(sources[-1].start, later_sources[0].stop)
        del later[0], later_sources[0]
    return folded + later, sources + later_sources


def _collapse_neighbours(events: Sequence[E]) -> Reduced[E]:
    kept = [0, *(position for position in range(1, len(events)) if events[position] != events[position - 1])]
    if len(kept) == len(events):
        return Reduced(events, _Singles(len(events)))
    ends = [*kept[1:], len(events)]
    return Reduced(
        [events[position] for position in kept], [range(start, end) for start, end in zip(kept, ends, strict=True)]
    )


def _collapse_all(events: Sequence[E]) -> Reduced[E]:
    """Keep one of all equal events, at the place of the last.

    So a handler that notes the offset up to which it has applied events may pass over what lies before it.
    """
    groups: dict[E, list[int]] = {}
    try:
        for position, event in enumerate(events):
            positions = groups.pop(event, [])
            positions.append(position)
            groups[event] = positions
    except TypeError:  # an event that holds a mapping compares but does not hash
        return _collapse_all_by_equality(events)
    return Reduced(list(groups), list(groups.values()))


def _collapse_all_by_equality(events: Sequence[E]) -> Reduced[E]:
    kept: list[E] = []
    sources: list[list[int]] = []
    for position, event in enumerate(events):
        if event in kept:
            index = kept.index(event)
            positions = sources.pop(index)
            del kept[index]
        else:
            positions = []
        positions.append(position)
        kept.append(event)
        sources.append(positions)
    return Reduced(kept, sources)
