"""`python -m wakuwaku.testing`: replay one seed, or run a stretch of them."""

from __future__ import annotations

import pytest

from tests.simulation.mutations import MUTATIONS
from wakuwaku.testing.__main__ import main


def test_one_seed_is_told_event_by_event(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["3"]) == 0
    out = capsys.readouterr().out
    assert "LifeStarted(at=1000.0, life=1)" in out
    assert "CallStarted" in out
    assert out.endswith("all laws hold\n")


def test_a_stretch_of_seeds_is_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["0:20"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("seeds 0 to 19: ")
    assert " 0 seeds with violations" in out


def test_a_broken_law_is_named_with_the_command_that_replays_it(capsys: pytest.CaptureFixture[str]) -> None:
    with MUTATIONS["the stored offset passes a running key"].applied():
        assert main(["0:1"]) == 1
        assert main(["0:2"]) == 1
    out = capsys.readouterr().out
    assert "frontier: offset" in out
    assert "again: python -m wakuwaku.testing 0" in out


@pytest.mark.parametrize("arguments", [[], ["x"], ["1", "2"], ["1:x"]])
def test_other_arguments_get_the_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == "usage: python -m wakuwaku.testing SEED | FIRST:END\n"
