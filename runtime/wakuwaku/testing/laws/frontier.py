"""How far a consumer is, and how much it holds."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku.config import DeliveryMode
from wakuwaku.testing.laws.resolved import Resolved
from wakuwaku.testing.trace import LifeStarted, Read, Stored, Trace

__all__ = ["bounded", "frontier"]


def frontier(trace: Trace) -> Iterator[str]:
    """Check that no stored offset passes an unresolved record.

    Resolved is what went through, is a dead letter, or is in the retry topic. In NO_DOUBLE_CONSUME the main offset is
    stored before records are handed out; there the law is about the retry offset, which passes no pending record.
    """
    resolved = Resolved(trace)
    for one in trace.happened:
        resolved.see(one)
        if not isinstance(one, Stored):
            continue
        if one.topic == trace.retries:
            first = resolved.ledger.first_pending()
            if first is not None and first <= one.offset:
                yield f"retry offset {one.offset} was stored, {first} is pending"
        elif trace.config.mode is DeliveryMode.NO_EVENT_LOSE:
            left = set(range(resolved.kept_from, one.offset + 1)) - resolved.offsets
            if left:
                yield f"offset {one.offset} was stored, {sorted(left)} are not resolved"


def bounded(trace: Trace) -> Iterator[str]:
    """Check that no more is held than the configuration allows, and that a full backlog stops the reading.

    A life holds fewer than `max_in_flight` unresolved records when it reads `poll_count` more. Together with what waits
    in quarantine they are at most `max_pending_retry`, or what one life may hold when nothing waits. In
    NO_DOUBLE_CONSUME a life that starts behind records an earlier one had diverted reads its way up to them all the
    same, since their attempts wait for the offset.
    """
    config = trace.config
    most = config.max_in_flight - 1 + config.poll_count
    most_of_all = max(config.max_pending_retry, most)
    resolved = Resolved(trace)
    read: set[int] = set()
    stored = -1
    catching_up = 0
    for one in trace.happened:
        resolved.see(one)
        if isinstance(one, LifeStarted):
            read = set()
            if config.mode is DeliveryMode.NO_DOUBLE_CONSUME:
                diverted = [source for state in resolved.ledger.keys.values() for source in state.sources]
                catching_up = max(0, 1 + max(diverted, default=-1) - stored)
        elif isinstance(one, Stored) and one.topic == trace.topic:
            stored = one.offset
        elif isinstance(one, Read) and one.topic == trace.topic:
            read.update(one.offsets)
            held = len(read - resolved.offsets)
            if held > most:
                yield f"{held} records were held, at most {most} may be"
            if held + resolved.ledger.records > most_of_all + catching_up:
                yield f"{held} records were held and {resolved.ledger.records} in quarantine, of {most_of_all}"
