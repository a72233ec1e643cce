"""Apply ParcelPacked."""

from wakuwaku import Batch, stub

from ..contracts import ParcelPackedContract
from ..events import ParcelPacked


class ParcelPackedHandler(ParcelPackedContract):
    """Apply ParcelPacked."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[ParcelPacked]) -> None:
        """Apply one parcel's events, in log order."""
        raise NotImplementedError
