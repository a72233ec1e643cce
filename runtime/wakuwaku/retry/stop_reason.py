"""Why an execution ended."""

from __future__ import annotations

import enum
from typing import final

__all__ = ["StopReason"]


@final
class StopReason(enum.Enum):
    """Tell why an execution ended; few and stable, so good as a metric label."""

    SUCCESS = "success"
    MAX_ATTEMPTS = "max_attempts"
    NOT_RETRYABLE = "not_retryable"
    DEADLINE = "deadline"
    BUDGET = "budget"
    BACKOFF_STOP = "backoff_stop"
    EXHAUSTED_ONLY = "exhausted_only"
    NESTED = "nested"
    CIRCUIT_OPEN = "circuit_open"
    VETOED = "vetoed"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    DEFERRED = "deferred"
    TERMINATED = "terminated"
