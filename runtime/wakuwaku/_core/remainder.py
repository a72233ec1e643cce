"""What is left of a key's work after a run of it failed, so ordered that planning it again keeps every required order.

In the failed segment, stages before the failed one and runs of the failed stage that are done are left out; failed
runs give what they did not finish; later stages and segments are whole. Runs stand one behind another as the plan had
them, and their fences are rewritten: the first record of a head run acquires, the last of a tail run releases, all
else is relaxed.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wakuwaku._core.plan import Entry, Run, Segment
from wakuwaku.ordering import Ordering

__all__ = ["Stage", "remainder", "rewritten"]

_RELAXED = int(Ordering.RELAXED)
_ACQUIRE = int(Ordering.ACQUIRE)
_RELEASE = int(Ordering.RELEASE)


class Stage(msgspec.Struct, frozen=True):
    """Name a stage of a plan: the number of the segment, and head 0, body 1 or tail 2 in it."""

    segment: int
    step: int


def remainder(segments: Sequence[Segment], failed: Stage, unfinished: Sequence[Run]) -> list[Entry]:
    """Return what is left, in order, with rewritten orderings.

    `unfinished` holds, for each run of the failed stage that failed, the records it did not finish.
    """
    segment = segments[failed.segment]
    left: list[Entry] = []
    for run in unfinished:
        left.extend(rewritten(run, failed.step))
    if failed.step < 1:
        for run in segment.body:
            left.extend(rewritten(run, 1))
    if failed.step < 2 and segment.tail is not None:
        left.extend(rewritten(segment.tail, 2))
    for later in segments[failed.segment + 1 :]:
        for step, runs in enumerate(([later.head or []], later.body, [later.tail or []])):
            for run in runs:
                left.extend(rewritten(run, step))
    return left


def rewritten(run: Run, step: int) -> list[Entry]:
    """Return a run with the orderings its stage calls for: head 0, body 1, tail 2."""
    orderings = [_RELAXED] * len(run)
    if run and step == 0:
        orderings[0] = _ACQUIRE
    elif run and step == 2:
        orderings[-1] = _RELEASE
    return [
        entry if entry.ordering == ordering else msgspec.structs.replace(entry, ordering=ordering)
        for entry, ordering in zip(run, orderings, strict=True)
    ]
