"""`OpenLog`: a log that ends with the `async with` block it was opened for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wakuwaku.log.protocol import Log

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["OpenLog"]


class OpenLog(Log, Protocol):
    """Be a `Log` that is also an async context manager: leaving the block closes it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
