"""The ten laws over random schedules: fixed seeds, fresh ones, and every seed that once failed."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from wakuwaku.testing import simulate
from wakuwaku.testing.report import check
from wakuwaku.testing.scenario import draw, with_two_instances

_STRETCH = 100
_FAILURES = sorted((Path(__file__).parent / "failures").glob("*.txt"))


@pytest.mark.parametrize("first", range(0, 5_000, _STRETCH))
def test_all_laws_hold_over_random_schedules(first: int) -> None:
    """5 000 fixed seeds; the message names the seed and the command that replays it."""
    for seed in range(first, first + _STRETCH):
        report = simulate(seed)
        assert not report.violations, str(report)


def test_all_laws_hold_over_fresh_schedules() -> None:
    """Seeds that nobody has seen before; a failure prints the one it was."""
    for _ in range(20):
        report = simulate(secrets.randbelow(10**9) + 10**6)
        assert not report.violations, str(report)


@pytest.mark.parametrize("failure", _FAILURES, ids=[path.stem for path in _FAILURES])
def test_a_past_failure_stays_away(failure: Path) -> None:
    """Each file names a seed that broke a law once, and says how."""
    word, seed = failure.read_text().split("\n", 1)[0].split()
    assert word == "seed"
    report = simulate(int(seed))
    assert not report.violations, str(report)


@pytest.mark.parametrize("first", range(0, 300, _STRETCH))
def test_two_instances_at_once_lose_nothing(first: int) -> None:
    """Without a fence between them order is not kept, but in NO_EVENT_LOSE everything is handled."""
    for seed in range(first, first + _STRETCH):
        report = check(with_two_instances(draw(seed)))
        assert not report.violations, str(report)


@pytest.mark.parametrize("first", range(0, 300, _STRETCH))
def test_two_instances_with_leases_keep_what_their_mode_promises(first: int) -> None:
    """One may lose its lease at any moment: the clock that leases end by jumps by up to an hour."""
    for seed in range(first, first + _STRETCH):
        report = check(with_two_instances(draw(seed), lease_seconds=5.0))
        assert not report.violations, str(report)


def test_two_instances_without_a_fence_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that takes what an instance writes after it lost its lease: both hand out the same records."""
    monkeypatch.setattr("wakuwaku.log.memory.check_fence", lambda *_: None)
    reports = (check(with_two_instances(draw(seed), lease_seconds=5.0)) for seed in range(1_000))
    assert any("no event twice" in report.violations for report in reports)


def test_a_seed_does_the_same_again() -> None:
    """Every event of a simulation, its virtual time included, follows from the seed."""
    for seed in range(20):
        first, second = simulate(seed), simulate(seed)
        assert first.trace is not None
        assert second.trace is not None
        assert first.trace.happened == second.trace.happened
