"""Reductions keep track of which events went into which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakuwaku._core.reduce import reduce
from wakuwaku.algebra import Algebra


def join(earlier: str, later: str) -> str | None:
    """Combine unless a mark says that the two must stay apart."""
    return None if "|" in (earlier[-1], later[0]) else earlier + later


texts = st.lists(st.sampled_from("abc"), max_size=12)


@given(st.sampled_from(Algebra), texts)
def test_every_event_went_into_exactly_one(algebra: Algebra, run: list[str]) -> None:
    reduced = reduce(algebra, run, join)
    assert len(reduced.sources) == len(reduced.events)
    assert sorted(position for sources in reduced.sources for position in sources) == list(range(len(run)))
    assert all(list(sources) == sorted(sources) for sources in reduced.sources)


@given(texts)
def test_a_fold_is_the_fold_of_its_sources(run: list[str]) -> None:
    reduced = reduce(Algebra.ASSOCIATIVE, run, join)
    assert [list(event) for event in reduced.events] == [
        [run[position] for position in sources] for sources in reduced.sources
    ]


def test_events_that_refuse_to_combine_stay_apart_in_order() -> None:
    reduced = reduce(Algebra.ASSOCIATIVE, ["a", "b", "|", "c", "d"], join)
    assert reduced.events == ["ab", "|", "cd"]
    assert [list(sources) for sources in reduced.sources] == [[0, 1], [2], [3, 4]]


def test_only_equal_neighbours_of_an_idempotent_run_collapse() -> None:
    reduced = reduce(Algebra.IDEMPOTENT, ["a", "a", "b", "a"], join)
    assert reduced.events == ["a", "b", "a"]
    assert [list(sources) for sources in reduced.sources] == [[0, 1], [2], [3]]


@pytest.mark.parametrize("run", [["a", "b", "a"], [{"a": 1}, {"b": 1}, {"a": 1}]], ids=["hashable", "unhashable"])
def test_all_equal_events_of_an_idempotent_commutative_run_collapse(run: list[object]) -> None:
    reduced = reduce(Algebra.IDEMPOTENT_COMMUTATIVE, run, lambda _earlier, _later: None)
    assert reduced.events == [run[1], run[0]]
    assert [list(sources) for sources in reduced.sources] == [[1], [0, 2]]


def test_what_is_not_reduced_is_passed_on_as_it_is() -> None:
    run = ["a", "a"]
    reduced = reduce(Algebra.NON_ASSOCIATIVE, run, join)
    assert reduced.events is run
    assert [list(sources) for sources in reduced.sources] == [[0], [1]]
    assert [list(sources) for sources in reduced.sources[1:]] == [[1]]
