"""`move_into`: import an export into any log, with offsets of its own."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from wakuwaku.errors import LogError
from wakuwaku.log.export_format import RecordLine, StoredLine, TopicLine, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wakuwaku.headers import Record
    from wakuwaku.log.protocol import Log

__all__ = ["move_into"]

#: Records of one append.
BATCH: Final = 1_000


async def move_into(log: Log, lines: Iterable[bytes]) -> int:
    """Append the records of an export to a log, store what consumers stored, and return how many records there were.

    Topics are created, or must be empty and of the same shape. Each partition keeps its order, and gets offsets as the
    log gives them; a stored offset becomes that of the same record, or of the last one before it. A consumer with no
    record before its offset gets none stored, and so begins at the first. It is not one transaction: after an error,
    begin anew with empty topics. Nobody else may write to the topics meanwhile.

    Raises `LogFormatError` for lines that are no export, `LogError` for a topic that is not empty, and what the log
    raises.
    """
    movers: dict[tuple[str, int], _Mover] = {}
    count = 0
    for _, line in read_lines(lines):
        match line:
            case TopicLine(name=name, partitions=partitions):
                await log.create_topic(name, partitions)
                for partition in range(partitions):
                    bounds = await log.bounds(name, partition)
                    if bounds.first != bounds.end:
                        raise LogError(
                            f"partition {partition} of topic {name!r} holds records; begin with an empty one"
                        )
                    movers[name, partition] = _Mover(log, name, partition)
            case RecordLine():
                await movers[line.topic, line.partition].add(line)
                count += 1
            case StoredLine(consumer=consumer, topic=topic, partition=partition, offset=offset):
                moved = await movers[topic, partition].moved(offset)
                if moved is not None:
                    await log.store_offset(consumer, topic, partition, moved)
            case _:
                pass  # nothing of it is kept
    for mover in movers.values():
        await mover.flush()
    return count


class _Mover:
    """Append the records of one partition in batches, and know where each of them went."""

    def __init__(self, log: Log, topic: str, partition: int) -> None:
        self._log = log
        self._topic = topic
        self._partition = partition
        self._pending: list[tuple[int, Record]] = []
        # Stretches of records, by old offset, with what is added to get the new one.
        self._starts: list[int] = []
        self._shifts: list[int] = []
        self._last = -1

    async def add(self, line: RecordLine) -> None:
        """Take the next record."""
        self._pending.append((line.offset, line.record))
        if len(self._pending) >= BATCH:
            await self.flush()

    async def flush(self) -> None:
        """Append what waits."""
        if not self._pending:
            return
        base = await self._log.append(self._topic, self._partition, [record for _, record in self._pending])
        if base is None:  # this log does not tell, and nobody else writes here
            base = (await self._log.bounds(self._topic, self._partition)).end - len(self._pending)
        for new, (old, _) in enumerate(self._pending, start=base):
            if not self._shifts or self._shifts[-1] != new - old:
                self._starts.append(old)
                self._shifts.append(new - old)
            self._last = new
        self._pending = []

    async def moved(self, offset: int) -> int | None:
        """Return the new offset of the last record at or before an old one, or None when there is no such record."""
        await self.flush()
        stretch = bisect_right(self._starts, offset) - 1
        if stretch < 0:
            return None
        end = (
            self._starts[stretch + 1] + self._shifts[stretch + 1] if stretch + 1 < len(self._starts) else self._last + 1
        )
        return min(offset + self._shifts[stretch], end - 1)
