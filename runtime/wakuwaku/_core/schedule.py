"""When a quarantined key is tried again, and when it is given up.

With delays d0, d1 … dn-1: the first attempt is due d0 after the failure; after failed attempt k (from 1) the next is
due dk later; after attempt n the key is given up. So a list of n delays gives n attempts, each after its delay.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import final

__all__ = ["GiveUp", "exhausted"]


@final
class GiveUp(enum.Enum):
    """Say what becomes of a key whose attempts are used up."""

    CONTINUE = "continue"
    """The records of the failed runs go to the dead letters, the key's other records are tried at once."""

    PARK = "park"
    """The key stays in quarantine until an operator acts; what arrives for it waits behind."""

    STOP = "stop"
    """The partition stops."""


def exhausted(delays: Sequence[float], failed_attempts: int) -> bool:
    """Tell whether no attempt is left."""
    return failed_attempts >= len(delays)
