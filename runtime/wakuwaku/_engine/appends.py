"""Append to a topic that only this consumer writes to, so that a lost reply is never a second copy."""

from __future__ import annotations

from collections.abc import Sequence

from wakuwaku._engine.tenure import Tenure
from wakuwaku.errors import ConsumerStoppedError
from wakuwaku.headers import Record
from wakuwaku.log import Log

__all__ = ["OwnTopic"]


class OwnTopic:
    """Append to one partition of a topic of the consumer's own.

    After an append without an answer, the next call looks whether the records are there before it sends them again.
    """

    def __init__(self, log: Log, topic: str, partition: int, tenure: Tenure) -> None:
        self._log = log
        self._tenure = tenure
        self.topic = topic
        self.partition = partition
        self._end: int | None = None
        self._in_doubt = False
        self._sole = False

    def expect(self, end: int) -> None:
        """Take it from here that the next record is put at offset `end`, and that nobody else writes here."""
        self._end = end
        self._sole = True

    async def append(self, records: Sequence[Record]) -> int:
        """Append, and return the first record's offset.

        Raises `LogError`; after a passing one call it again. Raises `ConsumerStoppedError` when somebody else wrote in
        between, where `expect` ruled that out.
        """
        if self._end is None:
            self._end = (await self._log.bounds(self.topic, self.partition)).end
        base = await self._find(records) if self._in_doubt else None
        if base is None:
            self._in_doubt = True
            base = await self._log.append(self.topic, self.partition, records, lease=self._tenure.lease)
            if base is None:  # this log does not tell; nobody else writes here
                base = (await self._log.bounds(self.topic, self.partition)).end - len(records)
        if self._sole and base > self._end:
            await self._check_gap(base)
        self._in_doubt = False
        self._end = base + len(records)
        return base

    async def _check_gap(self, base: int) -> None:
        """Tell a gap that the log left from records of another writer."""
        assert self._end is not None  # noqa: S101 - `expect` set it
        if min((await self._log.read(self.topic, self.partition, self._end, 1)).offsets, default=base) < base:
            raise ConsumerStoppedError(
                f"{self.topic}/{self.partition}: somebody else wrote: another instance of this consumer is at work, "
                "or the log kept a part of a batch. Stop the other instance, then start this one again"
            )

    async def _find(self, records: Sequence[Record]) -> int | None:
        """Return where the records are when an append that failed had its effect, or None."""
        assert self._end is not None  # noqa: S101 - `append` asked for it
        offset = self._end
        while page := await self._log.read(self.topic, self.partition, offset, len(records)):
            if list(page.records) == list(records):
                return page.offsets[0]
            offset = page.offsets[0] + 1
        return None
