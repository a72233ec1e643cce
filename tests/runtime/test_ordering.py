"""The two bits of an ordering fence."""

from __future__ import annotations

import pytest

from wakuwaku import Ordering


@pytest.mark.parametrize(
    ("ordering", "acquires", "releases"),
    [
        (Ordering.RELAXED, False, False),
        (Ordering.ACQUIRE, True, False),
        (Ordering.RELEASE, False, True),
        (Ordering.ACQ_REL, True, True),
    ],
)
def test_an_ordering_tells_which_way_it_fences(ordering: Ordering, acquires: bool, releases: bool) -> None:
    """Acquire holds back what is later, release waits for what is earlier, acq_rel does both, relaxed neither."""
    assert (ordering.acquires, ordering.releases) == (acquires, releases)


def test_acq_rel_is_the_bits_of_acquire_and_release() -> None:
    """The byte on the wire is a set of bits, so a remainder can add a fence to an event."""
    assert Ordering.ACQUIRE | Ordering.RELEASE == Ordering.ACQ_REL
