"""Which records of the main topic are resolved, as far as can be seen from outside."""

from __future__ import annotations

from wakuwaku.deadletter import DeadLetter
from wakuwaku.testing.ledger import Ledger
from wakuwaku.testing.trace import Appended, CallEnded, CallStarted, Dropped, Nature, Outcome, Trace

__all__ = ["Resolved"]


class Resolved:
    """Keep the resolved offsets: what went through, is a dead letter, is in the retry topic, or is ignored."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._calls: dict[int, CallStarted] = {}
        self.kept_from = 0  # retention took what was before
        self.ledger = Ledger(trace.config.retry_delays)
        self.offsets = {fact.offset for fact in trace.facts.values() if fact.nature is Nature.IGNORED}

    def see(self, one: object) -> None:
        """Take in what happened."""
        if isinstance(one, CallStarted):
            self._calls[one.call] = one
        elif isinstance(one, CallEnded):
            if one.outcome is Outcome.OK:
                self.offsets.update(self._calls[one.call].offsets)
        elif isinstance(one, Dropped):
            self.kept_from = max(self.kept_from, one.first)
        elif isinstance(one, Appended) and one.topic == self._trace.dead:
            self.offsets.update(DeadLetter.from_record(record).offset for record in one.records)
        elif isinstance(one, Appended) and one.topic == self._trace.retries:
            self.ledger.add(one.base, self._trace.retry_items(one))
            for state in self.ledger.keys.values():
                self.offsets |= state.sources
