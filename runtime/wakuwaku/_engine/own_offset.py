"""Store a consumer's offset in one partition, and notice where somebody else does so too."""

from __future__ import annotations

from collections import deque

from wakuwaku._engine.tenure import Tenure
from wakuwaku.errors import ConsumerStoppedError
from wakuwaku.log import Log

__all__ = ["OwnOffset"]

#: Own values that are remembered: a log of several servers may tell one of a moment ago.
_REMEMBERED = 64


class OwnOffset:
    """Load and store the offset of a consumer in one partition of a topic.

    Under a lease the log itself keeps others from storing. On a log that keeps no leases each store looks first whether
    what is stored is one of its own values. If not, another instance of this consumer is at work on the partition, or
    a server came back from a crash with less than it had acknowledged.
    """

    def __init__(self, log: Log, consumer: str, topic: str, partition: int, tenure: Tenure) -> None:
        self._log = log
        self._place = (consumer, topic, partition)
        self._tenure = tenure
        self._own: deque[int | None] = deque(maxlen=_REMEMBERED)

    async def load(self) -> int | None:
        """Return the stored offset. Raises `LogError`."""
        offset = await self._log.load_offset(*self._place)
        self._own.append(offset)
        return offset

    async def store(self, offset: int) -> None:
        """Store an offset; after a passing error it may be stored or not, and the call may be made again.

        Raises `LogError`, and `ConsumerStoppedError` when somebody else stored one.
        """
        if self._tenure.unguarded:
            await self._check()
        self._own.append(offset)
        consumer, topic, partition = self._place
        await self._log.store_offset(consumer, topic, partition, offset, lease=self._tenure.lease)

    async def _check(self) -> None:
        stored = await self._log.load_offset(*self._place)
        if stored is not None and stored not in self._own:
            consumer, topic, partition = self._place
            raise ConsumerStoppedError(
                f"{topic}/{partition} ({consumer}): somebody else stored offset {stored}, here it was {self._own[-1]}: "
                "another instance of this consumer is at work on the partition, the offset was set by hand, or the log "
                "lost records. Stop the other instance, then start this one again"
            )
