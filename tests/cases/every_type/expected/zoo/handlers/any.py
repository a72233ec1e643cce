"""Apply Any."""

from wakuwaku import Batch, stub

from ..contracts import AnyContract
from ..events import Any


class AnyHandler(AnyContract):
    """Apply Any."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Any]) -> None:
        """Apply one cage's events, in log order."""
        raise NotImplementedError
