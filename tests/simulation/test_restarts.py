"""What a key's handler sees over a crash, told exactly."""

from __future__ import annotations

import pytest

from tests.simulation.scenes import CRASH_AT_REST, FAILS, OK, START, STOP_AT_REST, TRANSIENT, calls, run
from wakuwaku import Algebra, Ordering
from wakuwaku._core.plan import Entry
from wakuwaku._core.quarantine import Quarantine
from wakuwaku.config import DeliveryMode, GiveUp
from wakuwaku.headers import Record, encode_head
from wakuwaku.testing.laws import violations
from wakuwaku.testing.trace import Stopped

STUCK, HEALED = 1, 2


def test_a_key_that_healed_never_sees_old_events_again_while_another_is_stuck() -> None:
    """The stuck key holds the retry offset back, so that a restart reads the healed key's old records again."""
    trace = run(
        keys=[(0.0, STUCK), (0.0, HEALED), (5.0, HEALED), (6.0, HEALED)],
        scripts={0: [FAILS] * 9, 1: [FAILS]},
        lives=[CRASH_AT_REST, CRASH_AT_REST],
        retry_delays=(1.0, 60.0, 60.0),
    )
    assert calls(trace, HEALED) == [
        (0.0, 1, 1, "main", "retryable"),
        (1.0, 1, 1, "retry", "ok"),
        (5.5, 1, 2, "main", "ok"),
        (6.2, 1, 3, "main", "ok"),
    ]
    assert [call[3] for call in calls(trace, STUCK)] == ["main", *["retry"] * 3]
    assert not violations(trace)


def test_in_no_double_consume_quarantined_events_survive_a_restart_and_run_once() -> None:
    trace = run(
        keys=[(0.0, STUCK), (0.0, STUCK), (1.0, HEALED)],
        scripts={0: [FAILS]},
        lives=[CRASH_AT_REST],
        mode=DeliveryMode.NO_DOUBLE_CONSUME,
        retry_delays=(60.0,),
    )
    assert calls(trace, STUCK) == [
        (0.0, 1, 0, "main", "retryable"),
        (60.0, 2, 0, "retry", "ok"),
        (60.0, 2, 1, "retry", "ok"),
    ]
    assert calls(trace, HEALED) == [(1.5, 1, 2, "main", "ok")]
    assert not violations(trace)


def test_in_no_event_lose_a_handler_that_a_crash_cut_short_runs_again() -> None:
    trace = run([(0.0, STUCK)], {0: [FAILS._replace(outcome=None), OK]}, [CRASH_AT_REST])
    assert calls(trace, STUCK) == [(0.0, 1, 0, "main", "crash"), (45.0, 2, 0, "main", "ok")]


def test_in_no_double_consume_a_handler_that_a_crash_cut_short_does_not_run_again() -> None:
    mode = DeliveryMode.NO_DOUBLE_CONSUME
    trace = run([(0.0, STUCK)], {0: [FAILS._replace(outcome=None), OK]}, [CRASH_AT_REST], mode=mode)
    assert calls(trace, STUCK) == [(0.0, 1, 0, "main", "crash")]


def test_in_no_event_lose_an_attempt_that_a_crash_cut_short_counts() -> None:
    """A record that ends the process each time is given up, like one that fails each time."""
    hangs = FAILS._replace(outcome=None)
    trace = run([(0.0, STUCK)], {0: [FAILS, hangs, hangs]}, [CRASH_AT_REST] * 2, retry_delays=(1.0, 1.0))
    assert calls(trace, STUCK) == [
        (0.0, 1, 0, "main", "retryable"),
        (1.0, 1, 0, "retry", "crash"),
        (45.0, 2, 0, "retry", "crash"),
    ]
    assert not violations(trace)


def test_in_no_double_consume_an_attempt_that_a_crash_cut_short_is_over() -> None:
    hangs = FAILS._replace(outcome=None)
    mode = DeliveryMode.NO_DOUBLE_CONSUME
    trace = run([(0.0, STUCK)], {0: [FAILS, hangs]}, [CRASH_AT_REST], mode=mode, retry_delays=(1.0,))
    assert [call[4] for call in calls(trace, STUCK)] == ["retryable", "crash"]
    assert not violations(trace)


@pytest.mark.parametrize("mode", DeliveryMode)
def test_a_stop_ends_a_wait_in_place_and_the_event_runs_again(mode: DeliveryMode) -> None:
    """The handler said that it failed, so nothing would be done twice."""
    trace = run([(0.0, STUCK)], {0: [TRANSIENT]}, [STOP_AT_REST], mode=mode, retry_delays=(60.0,))
    assert [(life, outcome) for _, life, _, _, outcome in calls(trace, STUCK)] == [(1, "transient"), (2, "ok")]
    assert not violations(trace)


@pytest.mark.parametrize(("mode", "again"), list(zip(DeliveryMode, ([0, 1, 2], [1, 2]), strict=True)))
def test_a_stop_without_time_loses_nothing_but_what_its_handlers_have(mode: DeliveryMode, again: list[int]) -> None:
    """All three were handed out for the key at once, and the handler had the first of them when it was cancelled."""
    hangs = FAILS._replace(outcome=None)
    trace = run([(0.0, STUCK)] * 3, {0: [hangs]}, [STOP_AT_REST], mode=mode, retry_delays=(1.0,))
    first, *others = calls(trace, STUCK)
    assert (first[2], first[4]) == (0, "cancelled")
    assert [(offset, outcome) for _, _, offset, _, outcome in others] == [(offset, "ok") for offset in again]
    assert not violations(trace)


def test_a_policy_that_ends_the_partition_waits_for_handlers_that_run() -> None:
    """The other key's handler takes a second longer than the last attempt of the key that is given up."""
    trace = run(
        [(0.0, STUCK), (0.0, HEALED)],
        {0: [FAILS, FAILS], 1: [OK._replace(seconds=2.0)]},
        mode=DeliveryMode.NO_DOUBLE_CONSUME,
        retry_delays=(1.0,),
        on_give_up=GiveUp.STOP,
    )
    assert calls(trace, HEALED) == [(0.0, 1, 1, "main", "ok")]
    (stopped, *_) = (one for one in trace.happened if isinstance(one, Stopped))
    assert stopped.at == START + 2.0
    assert not violations(trace)


def test_an_attempt_waits_until_the_offset_behind_its_records_is_stored() -> None:
    """NO_DOUBLE_CONSUME: should the process end after the attempt, the main topic must not give the record again."""
    quarantine = Quarantine((1.0,), stored=None, wall_offset=0.0)
    record = Record(encode_head(1, 7, Ordering.RELAXED, Algebra.NON_ASSOCIATIVE), b"")
    quarantine.shut_in(7, [Entry(3, 1, 1, record), Entry(4, 1, 1, record)], 0.0)
    quarantine.next_append()
    quarantine.appended(0, 0.0)
    quarantine.begin_due(1.0, 10, stored=2)
    assert quarantine.next_append() == []
    quarantine.begin_due(1.0, 10, stored=3)
    assert len(quarantine.next_append()) == 1
    assert [pending.entry.offset for _, pending in quarantine.keys[7].handed()] == [3]
