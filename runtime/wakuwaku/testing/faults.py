"""A log that fails the way logs do: before the effect, after it, late, or half; seeded, so that it does so again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from wakuwaku.errors import LogUnavailableError
from wakuwaku.headers import Record
from wakuwaku.log import Bounds, Lease, Page, TopicInfo
from wakuwaku.log.memory import MemoryLog
from wakuwaku.log.open_log import OpenLog
from wakuwaku.testing.trace import Appended, Read, Recorded, Stored

__all__ = ["Connection", "DurableLog", "Faults"]

T = TypeVar("T")

#: Calls that a consumer makes before it runs, where a failure is an error for its caller: nothing to be seen there.
_AT_THE_START = frozenset({"topics", "topic", "create_topic"})


@dataclass(frozen=True, slots=True)
class Faults:
    """Say how often a log misbehaves: each is the chance, from 0 to 1, per call.

    `refused` calls fail without an effect, `lost` ones have their effect and fail all the same, `late` ones take up to
    `longest` seconds. `torn` appends keep a prefix and fail: no log that keeps the promise of `Log.append` does that.
    """

    refused: float = 0.0
    lost: float = 0.0
    late: float = 0.0
    longest: float = 1.0
    torn: float = 0.0


class DurableLog(MemoryLog):
    """Be what survives a crash: a log in memory with retention for its topics."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        super().__init__(clock=clock)
        self._first: dict[str, int] = {}

    def drop_before(self, topic: str, first: int) -> None:
        """Let go of all records of a topic before offset `first`."""
        self._first[topic] = max(first, self._first.get(topic, 0))

    async def bounds(self, topic: str, partition: int) -> Bounds:
        """Return which offsets a partition holds now."""
        bounds = await super().bounds(topic, partition)
        return Bounds(min(self._first.get(topic, 0), bounds.end), bounds.end)

    async def read(self, topic: str, partition: int, offset: int, count: int) -> Page:
        """Return up to `count` records from `offset` on, or from the first that is left."""
        return await super().read(topic, partition, max(offset, self._first.get(topic, 0)), count)


class Connection(OpenLog):
    """Be one life's way to the log: faults on the way, every effect noted, and nothing any more once it is `cut`.

    A call on a connection that was cut waits for ever, as a call does that a crash overtook. `undisturbed` tells
    whether no call is under way and none has failed without a good one of its kind since.
    """

    def __init__(
        self,
        log: DurableLog,
        *,
        life: int,
        faults: Faults,
        rng: Random,
        note: Callable[[Recorded], None],
        clock: Callable[[], float],
    ) -> None:
        self._log = log
        self._life = life
        self._faults = faults
        self._rng = rng
        self._note = note
        self._clock = clock
        self._under_way = 0
        self._failed: set[tuple[asyncio.Task[Any] | None, str, str]] = set()  # and not tried again yet, by whom
        self.cut = False

    @property
    def undisturbed(self) -> bool:
        """Tell whether the log is at rest and well."""
        return not self._under_way and not self._failed

    async def topics(self) -> Sequence[TopicInfo]:
        """Return all topics, sorted by name."""
        return await self._call(("topics", ""), self._log.topics)

    async def topic(self, name: str) -> TopicInfo | None:
        """Return a topic, or None when it does not exist."""
        return await self._call(("topic", name), lambda: self._log.topic(name))

    async def create_topic(self, name: str, partitions: int) -> TopicInfo:
        """Create a topic, or return it when it exists."""
        return await self._call(("create_topic", name), lambda: self._log.create_topic(name, partitions))

    async def bounds(self, topic: str, partition: int) -> Bounds:
        """Return which offsets a partition holds now."""
        return await self._call(("bounds", topic), lambda: self._log.bounds(topic, partition))

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        """Append records behind one another."""

        async def effect() -> int | None:
            kept = records
            torn = len(records) > 1 and self._rng.random() < self._faults.torn
            if torn:
                kept = records[: self._rng.randrange(1, len(records))]
            base = await self._log.append(topic, partition, kept, lease=lease)
            if base is not None:
                self._note(Appended(self._clock(), self._life, topic, base, list(kept)))
            if torn:
                raise LogUnavailableError("simulated: only a part of the batch was written")
            return base

        return await self._call(("append", topic), effect)

    async def read(self, topic: str, partition: int, offset: int, count: int) -> Page:
        """Return up to `count` records from `offset` on."""
        page = await self._call(("read", topic), lambda: self._log.read(topic, partition, offset, count))
        self._note(Read(self._clock(), self._life, topic, page.offsets))
        return page

    async def load_offset(self, consumer: str, topic: str, partition: int) -> int | None:
        """Return the offset the consumer stored last, or None."""
        return await self._call(("load_offset", topic), lambda: self._log.load_offset(consumer, topic, partition))

    async def store_offset(
        self, consumer: str, topic: str, partition: int, offset: int, *, lease: Lease | None = None
    ) -> None:
        """Store the last offset that is done."""

        async def effect() -> None:
            await self._log.store_offset(consumer, topic, partition, offset, lease=lease)
            self._note(Stored(self._clock(), self._life, topic, offset))

        await self._call(("store_offset", topic), effect)

    async def lease(self, consumer: str, topic: str, partition: int, *, holder: str, seconds: float) -> Lease:
        """Take, renew or give up a lease."""
        return await self._call(
            ("lease", topic), lambda: self._log.lease(consumer, topic, partition, holder=holder, seconds=seconds)
        )

    async def close(self) -> None:
        """Do nothing: what is durable outlives the connection."""

    async def _call(self, kind: tuple[str, str], effect: Callable[[], Awaitable[T]]) -> T:
        self._under_way += 1
        caller = asyncio.current_task()
        try:
            result = await self._on_the_way(kind, effect)
        except LogUnavailableError:
            self._failed.add((caller, *kind))
            raise
        finally:
            self._under_way -= 1
        self._failed.discard((caller, *kind))
        return result

    async def _on_the_way(self, kind: tuple[str, str], effect: Callable[[], Awaitable[T]]) -> T:
        """Go there, have the effect, come back; a crash may fall between any two of these."""
        chance, faults = self._rng.random, self._faults if kind[0] not in _AT_THE_START else Faults()
        await self._travel()
        if chance() < faults.refused:
            raise LogUnavailableError("simulated: the log can't be reached")
        result = await effect()
        await self._travel()
        if chance() < faults.lost:
            raise LogUnavailableError("simulated: the answer got lost")
        return result

    async def _travel(self) -> None:
        if self._rng.random() < self._faults.late:
            await asyncio.sleep(self._rng.random() * self._faults.longest)
        elif self._rng.random() < 0.5:
            await asyncio.sleep(0)
        if self.cut:
            await asyncio.get_running_loop().create_future()
