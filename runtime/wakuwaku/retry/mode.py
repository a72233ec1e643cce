"""How tests switch pauses off and cap attempts without touching the code under test."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["TestMode", "retry_testing", "test_mode"]


class TestMode(NamedTuple):
    """Hold what a test asked for."""

    no_delay: bool
    max_attempts: int | None


test_mode: ContextVar[TestMode | None] = ContextVar("wakuwaku.retry.test_mode", default=None)


@contextmanager
def retry_testing(*, no_delay: bool = True, max_attempts: int | None = None) -> Generator[None]:
    """Make every execution in this thread or task pause for no time, and stop after `max_attempts` at the latest.

    Tests that run at the same time in other threads or tasks do not see it. Raise ValueError for a limit below 1.
    """
    if max_attempts is not None and max_attempts < 1:
        raise ValueError(f"max_attempts must be 1 or more, not {max_attempts}")
    token = test_mode.set(TestMode(no_delay, max_attempts))
    try:
        yield
    finally:
        test_mode.reset(token)
