"""The planner and the reductions against answers of the Rust library."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from wakuwaku._core.plan import Entry, Run, Segment, plan
from wakuwaku._core.reduce import reduce
from wakuwaku.algebra import Algebra
from wakuwaku.headers import Record

VECTORS = Path(__file__).parent / "vectors"
EMPTY = Record(b"", b"")


def lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def positions(run: Run | None) -> list[int] | None:
    return None if run is None else [entry.offset for entry in run]


def shape(segment: Segment) -> list[Any]:
    """Return a segment as the vectors write it, body runs sorted because their order is free."""
    return [positions(segment.head), sorted(positions(run) or [] for run in segment.body), positions(segment.tail)]


@pytest.mark.parametrize("name", ["plan-exhaustive.jsonl", "plan-random.jsonl"])
def test_plans_are_those_of_the_rust_library(name: str) -> None:
    vectors = lines(name)
    assert len(vectors) >= 600
    for vector in vectors:
        keys: dict[int, list[Entry]] = defaultdict(list)
        for offset, (key, tag, ordering) in enumerate(vector["records"]):
            keys[key].append(Entry(offset, tag, ordering, EMPTY))
        ours = [[key, [shape(segment) for segment in plan(entries)]] for key, entries in keys.items()]
        theirs = [
            [key, [[head, sorted(body), tail] for head, body, tail in segments]] for key, segments in vector["plan"]
        ]
        assert ours == theirs, vector["records"]


NAMES = {
    "NonAssociative": Algebra.NON_ASSOCIATIVE,
    "Associative": Algebra.ASSOCIATIVE,
    "Idempotent": Algebra.IDEMPOTENT,
    "Commutative": Algebra.COMMUTATIVE,
    "IdempotentCommutative": Algebra.IDEMPOTENT_COMMUTATIVE,
}


@pytest.mark.parametrize("name", NAMES)
def test_reductions_are_those_of_the_rust_library(name: str) -> None:
    algebra = NAMES[name]
    vectors = lines("reduce.jsonl")
    assert len(vectors) == 400
    for vector in vectors:
        ours = list(reduce(algebra, vector["run"], lambda a, b: a + b).events)
        theirs = vector[name]
        if algebra is Algebra.IDEMPOTENT_COMMUTATIVE:  # comes sorted; any order is right
            ours.sort()
        assert ours == theirs, vector["run"]
