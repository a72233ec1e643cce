"""The logs every promise is tried on, and the clock they go by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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


@pytest.fixture(params=["memory", "sqlite"])
async def log(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[OpenLog]:
    """An open log with a topic `orders` of two partitions."""
    path = tmp_path / "events.db"
    opened = MemoryLog(clock=clock) if request.param == "memory" else await SqliteLog.open(path, clock=clock)
    async with opened as log:
        await log.create_topic("orders", 2)
        yield log
