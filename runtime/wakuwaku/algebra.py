"""Algebras: the law the events of one type and key obey, and so how a run of them may shrink."""

from __future__ import annotations

import enum
from typing import final

__all__ = ["Algebra"]


@final
class Algebra(enum.IntEnum):
    """Name a law; the value is the byte on the wire.

    ======================  ==============================  ==========================================
    algebra                 law for events of one key       what the handler sees of a run
    ======================  ==============================  ==========================================
    NON_ASSOCIATIVE         none                            every event
    ASSOCIATIVE             ``s·a·b = s·combine(a, b)``     one event, folded in log order
    IDEMPOTENT              applying twice = once           equal *neighbours* collapse
    COMMUTATIVE             order does not matter           every event
    IDEMPOTENT_COMMUTATIVE  both                            all equal events collapse
    ======================  ==============================  ==========================================
    """

    NON_ASSOCIATIVE = 0
    ASSOCIATIVE = 1
    IDEMPOTENT = 2
    COMMUTATIVE = 3
    IDEMPOTENT_COMMUTATIVE = 4
