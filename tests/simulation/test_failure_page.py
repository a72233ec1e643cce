"""The page about failures names tests as its proof: they are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parents[1] / "docs" / "explanation" / "failures.md"


def test_every_row_of_the_failure_matrix_is_a_test() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8")))
    there = {name for path in TESTS.glob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text())}
    assert len(named) > 10
    assert named <= there
