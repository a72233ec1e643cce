"""Records for tests of the core, made of their headers alone."""

from __future__ import annotations

from wakuwaku._core.plan import Entry
from wakuwaku.algebra import Algebra
from wakuwaku.headers import Record, encode_head
from wakuwaku.ordering import Ordering


def record(
    key: int, tag: int = 1, ordering: Ordering = Ordering.RELAXED, algebra: Algebra = Algebra.NON_ASSOCIATIVE
) -> Record:
    """Return a record without a body."""
    return Record(encode_head(tag, key, ordering, algebra), b"")


def entry(offset: int, tag: int = 1, ordering: Ordering = Ordering.RELAXED) -> Entry:
    """Return a planned record of some key."""
    return Entry(offset, tag, int(ordering), record(1, tag, ordering))
