"""The simulator notices bugs: each mutation of the machine or the engine breaks the law it is named for."""

from __future__ import annotations

import pytest

from tests.simulation.mutations import MUTATIONS
from wakuwaku.testing import simulate
from wakuwaku.testing.laws import LAWS


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_bug_is_caught_within_a_thousand_seeds(name: str) -> None:
    mutation = MUTATIONS[name]
    with mutation.applied():
        caught = any(
            mutation.law in simulate(seed).violations for seed in range(mutation.first, mutation.first + 1_000)
        )
    assert caught


def test_every_law_has_a_bug_that_breaks_it() -> None:
    assert {mutation.law for mutation in MUTATIONS.values()} == set(LAWS)
