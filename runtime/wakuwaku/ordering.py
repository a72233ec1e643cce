"""Ordering fences: which neighbours of an event must not change places with it.

Two events of one key keep their log order when they have the same type, when the first is ACQUIRE or ACQ_REL, or when
the second is RELEASE or ACQ_REL. Everything else may run side by side.
"""

from __future__ import annotations

import enum
from typing import final

__all__ = ["Ordering"]


@final
class Ordering(enum.IntEnum):
    """Name a fence; the value is the byte on the wire, and its bits 2 and 4 mean acquire and release."""

    RELAXED = 1
    ACQUIRE = 2
    RELEASE = 4
    ACQ_REL = 6

    @property
    def acquires(self) -> bool:
        """Tell whether everything later in the key waits for this event."""
        return bool(self & 2)

    @property
    def releases(self) -> bool:
        """Tell whether this event waits for everything earlier in the key."""
        return bool(self & 4)
