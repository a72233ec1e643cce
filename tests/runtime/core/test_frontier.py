"""The frontier: only what is contiguously done may be stored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wakuwaku._core.frontier import Frontier


def test_nothing_is_done_before_anything_was_added() -> None:
    assert Frontier(None).edge() is None


def test_the_stored_offset_is_the_first_edge() -> None:
    assert Frontier(41).edge() == 41


def test_the_end_is_behind_the_newest_offset() -> None:
    frontier = Frontier(None)
    assert frontier.end() == 0
    frontier.add([3, 4, 9])
    assert frontier.end() == 10
    frontier.resolve([3, 4, 9])
    assert frontier.edge() == 9
    assert frontier.end() == 10


def test_the_edge_waits_for_the_first_unresolved_offset() -> None:
    frontier = Frontier(None)
    frontier.add(range(5))
    frontier.resolve([1, 2, 4])
    assert frontier.edge() is None
    frontier.resolve([0])
    assert frontier.edge() == 2
    frontier.resolve([3])
    assert frontier.edge() == 4
    assert frontier.pending == 0


def test_a_gap_in_the_log_counts_as_done_once_what_is_before_it_is() -> None:
    frontier = Frontier(None)
    frontier.add([3, 4, 10_000_000_000, 10_000_000_001])
    frontier.resolve([10_000_000_000])
    assert frontier.edge() is None
    frontier.resolve([3, 4])
    assert frontier.edge() == 10_000_000_000


def test_long_stretches_are_trimmed_and_stay_right() -> None:
    frontier = Frontier(None)
    frontier.add(range(20_000))
    for offset in range(19_999):
        frontier.resolve([offset])
        assert frontier.edge() == offset
    assert sum(len(flags) for flags in frontier._flags) <= 5_000
    assert frontier.pending == 1


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.data())
def test_the_edge_is_the_last_offset_before_the_first_unresolved_one(gaps: list[int], data: st.DataObject) -> None:
    offsets: list[int] = []
    for gap in gaps:
        offsets.append((offsets[-1] + 1 if offsets else 0) + gap)
    frontier = Frontier(None)
    unadded = list(offsets)
    unresolved: list[int] = []
    resolved: set[int] = set()
    while unadded or unresolved:
        if unadded and (not unresolved or data.draw(st.booleans())):
            count = data.draw(st.integers(1, len(unadded)))
            page, unadded = unadded[:count], unadded[count:]
            contiguous = page[-1] - page[0] == len(page) - 1
            frontier.add(range(page[0], page[-1] + 1) if contiguous else page)
            unresolved += page
        else:
            offset = unresolved.pop(data.draw(st.integers(0, len(unresolved) - 1)))
            frontier.resolve([offset])
            resolved.add(offset)
        added = offsets[: len(offsets) - len(unadded)]
        done = [offset for n, offset in enumerate(added) if resolved.issuperset(added[: n + 1])]
        assert frontier.edge() == (done[-1] if done else None)
        assert frontier.pending == len(unresolved)
