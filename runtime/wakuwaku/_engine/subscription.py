"""What a consumer reads, who handles it, and the names of what goes with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wakuwaku._core.settings import Settings
from wakuwaku._engine.patience import attempt_delays
from wakuwaku._engine.routing import Binding, tags_of
from wakuwaku.config import ConsumerConfig

__all__ = ["Subscription", "retry_topic"]

#: Workers of their own for quarantined keys, so that failing keys never take those of healthy ones.
_RETRY_CONCURRENCY = 10


def retry_topic(topic: str, consumer: str, *, shared: bool = False) -> str:
    """Return the name of a consumer's retry topic, or of the one that the Rust system's consumers share."""
    return f"retry_{topic}" if shared else f"retry_{topic}_{consumer}"


@dataclass(frozen=True, slots=True)
class Subscription:
    """Say what a consumer reads and who handles it; `wall` tells Unix time in seconds."""

    topic: str
    bindings: Mapping[int, Binding]
    ignored: frozenset[int]
    config: ConsumerConfig
    wall: Callable[[], float] = time.time

    def settings(self) -> Settings:
        """Return what the machine of a partition is told."""
        config = self.config
        return Settings(
            algebras=tags_of(self.bindings),
            ignored=self.ignored,
            unknown=config.unknown_events,
            failures_in_a_row=config.failures_in_a_row,
            mode=config.mode,
            retry_delays=attempt_delays(config.retry_delays),
            on_give_up=config.on_give_up,
            poll_count=config.poll_count,
            poll_interval=config.poll_interval,
            idle_interval=max(config.idle_interval, config.poll_interval),
            max_in_flight=config.max_in_flight,
            max_pending_retry=config.max_pending_retry,
            retry_concurrency=min(_RETRY_CONCURRENCY, config.concurrency),
            move_span=config.max_pending_retry,
        )
