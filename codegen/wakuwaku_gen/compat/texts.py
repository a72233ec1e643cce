"""Texts that obey one set of constraints and are likely to break another."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import rstr

from wakuwaku_gen.model.schema import Constraints

__all__ = ["LONGEST", "lengths", "texts"]

#: Lengths beyond this are not tried: building them would take longer than anyone waits.
LONGEST: Final = 100_000
_WORDS: Final = ("", "a", "A", "0", " ", "-", "é", "abc", "ABC", "1234", "a b", "a-1", "\n", "x" * 40)
_SAMPLES: Final = 60


def lengths(*limits: Constraints) -> list[int]:
    """Return lengths near every bound, the shortest first."""
    ends = [end for of in limits for end in (of.min_length, of.max_length) if end is not None]
    near = {0, 1, 2, *(end + step for end in ends for step in (-1, 0, 1))}
    return sorted(length for length in near if 0 <= length <= LONGEST)


def texts(limits: Constraints, against: Constraints) -> Iterator[str]:
    """Return texts with the pattern of `limits`, if it has one, of lengths near the bounds of both; plain ones first.

    Not all of them obey `limits`: the caller keeps those that do.
    """
    sizes = lengths(limits, against)
    seeds = _WORDS if limits.pattern is None else _matching(limits.pattern)
    yield from seeds
    yield from (f"{seed}\n" for seed in seeds)  # `$` also matches before a line feed at the end
    if against.pattern is not None:
        yield from _matching(against.pattern)
    for seed in dict.fromkeys(("", *seeds[:8])):
        for size in sizes:
            yield seed + "a" * (size - len(seed))
            yield "a" * (size - len(seed)) + seed


@lru_cache(maxsize=1000)
def _matching(pattern: str) -> tuple[str, ...]:
    """Return texts in which a pattern is found, the shortest first; none when it is beyond what can be made."""
    maker = rstr.Rstr(random.Random(0))  # noqa: S311 - the same texts in every run
    found: set[str] = set()
    for _ in range(_SAMPLES):
        try:
            found.add(maker.xeger(pattern))
        except Exception:  # noqa: BLE001 - look-arounds and the like; then other texts have to do
            break
    return tuple(sorted(found, key=lambda text: (len(text), text)))
