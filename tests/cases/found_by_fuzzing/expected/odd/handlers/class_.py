"""Apply Class."""

from wakuwaku import Batch, stub

from ..contracts import ClassContract
from ..events import Class


class ClassHandler(ClassContract):
    """Apply Class."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Class]) -> None:
        """Apply one only's events, in log order, neighbours combined into one."""
        raise NotImplementedError
