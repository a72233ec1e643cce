"""The logs every promise is tried on, and the clock they go by."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from tests.iggy_server import needs_iggy, new_log
from wakuwaku.log import MemoryLog, OpenLog, SqliteLog

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


class Clock:
    """A wall clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@contextlib.asynccontextmanager
async def opened(kind: str, folder: Path, clock: Clock) -> AsyncIterator[OpenLog]:
    """Open a new log of a kind."""
    if kind == "iggy":
        async with new_log() as log:
            yield log
    else:
        place = folder / "events.db"
        async with MemoryLog(clock=clock) if kind == "memory" else await SqliteLog.open(place, clock=clock) as log:
            yield log


@pytest.fixture(params=["memory", "sqlite", pytest.param("iggy", marks=needs_iggy)])
async def log(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[OpenLog]:
    """An open log with a topic `orders` of two partitions."""
    async with opened(request.param, tmp_path, clock) as log:
        await log.create_topic("orders", 2)
        yield log


@pytest.fixture(params=["memory", "sqlite"])
async def embedded(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[OpenLog]:
    """An open log of this package itself, with a topic `orders` of two partitions."""
    async with opened(request.param, tmp_path, clock) as log:
        await log.create_topic("orders", 2)
        yield log
