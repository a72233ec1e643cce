"""One partition of a consumer as a pure state machine: `step(input, now)` returns what is to be done.

Laws of this machine:

1. *Order.* A key has one batch under way at most; what arrives meanwhile queues behind it, and is planned as one batch
   when the key is free. A key in quarantine runs nothing of the main topic.
2. *No event lost.* An offset is resolved when its record was handled, folded into a handled one, passed over on
   purpose, or is durable in the retry or dead-letter topic; never before.
3. *No event twice*, in NO_DOUBLE_CONSUME: a record is handed out only after the offset behind it is stored, and a
   pending one only after "attempt started" is; a crash may lose what was handed out, and repeats nothing.
4. *Frontier.* In NO_EVENT_LOSE only the contiguous edge of resolved offsets is ever stored.
5. *Isolation.* Keys wait for one another only while a handler waits for something that all of them need (a latch).
6. *Bounded.* At most `max_in_flight + poll_count` records are held, and `max_pending_retry` wait in quarantine; when
   there is no room, nothing is polled, and nothing is dropped.
7. *Stop.* After `StopRequested`, or `Stop`, with which a policy ends the partition, nothing new starts; what failed in
   the drain is durable before the last offset is stored, and `Finish` is the last command.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from wakuwaku._core.attempts import Attempts, burials
from wakuwaku._core.burial import Burial
from wakuwaku._core.commands import (
    AppendDead,
    AppendRetry,
    Command,
    Dead,
    DeadReason,
    Failure,
    Finish,
    GaveUp,
    Latched,
    OffsetsSkipped,
    Quarantined,
    QuarantineLifted,
    QueueKeys,
    RecordRefused,
    RunKey,
    SleepUntil,
    Stop,
    StoreOffset,
    StoreRetryOffset,
    Unlatched,
)
from wakuwaku._core.frontier import Frontier
from wakuwaku._core.inputs import (
    DeadAppended,
    Input,
    KeyAbandoned,
    KeyFinished,
    KeyTaken,
    OffsetStored,
    Polled,
    Replayed,
    RetryAppended,
    RetryOffsetStored,
    Started,
    StopRequested,
    TransientFailed,
    TransientPassed,
    Woke,
)
from wakuwaku._core.intake import Intake, first_unknown
from wakuwaku._core.key_queues import KeyQueues
from wakuwaku._core.latch import Latch, Waiting
from wakuwaku._core.plan import Entry, plan
from wakuwaku._core.quarantine import Quarantine
from wakuwaku._core.quarantined_key import Stage
from wakuwaku._core.reading import Reading
from wakuwaku._core.settings import DeliveryMode, Settings, UnknownEvents
from wakuwaku._core.stored_offset import StoredOffset
from wakuwaku.errors import HeaderError

__all__ = ["Partition"]


class Partition:
    """Decide what one partition does next; see the laws at the head of the module.

    `stored` and `retry_stored` are the consumer's stored offsets in the main and the retry topic, or None; `first` is
    where reading starts without one. `wall_offset` is Unix time minus monotonic time, in seconds.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        stored: int | None,
        first: int = 0,
        retry_stored: int | None = None,
        wall_offset: float = 0.0,
    ) -> None:
        self._settings = settings
        self._intake = Intake(settings.algebras, ignored=settings.ignored, unknown=settings.unknown)
        self._frontier = Frontier(stored)
        self._quarantine = Quarantine(settings.retry_delays, stored=retry_stored, wall_offset=wall_offset)
        self._burial = Burial()
        self._attempts = Attempts(settings, self._intake, self._quarantine, self._burial)
        self._keys = KeyQueues()
        self._held: list[tuple[int, Entry]] = []  # NO_DOUBLE_CONSUME: read, and the offset is not stored yet
        self._reading = Reading(settings, first if stored is None else stored + 1)
        self._quarantine.position = self._reading.position
        self._alarm: float | None = None
        self._latch = Latch()
        self._stored = StoredOffset(stored)
        self._retry_stored = StoredOffset(retry_stored)
        self._stop_reason: str | None = None
        self._failures_in_a_row = 0
        self._stopping = False
        self._finished = False
        self._steps: dict[type[Any], Callable[[Any, float], list[Command]]] = {
            Replayed: self._replayed,
            Started: self._started,
            Polled: self._polled,
            Woke: self._woke,
            KeyTaken: self._key_taken,
            KeyFinished: self._key_finished,
            KeyAbandoned: self._key_abandoned,
            TransientFailed: self._transient_failed,
            TransientPassed: self._transient_passed,
            DeadAppended: self._dead_appended,
            RetryAppended: self._retry_appended,
            OffsetStored: self._offset_stored,
            RetryOffsetStored: self._retry_offset_stored,
            StopRequested: self._stop_requested,
        }

    @property
    def in_flight(self) -> int:
        """Return how many polled records are not resolved."""
        return self._frontier.pending

    @property
    def pending_retry(self) -> int:
        """Return how many records wait in quarantine."""
        return self._quarantine.records

    @property
    def quarantined(self) -> int:
        """Return how many keys are in quarantine."""
        return len(self._quarantine.keys)

    @property
    def retrying(self) -> bool:
        """Tell whether a key waits for another attempt or has one under way; a parked key does not."""
        return any(state.stage is not Stage.PARKED for state in self._quarantine.keys.values())

    @property
    def latched(self) -> Waiting | None:
        """Return the handler that waits in place for longest and since when, or None."""
        return self._latch.longest()

    @property
    def position(self) -> int:
        """Return the offset that is polled next."""
        return self._reading.position

    @property
    def stored(self) -> int | None:
        """Return the offset that is known to be stored."""
        return self._stored.known

    def resolved_before(self, end: int) -> bool:
        """Tell whether every record before offset `end` was read and is resolved."""
        edge = self._frontier.edge()
        return (not self.in_flight and self._reading.position >= end) or (edge is not None and edge >= end - 1)

    def step(self, happened: Input, now: float) -> list[Command]:
        """Take in what happened and return what is to be done, in order; `now` is monotonic time in seconds."""
        return self._steps[type(happened)](happened, now)

    # -- starting ---------------------------------------------------------------------------------------------------

    def _replayed(self, page: Replayed, _: float) -> list[Command]:
        commands: list[Command] = []
        for offset, record in zip(page.offsets, page.records, strict=True):
            try:
                self._quarantine.replay(offset, record)
            except HeaderError as error:
                dead = Dead(offset, record, DeadReason.BAD_HEADER, Failure("HeaderError", str(error)), retry=True)
                commands.append(RecordRefused(dead))
                self._burial.add([dead])
        return commands

    def _started(self, _: Started, now: float) -> list[Command]:
        return self._attempts.open(now) + self._settle(now)

    # -- reading ----------------------------------------------------------------------------------------------------

    def _woke(self, _: Woke, now: float) -> list[Command]:
        self._alarm = None
        return self._settle(now)

    def _polled(self, page: Polled, now: float) -> list[Command]:
        self._reading.answered(len(page.records), now)
        if self._stopping or not page.records:
            return self._settle(now)
        handled, passed_over, refused = self._intake.sort(page.offsets, page.records)
        if self._settings.unknown is UnknownEvents.STOP and (unknown := first_unknown(refused)) is not None:
            self._stop_reason = f"{unknown.failure.message}, at offset {unknown.offset}"
            return self._read_up_to(unknown.offset, page, now)
        commands: list[Command] = []
        if page.offsets[0] != self._reading.position:
            commands.append(OffsetsSkipped(self._reading.position, page.offsets[0] - 1))
        self._reading.position = self._quarantine.position = page.offsets[-1] + 1
        self._frontier.add(page.offsets)
        self._frontier.resolve(passed_over)
        if refused:
            commands.extend(map(RecordRefused, refused))
            self._burial.add(refused, main=[dead.offset for dead in refused])
        if self._settings.mode is DeliveryMode.NO_DOUBLE_CONSUME:
            self._held = [(key, entry) for key, entry in handled if not self._divert(key, entry, now)]
        else:
            commands.extend(self._admit(handled, now))
        return commands + self._settle(now)

    def _read_up_to(self, end: int, page: Polled, now: float) -> list[Command]:
        """Take in only the records of a page before offset `end`; the next life reads from there."""
        count = bisect_left(page.offsets, end)
        if not count:
            return self._settle(now)
        return self._polled(Polled(page.offsets[:count], page.records[:count]), now)

    def _admit(self, handled: Sequence[tuple[int, Entry]], now: float) -> list[Command]:
        """Queue records at their keys, and return the command to run the keys that were free."""
        if self._quarantine.keys or self._quarantine.accounted:
            handled = [(key, entry) for key, entry in handled if not self._divert(key, entry, now)]
        ready = self._keys.put(handled)
        return [QueueKeys(ready)] if ready else []

    def _divert(self, key: int, entry: Entry, now: float) -> bool:
        """Send a quarantined key's record behind what is pending; False when the record is to be handled."""
        quarantine = self._quarantine
        if quarantine.holds(key):
            if not quarantine.divert(key, entry, now):
                self._frontier.resolve((entry.offset,))
            return True
        if quarantine.settled(key, entry):
            self._frontier.resolve((entry.offset,))
            return True
        return False

    # -- handling ---------------------------------------------------------------------------------------------------

    def _key_taken(self, taken: KeyTaken, now: float) -> list[Command]:
        key = taken.key
        if self._attempts.waits(key):
            if not self._stopping:
                return [self._attempts.taken(key)]
            self._attempts.not_begun(key, now)
        if self._stopping:
            return self._settle(now)
        return [RunKey(key, plan(self._keys.take(key)))]

    def _key_finished(self, finished: KeyFinished, now: float) -> list[Command]:
        if self._quarantine.holds(finished.key):
            commands: list[Command] = self._attempts.over(finished, now)
            self._count_failures(finished, gave_up=any(isinstance(command, GaveUp) for command in commands))
            return commands + self._settle(now)
        if finished.dead or finished.failure is not None:
            self._count_failures(finished)
        else:
            self._failures_in_a_row = 0
        if finished.dead:
            # The key waits for its letters: a record of it in the retry topic says that older ones are accounted for.
            self._burial.add(finished.dead, main=[dead.offset for dead in finished.dead], after=finished)
            return [*burials(finished.dead), *self._settle(now)]
        commands = self._conclude(finished, now)
        return commands + self._settle(now)

    def _conclude(self, finished: KeyFinished, now: float) -> list[Command]:
        """Free a key whose work on the main topic ended, or shut it in; its dead letters are durable."""
        done = [entry.offset for entry in self._keys.end(finished.key)]
        if finished.dead or finished.unfinished:
            left = {dead.offset for dead in finished.dead}
            left.update(entry.offset for entry in finished.unfinished)
            done = [offset for offset in done if offset not in left]
        self._frontier.resolve(done)
        if finished.failure is not None:
            left_over = [*finished.unfinished, *self._keys.waiting(finished.key)]
            self._quarantine.shut_in(finished.key, left_over, now)
            self._keys.let_go(finished.key)
            delay = self._settings.retry_delays[0]
            return [Quarantined(finished.key, finished.failure, len(left_over), delay)]
        if self._stopping:
            self._keep_waiting(finished.key, now)
        elif self._keys.more(finished.key):
            return [QueueKeys((finished.key,))]
        return []

    def _count_failures(self, finished: KeyFinished, *, gave_up: bool = False) -> None:
        """Stop when key after key fails for good: a bad deployment must not bury the whole topic."""
        if gave_up or any(dead.reason is DeadReason.UNRECOVERABLE for dead in finished.dead):
            self._failures_in_a_row += 1
        elif finished.failure is None:
            self._failures_in_a_row = 0
        if self._failures_in_a_row >= self._settings.failures_in_a_row:
            self._stop_reason = f"{self._failures_in_a_row} keys in a row failed for good"

    def _key_abandoned(self, abandoned: KeyAbandoned, now: float) -> list[Command]:
        key = abandoned.key
        self._latch.forget(key)
        commands: list[Command] = []
        if self._quarantine.holds(key):
            commands.extend(self._attempts.abandoned(abandoned, now))
        elif abandoned.dead and self._settings.mode is DeliveryMode.NO_DOUBLE_CONSUME:
            self._burial.add(abandoned.dead, main=[dead.offset for dead in abandoned.dead], after=abandoned)
            commands.extend(burials(abandoned.dead))
        else:
            self._leave(abandoned, now)
        return commands + self._settle(now)

    def _leave(self, abandoned: KeyAbandoned, now: float) -> None:
        """Shut a key whose work was cut short: nothing newer of it starts, and its offsets stay unresolved."""
        self._keys.abandon(abandoned.key, abandoned.kept)
        self._keep_waiting(abandoned.key, now)

    def _transient_failed(self, failed: TransientFailed, now: float) -> list[Command]:
        first = self._latch.close(failed.key, failed.handler, now)
        return [Latched(failed.handler)] if first else []

    def _transient_passed(self, passed: TransientPassed, now: float) -> list[Command]:
        waited = self._latch.release(passed.key)
        if waited is None:
            return []
        return [Unlatched(waited.handler, now - waited.since), *self._settle(now)]

    # -- writing ----------------------------------------------------------------------------------------------------

    def _dead_appended(self, _: DeadAppended, now: float) -> list[Command]:
        main, over = self._burial.appended()
        self._frontier.resolve(main)
        commands: list[Command] = []
        for one in over:
            if isinstance(one, KeyFinished):
                commands.extend(self._conclude(one, now))
            elif isinstance(one, KeyAbandoned):
                self._leave(one, now)
            else:
                self._attempts.end(one)
        return commands + self._settle(now)

    def _retry_appended(self, appended: RetryAppended, now: float) -> list[Command]:
        durable = self._quarantine.appended(appended.base, now)
        self._frontier.resolve(durable.main)
        commands: list[Command] = [QuarantineLifted(key, now - since) for key, since in durable.lifted]
        if durable.ready:
            commands.append(QueueKeys(durable.ready, retry=True))
        self._quarantine.move_up(self._settings.move_span)
        return commands + self._settle(now)

    def _offset_stored(self, _: OffsetStored, now: float) -> list[Command]:
        self._stored.stored()
        commands: list[Command] = []
        if self._held and not self._stopping and self._stored.known == self._reading.position - 1:
            held, self._held = self._held, []
            commands.extend(self._admit(held, now))
        return commands + self._settle(now)

    def _retry_offset_stored(self, _: RetryOffsetStored, now: float) -> list[Command]:
        self._retry_stored.stored()
        return self._settle(now)

    # -- stopping ---------------------------------------------------------------------------------------------------

    def _stop_requested(self, _: StopRequested, now: float) -> list[Command]:
        self._begin_to_stop(now)
        return self._settle(now)

    def _begin_to_stop(self, now: float) -> None:
        self._stopping = True
        # The key of a record may have failed since it was read.
        self._keys.put([(key, entry) for key, entry in self._held if not self._divert(key, entry, now)])
        self._held = []
        for key in self._keys.idle():
            self._keep_waiting(key, now)

    def _keep_waiting(self, key: int, now: float) -> None:
        """Keep what waits for a key and will not be started any more.

        In NO_EVENT_LOSE the stored offset stays behind it. In NO_DOUBLE_CONSUME the offset is stored already, or about
        to be, so it goes to the retry topic.
        """
        waiting = self._keys.waiting(key)
        if self._settings.mode is DeliveryMode.NO_DOUBLE_CONSUME and waiting:
            self._quarantine.shut_in(key, waiting, now)
            self._keys.let_go(key)

    # -- what follows from the state --------------------------------------------------------------------------------

    def _settle(self, now: float) -> list[Command]:
        """Return the commands that the state calls for and that are not under way yet."""
        commands: list[Command] = []
        if not self._stopping and (reason := self._stop_reason or self._attempts.stop_reason) is not None:
            self._begin_to_stop(now)
            commands.append(Stop(reason))
        if letters := self._burial.next_append():
            commands.append(AppendDead(letters))
        if not self._stored.under_way and (offset := self._offset_worth_storing()) is not None:
            self._stored.store(offset)
            commands.append(StoreOffset(offset))
        if self._quarantine.stirred:
            commands.extend(self._settle_quarantine(now))
        if self._stopping:
            return commands + self._finish()
        if self._reading.may_poll(now):
            commands.extend(self._poll())
        if (alarm := self._next_alarm(now)) is not None and alarm != self._alarm:
            self._alarm = alarm
            commands.append(SleepUntil(alarm))
        return commands

    def _may_attempt(self) -> bool:
        """Tell whether attempts may start: one that a stop cuts short would count as a failed one."""
        return not self._stopping and not self._latch

    def _settle_quarantine(self, now: float) -> list[Command]:
        commands: list[Command] = []
        if self._may_attempt():
            covered = self._stored.or_none_yet() if self._settings.mode is DeliveryMode.NO_DOUBLE_CONSUME else None
            self._quarantine.begin_due(now, self._settings.retry_concurrency, stored=covered)
        if records := self._quarantine.next_append():
            commands.append(AppendRetry(records))
        if not self._retry_stored.under_way:
            offset = self._retry_offset_worth_storing()
            if offset is not None:
                self._retry_stored.store(offset)
                commands.append(StoreRetryOffset(offset))
            else:
                self._quarantine.calm()
        return commands

    def _poll(self) -> list[Command]:
        if self._latch or self._held:
            return []
        # After a crash between the write to the retry topic and the offset, attempts wait for the offset there.
        behind = self._settings.mode is DeliveryMode.NO_DOUBLE_CONSUME and self.position <= self._quarantine.up_to
        return self._reading.poll(self._frontier.pending, self._quarantine.records, behind=behind)

    def _next_alarm(self, now: float) -> float | None:
        due = None
        if self._may_attempt() and self._quarantine.busy < self._settings.retry_concurrency:
            due = self._quarantine.next_due()
        poll = None if self._latch or self._held else self._reading.next_pause(now)
        return min((at for at in (due, poll) if at is not None), default=None)

    def _offset_worth_storing(self) -> int | None:
        """Return the offset to store: when it moved a poll's worth, or is all that there is."""
        if self._settings.mode is DeliveryMode.NO_DOUBLE_CONSUME:
            read = self._reading.position - 1
            return read if read > self._stored.or_none_yet() and not self._quarantine.writing else None
        at_rest = not self._frontier.pending or (self._stopping and not self._keys.running)
        return self._stored.worth_storing(self._frontier.edge(), step=self._settings.poll_count, at_rest=at_rest)

    def _retry_offset_worth_storing(self) -> int | None:
        at_rest = not self._quarantine.keys or (self._stopping and not self._keys.running)
        return self._retry_stored.worth_storing(
            self._quarantine.edge(), step=self._settings.poll_count, at_rest=at_rest
        )

    def _finish(self) -> list[Command]:
        busy = self._keys.running or self._quarantine.busy or self._quarantine.writing or not self._burial.idle
        storing = self._stored.under_way or self._retry_stored.under_way
        if busy or storing or self._finished:
            return []
        self._finished = True
        return [Finish()]
