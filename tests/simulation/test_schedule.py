"""When a key that fails is tried, to the second, across restarts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.simulation.scenes import CRASH_AT_REST, FAILS, TRANSIENT, calls, run
from tests.simulation.schedule import instants, table

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "failures.md"


@pytest.mark.parametrize(
    ("delays", "called"),
    [
        ((2.0,), [0.0, 2.0]),
        ((2.0, 4.0), [0.0, 2.0, 6.0]),
        ((2.0, 4.0, 8.0, 16.0), [0.0, 2.0, 6.0, 14.0, 30.0]),
    ],
)
def test_each_delay_is_followed_by_one_attempt(delays: Sequence[float], called: Sequence[float]) -> None:
    """The call that fails first, then one attempt for each delay, each that much after the failure before it."""
    assert [at for at, _ in instants(delays, crashes=0)] == called


@pytest.mark.parametrize(
    ("delays", "crashes", "called"),
    [
        ((60.0,), 1, [(0.0, 1), (60.0, 2)]),
        ((10.0, 60.0), 1, [(0.0, 1), (10.0, 1), (70.0, 2)]),
        ((10.0, 20.0, 40.0, 80.0), 3, [(0.0, 1), (10.0, 1), (30.0, 1), (70.0, 2), (150.0, 4)]),
    ],
)
def test_a_restart_changes_neither_the_number_of_attempts_nor_their_times(
    delays: Sequence[float], crashes: int, called: Sequence[tuple[float, int]]
) -> None:
    assert instants(delays, crashes) == called


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_wall_clock_that_jumped_meanwhile_moves_an_attempt_by_one_delay_at_most(jump: float) -> None:
    """Forward the key is due at the start of the next life, backward one delay behind it."""
    life = CRASH_AT_REST._replace(wall_jump=jump)
    trace = run([(0.0, 1)], {0: [FAILS]}, [life], retry_delays=(60.0,))
    assert [call[0] for call in calls(trace, 1)] == [0.0, 45.0 if jump > 0 else 105.0]


def test_a_transient_failure_waits_in_place_and_the_last_delay_repeats() -> None:
    trace = run([(0.0, 1)], {0: [TRANSIENT] * 4}, retry_delays=(1.0, 2.0))
    assert [call[0] for call in calls(trace, 1)] == [0.0, 1.0, 3.0, 5.0, 7.0]


def test_the_page_has_the_table_that_the_simulator_makes() -> None:
    """When this fails, put the table of `tests.simulation.schedule.table()` into the page."""
    assert table() in PAGE.read_text(encoding="utf-8")
