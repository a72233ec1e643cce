"""The planner keeps every order that is required, and promises no other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.core.records import entry
from wakuwaku._core.plan import Entry, Segment, plan
from wakuwaku.ordering import Ordering

entries = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(Ordering)), max_size=24).map(
    lambda kinds: [entry(offset, tag, ordering) for offset, (tag, ordering) in enumerate(kinds)]
)


def stages(segments: list[Segment]) -> dict[int, tuple[int, int]]:
    """Return for each offset its place in time: segment and stage (head 0, body 1, tail 2)."""
    place: dict[int, tuple[int, int]] = {}
    for number, segment in enumerate(segments):
        for stage, runs in enumerate(([segment.head or []], segment.body, [segment.tail or []])):
            for run in runs:
                place |= {one.offset: (number, stage) for one in run}
    return place


def required(first: Entry, second: Entry) -> bool:
    return first.tag == second.tag or bool(first.ordering & 2) or bool(second.ordering & 4)


def test_nothing_is_planned_for_nothing() -> None:
    assert plan([]) == []


@given(entries)
def test_every_record_is_planned_once(records: list[Entry]) -> None:
    planned = [one.offset for segment in plan(records) for run in segment.runs() for one in run]
    assert sorted(planned) == [one.offset for one in records]


@given(entries)
def test_required_order_is_kept(records: list[Entry]) -> None:
    segments = plan(records)
    place = stages(segments)
    order = {
        one.offset: (run_number, n)
        for run_number, run in enumerate(run for segment in segments for run in segment.runs())
        for n, one in enumerate(run)
    }
    for n, first in enumerate(records):
        for second in records[n + 1 :]:
            if not required(first, second):
                continue
            same_run = order[first.offset][0] == order[second.offset][0]
            assert same_run or place[first.offset] < place[second.offset], (first, second)
            if same_run:
                assert order[first.offset] < order[second.offset]


@given(entries)
def test_a_run_holds_one_type_in_log_order(records: list[Entry]) -> None:
    for segment in plan(records):
        tags = [{one.tag for one in run} for run in segment.runs()]
        assert all(len(kinds) == 1 for kinds in tags)
        assert len(set.union(*tags)) == len(tags)
        for run in segment.runs():
            assert [one.offset for one in run] == sorted(one.offset for one in run)
