"""A service that runs: its consumer, the things it is made of, and the order in which both stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wakuwaku.consumer import Consumer, StopReport
from wakuwaku.service.services import Services

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from types import TracebackType
    from typing import Self

__all__ = ["Service"]


class Service(NamedTuple):
    """Be what `ServiceBuilder.start` returns: ``services, consumer = await builder.start(log, config)``.

    Or use it as an async context manager: leaving drains the consumer, leaving on an error aborts it; then everything
    the service owns is closed, the last one first. The log belongs to the caller.
    """

    services: Services
    consumer: Consumer

    async def run_until_stopped(self) -> StopReport:
        """Run until SIGINT or SIGTERM, `shutdown` or `abort`, close everything, and return what was left.

        Raises `ConsumerStoppedError` when a partition stopped on its own.
        """
        return await self._and_close(self.consumer.run_until_stopped())

    async def shutdown(self, timeout: float | None = None) -> StopReport:
        """Drain the consumer as `Consumer.shutdown` does, then close everything; calling it twice is fine.

        When it is cancelled, as by `asyncio.timeout`, what still runs is aborted before anything is closed.
        """
        return await self._and_close(self.consumer.shutdown(timeout))

    async def abort(self) -> StopReport:
        """Cancel what runs, without an outcome, then close everything; calling it twice is fine."""
        return await self._and_close(self.consumer.abort())

    async def _and_close(self, stopping: Coroutine[Any, Any, StopReport]) -> StopReport:
        """Wait for the consumer's end, then close; no handler may run any more when what it uses is closed."""
        async with self.services:
            try:
                return await stopping
            except BaseException:
                await self.consumer.abort()
                raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        async with self.services:
            await self.consumer.__aexit__(kind, error, traceback)
