"""Apply Optional."""

from wakuwaku import Batch, stub

from ..contracts import OptionalContract
from ..events import Optional


class OptionalHandler(OptionalContract):
    """Apply Optional."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Optional]) -> None:
        """Apply one cage's events, in log order."""
        raise NotImplementedError
