"""What a reader of the retry topic knows: which keys are in quarantine, with what, after how many attempts, until when.

Kept apart from the core's own quarantine on purpose: the laws compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from wakuwaku._core.journal import AttemptEnded, AttemptStarted, JournalEntry, Pending
from wakuwaku.config import GiveUp
from wakuwaku.testing.trace import Appended, Trace

__all__ = ["KeyLedger", "Ledger", "gives_up"]


class KeyLedger:
    """Hold what is durable of one key in quarantine; times are Unix milliseconds.

    `due_ms` is None when the key is parked. A record that was on its way when the attempt before it ended may be tried
    at once, from `earliest_ms` on. `inherited` says that the due time was written by an earlier life.
    """

    __slots__ = ("attempts", "due_ms", "earliest_ms", "inherited", "pending", "started")

    def __init__(self, due_ms: int, earliest_ms: int) -> None:
        self.pending: dict[int, int] = {}  # retry offset: main offset
        self.attempts = 0
        self.started: AttemptStarted | None = None  # and not ended
        self.due_ms: int | None = due_ms
        self.earliest_ms = earliest_ms
        self.inherited = False

    @property
    def sources(self) -> set[int]:
        """Return the main offsets that are pending."""
        return set(self.pending.values())


class Ledger:
    """Keep the ledgers of all keys in quarantine."""

    def __init__(self, delays: Sequence[float]) -> None:
        self.keys: dict[int, KeyLedger] = {}
        self._over: set[int] = set()  # keys whose quarantine ended with this append or the one before it
        self._delays = delays

    @property
    def records(self) -> int:
        """Return how many main offsets are pending."""
        return sum(len(state.sources) for state in self.keys.values())

    def first_pending(self) -> int | None:
        """Return the first retry offset that is pending, or None."""
        return min((min(state.pending) for state in self.keys.values()), default=None)

    def restart(self, *, counts: bool) -> None:
        """Take in that a life begins; with `counts`, attempts that did not end count as failed when they started."""
        for state in self.keys.values():
            if state.started is not None and counts:
                state.attempts = state.started.attempt
                state.due_ms = state.started.at_ms + round(self.delay_after(state.attempts) * 1000)
                state.earliest_ms = state.due_ms
                state.started = None
            state.inherited = True
        self._over.clear()

    def delay_after(self, attempts: int) -> float:
        """Return the delay that follows so many failed attempts, in seconds."""
        return self._delays[min(attempts, len(self._delays) - 1)]

    def add(self, base: int, items: Sequence[Pending | JournalEntry]) -> None:
        """Take in one append to the retry topic."""
        before = set(self._over)
        for offset, item in enumerate(items, base):
            if isinstance(item, Pending):
                state = self.keys.get(item.key)
                if state is None:
                    state = self.keys[item.key] = self._shut(item)
                state.pending[offset] = item.entry.offset
            elif item.key in self.keys:
                self._entry(self.keys[item.key], item)
        self._over -= before

    def _shut(self, item: Pending) -> KeyLedger:
        due_ms = item.failed_at_ms + round(self._delays[0] * 1000)
        return KeyLedger(due_ms, item.failed_at_ms if item.key in self._over else due_ms)

    def _entry(self, state: KeyLedger, item: JournalEntry) -> None:
        if isinstance(item, AttemptStarted):
            state.started = item
            return
        for offset in item.resolved:
            state.pending.pop(offset, None)
        state.started = None
        state.attempts = item.attempts
        state.due_ms = item.due_ms
        state.earliest_ms = item.due_ms or 0
        state.inherited = False
        if not state.pending:
            del self.keys[item.key]
            self._over.add(item.key)


def gives_up(trace: Trace, happened: object) -> bool:
    """Tell whether a key was given up just now, and with it, by policy, the partition."""
    if trace.config.on_give_up is not GiveUp.STOP:
        return False
    if not isinstance(happened, Appended) or happened.topic != trace.retries:
        return False
    return any(isinstance(item, AttemptEnded) and not item.attempts for item in trace.retry_items(happened))
