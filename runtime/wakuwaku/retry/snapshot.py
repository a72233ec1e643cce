"""Contexts as plain values, for caches that outlive the process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wakuwaku.retry.immutable import Immutable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wakuwaku.retry.failure import FailureSummary

__all__ = ["RetrySnapshot"]


class RetrySnapshot(Immutable):
    """Hold everything a context needs to go on later, elsewhere.

    Times are wall-clock seconds since the epoch, because no other clock outlives a process. A snapshot pickles when the
    attributes and the state of a backoff policy of one's own do.
    """

    def __init__(
        self,
        *,
        label: str | None,
        retry_count: int,
        failure: FailureSummary | None,
        opened_at: float,
        not_before: float | None,
        total_delay: float,
        exhausted_only: bool,
        no_recovery: bool,
        registered: bool,
        refusal: str | None,
        backoff_state: Any,
        attributes: Mapping[str, object],
        children: Mapping[str, RetrySnapshot],
    ) -> None:
        self.label = label
        self.retry_count = retry_count
        self.failure = failure
        self.opened_at = opened_at
        self.not_before = not_before
        self.total_delay = total_delay
        self.exhausted_only = exhausted_only
        self.no_recovery = no_recovery
        self.registered = registered
        self.refusal = refusal
        self.backoff_state = backoff_state
        self.attributes = dict(attributes)
        self.children = dict(children)
