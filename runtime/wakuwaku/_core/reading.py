"""When the main topic is read, from where, and how much at a time."""

from __future__ import annotations

from wakuwaku._core.commands import BacklogDrained, BacklogFull, Command, Poll
from wakuwaku._core.settings import Settings

__all__ = ["Reading"]


class Reading:
    """Pace the polls of a partition; one is under way at most.

    At the end of the log the pauses between polls double, up to `idle_interval`. When there is no room for what a
    poll may bring, nothing is polled, and nothing is dropped.
    """

    def __init__(self, settings: Settings, position: int) -> None:
        self.position = position  # the offset that is polled next
        self.under_way = False
        self._settings = settings
        self._at = 0.0
        self._interval = settings.poll_interval
        self._full = False

    def answered(self, records: int, now: float) -> None:
        """Take in that a poll brought this many records."""
        self.under_way = False
        if records:
            self._interval = self._settings.poll_interval
        else:
            self._at = now + self._interval
            self._interval = min(self._interval * 2, self._settings.idle_interval)

    def may_poll(self, now: float) -> bool:
        """Tell whether the pause is over and no poll is under way."""
        return not self.under_way and now >= self._at

    def next_pause(self, now: float) -> float | None:
        """Return when the pause is over that lasts now, or None."""
        return None if self.under_way or self._at <= now else self._at

    def poll(self, in_flight: int, pending: int, *, behind: bool) -> list[Command]:
        """Return the next poll, if there is room for it, with `pending` records waiting in quarantine.

        `behind` has one record read even so: one that is pending already, whose offset attempts wait for.
        """
        settings = self._settings
        if in_flight >= settings.max_in_flight:
            return []
        room = settings.max_pending_retry - pending - in_flight
        if room <= 0 and pending:
            if behind:
                self.under_way = True
                return [Poll(self.position, 1)]
            if self._full:
                return []
            self._full = True
            return [BacklogFull(pending)]
        commands: list[Command] = [BacklogDrained(pending)] if self._full else []
        self._full = False
        self.under_way = True
        count = min(settings.poll_count, room) if pending else settings.poll_count
        return [*commands, Poll(self.position, count)]
