"""Plan the records of one key: which runs the handlers get, and what must wait for what.

Laws, for two records of one key, the first earlier in the log:

1. They keep their order when they have the same type, when the first is ACQUIRE or ACQ_REL, or when the second is
   RELEASE or ACQ_REL. Nothing else is promised.
2. A *segment* is a stretch of the log between fences. Segments run one after another.
3. A *run* is all records of one type in one segment, in log order. In a segment the head run goes first, then the body
   runs side by side, then the tail run.

The plan is that of the Rust system, record for record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from wakuwaku.headers import Record

__all__ = ["Entry", "Run", "Segment", "plan"]

_RELAXED = 1
_ACQUIRES = 2  # the bits of `Ordering`, read as plain integers: this is the hot path
_RELEASES = 4


class Entry(msgspec.Struct, frozen=True, gc=False):
    """Hold a record that waits to be handled: where it stands in the main topic and what its headers say."""

    offset: int
    tag: int
    ordering: int
    record: Record


Run: TypeAlias = list[Entry]


class Segment(msgspec.Struct, frozen=True):
    """Hold the runs between two fences."""

    head: Run | None
    body: Sequence[Run]
    tail: Run | None

    def runs(self) -> Iterator[Run]:
        """Yield head, body and tail runs."""
        if self.head is not None:
            yield self.head
        yield from self.body
        if self.tail is not None:
            yield self.tail


class _OpenSegment:
    """Collect the runs of a segment until a fence closes it."""

    __slots__ = ("head", "runs")

    def __init__(self, head: int | None = None) -> None:
        self.head = head
        self.runs: dict[int, Run] = {}

    def join(self, entry: Entry) -> None:
        run = self.runs.get(entry.tag)
        if run is None:
            self.runs[entry.tag] = [entry]
        else:
            run.append(entry)

    def close(self, tail: int | None = None) -> Segment:
        runs = self.runs
        head_run = None if self.head is None else runs.pop(self.head)
        tail_run = None if tail is None or tail == self.head else runs.pop(tail)
        return Segment(head_run, list(runs.values()), tail_run)


def _one_relaxed_run(entries: Sequence[Entry]) -> bool:
    """Tell whether no fence and no second type is among the records: the common case, and a cheap one."""
    if not entries:
        return False
    tag = entries[0].tag
    for entry in entries:  # noqa: SIM110 - `all` would make a generator, on the hot path
        if entry.tag != tag or entry.ordering != _RELAXED:
            return False
    return True


def plan(entries: Sequence[Entry]) -> list[Segment]:
    """Plan records of one key, in log order, into segments.

    Body runs come in order of first appearance. No entry, no segment.
    """
    if _one_relaxed_run(entries):
        return [Segment(None, [list(entries)], None)]
    segments: list[Segment] = []
    current: _OpenSegment | None = None
    for entry in entries:
        tag, ordering = entry.tag, entry.ordering
        if ordering & _ACQUIRES:
            if current is not None:
                segments.append(current.close())
            current = _OpenSegment(head=tag)
            current.join(entry)
        elif ordering & _RELEASES:
            # A run can't be both first and last: a head type that is not alone keeps its segment to itself.
            if current is not None and current.head == tag and len(current.runs) > 1:
                segments.append(current.close())
                current = None
            current = current or _OpenSegment()
            current.join(entry)
            segments.append(current.close(tail=tag))
            current = None
        else:
            current = current or _OpenSegment()
            current.join(entry)
    if current is not None:
        segments.append(current.close())
    return segments
