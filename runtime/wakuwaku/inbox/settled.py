"""From which offset on an event may still be handed over: what lies below need not be remembered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from wakuwaku._core.journal import AttemptEnded, Moved, Pending, decode
from wakuwaku.errors import HeaderError, TopicNotFoundError

if TYPE_CHECKING:
    from wakuwaku.log import Log

__all__ = ["settled_below"]

_AT_A_TIME: Final = 1_000


async def settled_below(log: Log, topic: str, consumer: str, partitions: Iterable[int]) -> dict[int, int]:
    """Return for each partition the offset below which nothing will be handed to the consumer again.

    That is what lies behind the stored offset and does not wait in the retry topic. It holds for the records a consumer
    reads by itself; one that an operator takes out of the dead letters was given up, and may come again.

    Raises `LogError` when the log can't be reached.
    """
    below: dict[int, int] = {}
    for partition in partitions:
        stored = await log.load_offset(consumer, topic, partition)
        if stored is not None:
            waiting = await _waiting(log, f"retry_{topic}_{consumer}", consumer, partition)
            below[partition] = min(stored + 1, waiting)
    return below


async def _waiting(log: Log, retries: str, consumer: str, partition: int) -> int:
    """Return the first offset of the main topic that waits for another attempt, or a number behind them all."""
    pending: dict[int, int] = {}
    try:
        done = await log.load_offset(consumer, retries, partition)
        first = (await log.bounds(retries, partition)).first
    except TopicNotFoundError:
        return 1 << 63
    offset = first if done is None else max(done + 1, first)
    while page := await log.read(retries, partition, offset, _AT_A_TIME):
        for at, record in zip(page.offsets, page.records, strict=True):
            try:
                item = decode(record)
            except HeaderError:
                return 0  # whatever this is: on any doubt nothing may be forgotten
            if isinstance(item, Pending):
                pending[at] = item.entry.offset
            elif isinstance(item, AttemptEnded | Moved):
                for resolved in item.resolved:
                    pending.pop(resolved, None)
        offset = page.offsets[-1] + 1
    return min(pending.values(), default=1 << 63)
