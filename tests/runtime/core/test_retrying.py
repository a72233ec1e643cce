"""Keys that fail: quarantine, attempts, giving up, and what a restart finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from tests.runtime.core.records import record
from wakuwaku._core.commands import (
    AppendDead,
    AppendRetry,
    AttemptFailed,
    BacklogDrained,
    BacklogFull,
    Command,
    Dead,
    DeadReason,
    Failure,
    Finish,
    GaveUp,
    Poll,
    Quarantined,
    QuarantineLifted,
    QueueKeys,
    RecordRefused,
    RecordsBuried,
    RunKey,
    SleepUntil,
    Stop,
    StoreOffset,
    StoreRetryOffset,
)
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
from wakuwaku._core.journal import AttemptEnded, AttemptStarted, JournalEntry, Moved, Pending, decode
from wakuwaku._core.partition import Partition
from wakuwaku._core.schedule import GiveUp
from wakuwaku._core.settings import DeliveryMode, Settings, UnknownEvents
from wakuwaku.algebra import Algebra
from wakuwaku.headers import RETRY_HEADER, Record, encode_retry

SETTINGS = Settings(
    algebras={1: Algebra.NON_ASSOCIATIVE, 2: Algebra.NON_ASSOCIATIVE}, retry_delays=(2.0, 4.0), poll_count=4
)
LOST = Settings(algebras=SETTINGS.algebras, retry_delays=(2.0, 4.0), poll_count=4, mode=DeliveryMode.NO_DOUBLE_CONSUME)
BROKEN = Failure("ValueError", "no", handler="H", attempts=1)
WALL = 1_000_000.0


class Life:
    """One life of a partition over a retry topic that outlives it; appends are durable when the test says so."""

    def __init__(
        self, settings: Settings = SETTINGS, *, retries: list[Record] | None = None, now: float = 0.0, **at: Any
    ) -> None:
        self.retries = retries if retries is not None else []
        self.now = now
        self.waiting: list[Sequence[Record]] = []
        self.queued: set[int] = set()
        self.machine = Partition(settings, **{"stored": None, "wall_offset": WALL, **at})
        first = (at.get("retry_stored") or -1) + 1
        page = self.retries[first:]
        self.replayed = self.tell(Replayed(range(first, len(self.retries)), page)) if page else []
        self.opening = self.tell(Started())

    def tell(self, happened: Input, after: float = 0.0) -> list[Command]:
        """Have something happen, and keep what is to be appended to the retry topic for `durable`."""
        self.now += after
        commands = self.machine.step(happened, self.now)
        self.waiting += [command.records for command in commands if isinstance(command, AppendRetry)]
        self.queued.update(key for command in commands if isinstance(command, QueueKeys) for key in command.keys)
        return commands

    def durable(self) -> list[Command]:
        """Have all that waits become durable, and return all commands that follow."""
        commands: list[Command] = []
        while self.waiting:
            records = self.waiting.pop(0)
            base = len(self.retries)
            self.retries += records
            commands += self.tell(RetryAppended(base))
        return commands

    def poll(self, *records: Record) -> list[Command]:
        first = self.machine.position
        return self.tell(Polled(range(first, first + len(records)), records))

    def fail(self, key: int, *, dead: Sequence[Dead] = ()) -> list[Command]:
        """Have all that runs for a key fail with a Retryable error."""
        run = self.run
        entries = [one for segment in run.segments for stage in segment.runs() for one in stage]
        offsets = frozenset(one.offset for one in entries)
        return self.tell(KeyFinished(key, dead, entries, offsets, BROKEN))

    def take(self, key: int) -> RunKey:
        """Have a worker take a key, and return what it is to run."""
        self.queued.discard(key)
        (run,) = (command for command in self.tell(KeyTaken(key)) if isinstance(command, RunKey))
        self.run = run
        return run

    def quarantine(self, key: int = 7, *more: Record) -> list[Command]:
        """Read a record of a key, have it fail, and have that be durable."""
        self.poll(record(key), *more)
        self.take(key)
        return self.fail(key) + self.settle()

    def attempt(self, key: int = 7, after: float = 0.0) -> RunKey:
        """Let time pass until a key's attempt is due, and return what it is to run."""
        self.tell(Woke(), after)
        self.durable()
        assert key in self.queued
        return self.take(key)

    def settle(self) -> list[Command]:
        """Have all that waits become durable and all offsets be stored, and return all commands that follow."""
        commands = self.durable()
        for command in commands:
            if isinstance(command, StoreOffset):
                commands += self.tell(OffsetStored())
            elif isinstance(command, StoreRetryOffset):
                commands += self.tell(RetryOffsetStored())
        return commands

    @property
    def journal(self) -> list[JournalEntry]:
        return [item for item in map(decode, self.retries) if not isinstance(item, Pending)]

    @property
    def pending(self) -> list[Pending]:
        return [item for item in map(decode, self.retries) if isinstance(item, Pending)]


def of(commands: Sequence[Command], kind: type[Any]) -> list[Any]:
    return [command for command in commands if isinstance(command, kind)]


def runs(run: RunKey) -> list[list[int]]:
    return [[one.offset for one in stage] for segment in run.segments for stage in segment.runs()]


# -- quarantine -------------------------------------------------------------------------------------------------------


def test_a_failed_key_is_written_to_the_retry_topic_before_its_offset_is_stored() -> None:
    life = Life()
    life.poll(record(7))
    life.take(7)
    failed = life.fail(7)
    assert Quarantined(7, BROKEN, 1, 2.0) in failed
    assert not of(failed, StoreOffset)
    assert StoreOffset(0) in life.durable()
    (pending,) = life.pending
    assert (pending.key, pending.entry.offset, pending.failed_at_ms) == (7, 0, round(WALL * 1000))


def test_what_waits_for_a_failed_key_goes_behind_it_in_one_append() -> None:
    life = Life()
    life.poll(record(7))
    life.take(7)
    life.poll(record(7), record(7))
    (append,) = of(life.fail(7), AppendRetry)
    assert [decode(one).entry.offset for one in append.records] == [0, 1, 2]  # type: ignore[union-attr]


def test_new_records_of_a_quarantined_key_go_behind_what_is_pending() -> None:
    life = Life()
    life.quarantine()
    diverted = life.poll(record(7), record(8))
    assert of(diverted, QueueKeys) == [QueueKeys([8])]
    assert not of(diverted, StoreOffset)
    life.durable()
    assert [pending.entry.offset for pending in life.pending] == [0, 1]
    assert life.machine.pending_retry == 2


def test_done_records_of_a_failed_batch_are_not_written() -> None:
    life = Life()
    life.poll(record(7), record(7, tag=2))
    life.take(7)
    (second,) = (one for segment in life.run.segments for run in segment.body for one in run if one.tag == 2)
    life.tell(KeyFinished(7, (), [second], frozenset({1}), BROKEN))
    life.durable()
    assert [pending.entry.offset for pending in life.pending] == [1]


# -- the schedule -----------------------------------------------------------------------------------------------------


def test_the_first_attempt_is_due_one_delay_after_the_failure() -> None:
    life = Life()
    assert SleepUntil(2.0) in life.quarantine()
    assert not of(life.tell(Woke(), 1.9), AppendRetry)
    started = life.tell(Woke(), 0.1)
    assert of(started, AppendRetry)
    assert not of(started, QueueKeys)
    assert QueueKeys([7], retry=True) in life.durable()
    assert life.journal == [AttemptStarted(7, 1, 0, round((WALL + 2) * 1000))]
    run = life.take(7)
    assert (run.attempt, runs(run)) == (1, [[0]])


def test_each_failed_attempt_makes_the_next_due_after_the_next_delay_and_the_last_gives_up() -> None:
    life = Life()
    life.quarantine()
    life.attempt(after=2.0)
    assert AttemptFailed(7, 1, BROKEN, 4.0) in life.fail(7)
    assert SleepUntil(6.0) in life.durable()
    assert life.attempt(after=4.0).attempt == 2
    gave_up = life.fail(7)
    assert GaveUp(7, 2, BROKEN, GiveUp.CONTINUE) in gave_up
    (append,) = of(gave_up, AppendDead)
    (dead,) = append.dead
    assert (dead.offset, dead.reason, dead.record) == (0, DeadReason.GAVE_UP, record(7))
    assert not life.waiting
    life.tell(DeadAppended())
    lifted = life.durable()
    assert QuarantineLifted(7, 6.0) in lifted
    assert StoreRetryOffset(len(life.retries) - 1) in lifted
    assert not life.machine.quarantined


def test_a_successful_attempt_lifts_the_quarantine_once_that_is_durable() -> None:
    life = Life()
    life.quarantine()
    life.attempt(after=2.0)
    assert not of(life.tell(KeyFinished(7)), QuarantineLifted)
    assert life.machine.quarantined
    assert of(life.poll(record(7)), QueueKeys) == []
    lifted = life.durable()
    assert AttemptEnded(7, 0, round((WALL + 2) * 1000), [0]) in life.journal
    assert not of(lifted, QuarantineLifted)  # the record that came meanwhile waits
    assert runs(life.attempt()) == [[1]]
    life.tell(KeyFinished(7))
    assert of(life.durable(), QuarantineLifted)


def test_the_records_of_failed_runs_only_are_given_up_and_the_rest_is_due_at_once_from_the_start() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, retry_delays=(2.0,)))
    life.poll(record(7), record(7, tag=2))
    life.take(7)
    life.fail(7)
    life.durable()
    life.attempt(after=2.0)
    first, second = (one for segment in life.run.segments for run in segment.body for one in run)
    gave_up = life.tell(KeyFinished(7, (), [first, second], frozenset({first.offset}), BROKEN))
    (append,) = of(gave_up, AppendDead)
    assert [dead.offset for dead in append.dead] == [first.offset]
    life.tell(DeadAppended())
    life.durable()
    run = life.attempt()
    assert (run.attempt, runs(run)) == (1, [[second.offset]])


def test_an_attempt_that_fails_nothing_keeps_its_counter_for_what_came_meanwhile() -> None:
    life = Life()
    life.quarantine()
    life.attempt(after=2.0)
    life.fail(7)
    life.durable()
    life.poll(record(7))
    life.durable()
    life.tell(Woke(), 4.0)
    life.poll(record(7))
    life.durable()
    life.take(7)
    life.poll(record(7))
    life.durable()
    life.tell(KeyFinished(7))
    life.durable()
    assert life.attempt().attempt == 2


def test_a_parked_key_stays_shut_until_an_operator_acts() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, retry_delays=(2.0,), on_give_up=GiveUp.PARK))
    life.quarantine()
    life.attempt(after=2.0)
    assert GaveUp(7, 1, BROKEN, GiveUp.PARK) in life.fail(7)
    life.durable()
    assert life.journal[-1] == AttemptEnded(7, 1, None, [])
    assert not life.machine.retrying
    life.tell(Woke(), 1_000_000.0)
    assert not life.waiting
    life.poll(record(7))
    life.durable()
    assert life.machine.pending_retry == 2
    again = Life(SETTINGS, retries=life.retries, stored=1)
    assert again.machine.quarantined == 1
    assert not again.machine.retrying


def test_a_partition_stops_when_a_key_is_given_up_and_that_is_the_policy() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, retry_delays=(2.0,), on_give_up=GiveUp.STOP))
    life.quarantine()
    life.attempt(after=2.0)
    commands = life.fail(7)
    assert of(commands, Stop) == [Stop("a key was given up after 1 attempts")]
    assert not of(commands, Finish)
    assert life.settle()[-1] == Finish()
    again = Life(SETTINGS, retries=life.retries, stored=0)
    assert again.machine.pending_retry == 1


def test_attempts_of_other_keys_wait_while_too_many_are_under_way() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, retry_concurrency=1))
    life.poll(record(7), record(8))
    for key in (7, 8):
        life.take(key)
        life.fail(key)
        life.durable()
    life.tell(Woke(), 2.0)
    assert of(life.durable(), QueueKeys) == [QueueKeys([7], retry=True)]
    life.take(7)
    life.tell(KeyFinished(7))
    assert QueueKeys([8], retry=True) in life.durable()


def test_no_attempt_starts_while_a_handler_waits_in_place() -> None:
    life = Life()
    life.quarantine(7, record(8))
    life.take(8)
    life.tell(TransientFailed(8, "H"))
    life.tell(Woke(), 2.0)
    assert not life.waiting
    life.tell(TransientPassed(8))
    assert QueueKeys([7], retry=True) in life.durable()


# -- dead letters of attempts -----------------------------------------------------------------------------------------


def test_a_dead_letter_of_an_attempt_is_durable_before_the_attempt_ends() -> None:
    life = Life()
    life.quarantine()
    run = life.attempt(after=2.0)
    (pending,) = run.segments[0].body[0]
    (append,) = of(life.tell(KeyFinished(7, [Dead(0, pending.record, DeadReason.UNRECOVERABLE, BROKEN)])), AppendDead)
    assert append.dead[0].record == record(7)
    assert not life.waiting
    life.tell(DeadAppended())
    assert of(life.durable(), QuarantineLifted)


def test_a_pending_record_no_handler_knows_any_more_goes_to_the_dead_letters() -> None:
    life = Life()
    life.quarantine(7, record(7, tag=2))
    again = Life(
        Settings(algebras={1: Algebra.NON_ASSOCIATIVE}, retry_delays=(2.0,)), retries=life.retries, stored=1, now=10.0
    )
    run = again.attempt()
    assert runs(run) == [[0]]
    (append,) = of(again.tell(KeyFinished(7)), AppendDead)
    assert [(dead.offset, dead.reason) for dead in append.dead] == [(1, DeadReason.UNKNOWN_TAG)]


def test_a_pending_record_of_a_tag_that_is_ignored_now_is_passed_over() -> None:
    life = Life()
    life.quarantine(7, record(7, tag=2))
    settings = Settings(algebras={1: Algebra.NON_ASSOCIATIVE}, ignored=frozenset({2}), retry_delays=(2.0,))
    again = Life(settings, retries=life.retries, stored=1, now=10.0)
    assert runs(again.attempt()) == [[0]]
    again.tell(KeyFinished(7))
    assert of(again.durable(), QuarantineLifted)


def test_a_damaged_record_of_the_retry_topic_goes_to_the_dead_letters() -> None:
    life = Life(retries=[Record(b"", b"junk")])
    assert of(life.replayed, RecordRefused)
    (append,) = of(life.opening, AppendDead)
    assert [(dead.offset, dead.reason, dead.retry) for dead in append.dead] == [(0, DeadReason.BAD_HEADER, True)]


def test_a_record_of_the_rust_system_is_attempted_and_its_letter_names_the_retry_topic() -> None:
    theirs = Record(record(7).head, b"body", {RETRY_HEADER: encode_retry(round(WALL * 1000))})
    life = Life(retries=[theirs, theirs])
    run = life.attempt(after=2.0)
    entries = [one for segment in run.segments for stage in segment.runs() for one in stage]
    assert len(entries) == 2
    (append,) = of(
        life.tell(KeyFinished(7, [Dead(one.offset, one.record, DeadReason.UNRECOVERABLE, BROKEN) for one in entries])),
        AppendDead,
    )
    assert [(dead.offset, dead.retry) for dead in append.dead] == [(0, True), (1, True)]


# -- restarts ---------------------------------------------------------------------------------------------------------


def test_attempts_and_due_time_survive_a_restart() -> None:
    life = Life()
    life.quarantine()
    life.attempt(after=2.0)
    life.fail(7)
    life.durable()
    again = Life(retries=life.retries, stored=0, now=3.0)
    assert SleepUntil(6.0) in again.opening
    assert again.attempt(after=3.0).attempt == 2


@pytest.mark.parametrize(("jump", "due"), [(-3600.0, 13.0 + 2.0), (0.0, 13.0), (3600.0, 13.0)])
def test_a_jump_of_the_wall_clock_makes_a_key_due_between_now_and_one_delay_from_now(jump: float, due: float) -> None:
    life = Life()
    life.quarantine()
    again = Life(retries=life.retries, stored=0, now=13.0, wall_offset=WALL + jump)
    if due > 13.0:
        assert SleepUntil(due) in again.opening
    else:
        assert of(again.opening, AppendRetry)


def test_an_attempt_that_a_crash_cut_short_counts_as_failed() -> None:
    life = Life()
    life.quarantine()
    life.attempt(after=2.0)
    again = Life(retries=life.retries, stored=0, now=3.0)
    assert SleepUntil(6.0) in again.opening
    assert again.attempt(after=3.0).attempt == 2


def test_a_key_whose_every_attempt_ends_the_process_is_given_up() -> None:
    life = Life()
    life.quarantine()
    life.attempt(after=2.0)
    life = Life(retries=life.retries, stored=0, now=3.0)
    life.attempt(after=3.0)
    life = Life(retries=life.retries, stored=0, now=7.0)
    (gave_up,) = of(life.opening, GaveUp)
    assert gave_up.failure.error_type == "ProcessEnded"
    assert [dead.offset for append in of(life.opening, AppendDead) for dead in append.dead] == [0]
    life.tell(DeadAppended())
    assert of(life.durable(), QuarantineLifted)


def test_an_attempt_that_a_stop_cut_short_does_not_count() -> None:
    life = Life()
    life.quarantine()
    life.attempt(after=2.0)
    life.tell(StopRequested())
    life.tell(KeyAbandoned(7))
    assert life.settle()[-1] == Finish()
    again = Life(retries=life.retries, stored=0, now=3.0)
    assert again.attempt().attempt == 1


def test_an_attempt_that_no_worker_took_before_a_stop_does_not_count() -> None:
    life = Life()
    life.quarantine()
    life.tell(Woke(), 2.0)
    life.durable()
    assert life.tell(StopRequested()) == []
    assert not of(life.tell(KeyTaken(7)), RunKey)
    assert life.settle()[-1] == Finish()
    assert life.journal[-1] == AttemptEnded(7, 0, round((WALL + 2) * 1000), [])


def test_resolved_records_are_not_run_again_after_a_restart() -> None:
    life = Life()
    life.quarantine(7, record(8))
    life.take(8)
    life.fail(8)
    life.durable()
    life.tell(Woke(), 2.0)
    life.durable()
    life.take(8)
    life.tell(KeyFinished(8))
    life.durable()
    again = Life(retries=life.retries, stored=1, now=3.0)
    assert again.machine.quarantined == 1
    assert of(again.poll(record(8)), QueueKeys) == [QueueKeys([8])]


def test_records_read_again_after_a_crash_are_not_written_twice() -> None:
    life = Life()
    life.quarantine(7, record(7))
    again = Life(retries=life.retries, stored=None)
    read = again.poll(record(7), record(7), record(7))
    (append,) = of(read, AppendRetry)
    assert [decode(one).entry.offset for one in append.records] == [2]  # type: ignore[union-attr]


def test_a_batch_that_a_crash_had_written_twice_is_recognised() -> None:
    life = Life()
    life.quarantine(7, record(7))
    again = Life(retries=[*life.retries, *life.retries], stored=1, now=10.0)
    assert again.machine.pending_retry == 2
    assert runs(again.attempt()) == [[0, 1]]


# -- the stored retry offset ------------------------------------------------------------------------------------------


def test_the_stored_retry_offset_never_passes_a_pending_record() -> None:
    life = Life()
    life.quarantine(7, record(8))
    life.take(8)
    life.fail(8)
    life.durable()
    life.tell(Woke(), 2.0)
    life.durable()
    life.take(8)
    life.tell(KeyFinished(8))
    commands = life.durable()
    assert of(commands, QuarantineLifted)
    assert not of(commands, StoreRetryOffset)


def test_a_key_that_holds_the_offset_back_too_far_is_written_again_at_the_end() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, move_span=1))
    life.quarantine()
    life.poll(record(7))
    life.durable()
    life.attempt(after=2.0)
    life.fail(7)
    life.durable()
    life.durable()
    (moved,) = (entry for entry in life.journal if isinstance(entry, Moved))
    assert (moved.attempts, moved.due_ms, moved.up_to, moved.resolved) == (1, round((WALL + 6) * 1000), 1, [0, 1])
    assert [pending.entry.offset for pending in life.pending[-2:]] == [0, 1]
    assert [pending.failed_at_ms for pending in life.pending[-2:]] == [
        pending.failed_at_ms for pending in life.pending[:2]
    ]
    assert life.machine.pending_retry == 2
    again = Life(retries=life.retries, stored=1, now=6.0)
    run = again.attempt()
    assert (run.attempt, runs(run)) == (2, [[0, 1]])


def test_the_retry_offset_is_stored_once_nothing_is_pending() -> None:
    life = Life()
    life.quarantine()
    life.attempt(after=2.0)
    life.tell(KeyFinished(7))
    assert StoreRetryOffset(2) in life.durable()
    life.tell(RetryOffsetStored())
    again = Life(retries=life.retries, stored=0, retry_stored=2)
    assert again.machine.quarantined == 0


# -- back-pressure ----------------------------------------------------------------------------------------------------


def test_reading_pauses_while_too_many_records_are_pending_and_nothing_is_dropped() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, max_pending_retry=2))
    life.quarantine(7, record(7), record(7))
    assert life.machine.pending_retry == 3
    life.poll()
    full = life.tell(Woke(), 1.0)
    assert BacklogFull(3) in full
    assert not of(full, Poll)
    life.attempt(after=1.0)
    life.tell(KeyFinished(7))
    commands = life.durable()
    assert BacklogDrained(0) in commands
    assert of(commands, Poll)
    assert [pending.entry.offset for pending in life.pending] == [0, 1, 2]


def test_a_full_backlog_is_told_once() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, max_pending_retry=1))
    told = life.quarantine() + life.poll() + life.tell(Woke(), 0.1) + life.tell(Woke(), 0.1)
    assert of(told, BacklogFull) == [BacklogFull(1)]


def test_a_partition_stops_when_key_after_key_fails_for_good() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, failures_in_a_row=2))
    life.poll(record(7), record(8), record(9))
    commands: list[Command] = []
    for key in (7, 8):
        life.take(key)
        dead = Dead(key - 7, record(key), DeadReason.UNRECOVERABLE, BROKEN)
        commands = life.tell(KeyFinished(key, [dead]))
        commands += life.tell(DeadAppended())
    assert Stop("2 keys in a row failed for good") in commands
    assert not of(life.poll(), Poll)


def test_a_key_that_succeeds_starts_the_count_of_failures_anew() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, failures_in_a_row=2))
    life.poll(record(7), record(8), record(9))
    commands: list[Command] = []
    for key, dead in ((7, True), (8, False), (9, True)):
        life.take(key)
        letters = [Dead(key - 7, record(key), DeadReason.UNRECOVERABLE, BROKEN)] if dead else []
        commands += life.tell(KeyFinished(key, letters))
        commands += life.tell(DeadAppended()) if dead else []
    assert not of(commands, Stop)


def test_a_partition_stops_at_an_unknown_tag_where_that_is_the_policy() -> None:
    life = Life(msgspec.structs.replace(SETTINGS, unknown=UnknownEvents.STOP))
    commands = life.poll(record(7), record(7, tag=99), Record(b"", b""))
    assert Stop("no handler knows tag 99, at offset 1") in commands + life.tell(DeadAppended())
    assert not of(commands, AppendDead) or [dead.offset for dead in of(commands, AppendDead)[0].dead] == [2]


# -- NO_DOUBLE_CONSUME ------------------------------------------------------------------------------------------------


def test_the_offset_is_stored_before_records_are_handed_out() -> None:
    life = Life(LOST)
    read = life.poll(record(7), record(8))
    assert read == [StoreOffset(1)]
    assert QueueKeys([7, 8]) in life.tell(OffsetStored())


def test_a_quarantined_key_s_records_are_durable_before_the_offset_passes_them() -> None:
    life = Life(LOST)
    life.poll(record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.fail(7)
    life.durable()
    read = life.poll(record(7), record(8))
    assert not of(read, StoreOffset)
    assert StoreOffset(2) in life.durable()
    assert QueueKeys([8]) in life.tell(OffsetStored())


def test_a_key_that_failed_while_the_offset_was_stored_gets_what_was_held_back_behind_it() -> None:
    life = Life(LOST)
    life.poll(record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.poll(record(7))
    life.fail(7)
    life.tell(OffsetStored())
    life.durable()
    assert [pending.entry.offset for pending in life.pending] == [0, 1]


def test_records_of_an_attempt_a_crash_cut_short_are_never_handed_out_again() -> None:
    life = Life(LOST)
    life.poll(record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.fail(7)
    life.durable()
    life.attempt(after=2.0)
    again = Life(LOST, retries=life.retries, stored=0, now=3.0)
    assert of(again.durable(), QuarantineLifted)
    assert again.journal[-1] == AttemptEnded(7, 0, round((WALL + 3) * 1000), [0])


def test_records_pending_at_a_restart_are_handed_out_once() -> None:
    life = Life(LOST)
    life.poll(record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.fail(7)
    life.durable()
    again = Life(LOST, retries=life.retries, stored=0, now=3.0)
    assert runs(again.attempt()) == [[0]]
    again.tell(KeyFinished(7))
    again.durable()
    assert Life(LOST, retries=again.retries, stored=0, now=9.0).machine.quarantined == 0


def test_a_stop_keeps_what_was_read_and_not_handed_out() -> None:
    life = Life(LOST)
    life.poll(record(7), record(8))
    life.tell(OffsetStored())
    life.take(7)
    life.poll(record(7), record(9))
    life.tell(StopRequested())
    life.tell(OffsetStored())
    life.tell(KeyFinished(7))
    assert life.settle()[-1] == Finish()
    assert sorted(pending.entry.offset for pending in life.pending) == [1, 2, 3]


def test_a_stop_keeps_what_waits_behind_an_abandoned_run() -> None:
    life = Life(LOST)
    life.poll(record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.poll(record(7))
    life.tell(OffsetStored())
    life.tell(StopRequested())
    life.tell(KeyAbandoned(7))
    assert life.settle()[-1] == Finish()
    assert [pending.entry.offset for pending in life.pending] == [1]


def test_a_stop_keeps_of_an_abandoned_run_what_no_handler_got() -> None:
    life = Life(LOST)
    life.poll(record(7), record(7), record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.poll(record(7))
    life.tell(OffsetStored())
    life.tell(StopRequested())
    life.tell(KeyAbandoned(7, frozenset({1, 2})))
    assert life.settle()[-1] == Finish()
    assert [pending.entry.offset for pending in life.pending] == [1, 2, 3]


def test_a_stop_buries_what_failed_for_good_before_it_keeps_the_rest() -> None:
    life = Life(LOST)
    life.poll(record(7), record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.tell(StopRequested())
    dead = Dead(0, record(7), DeadReason.UNRECOVERABLE, BROKEN)
    commands = life.tell(KeyAbandoned(7, frozenset({1}), [dead]))
    assert of(commands, AppendDead) == [AppendDead([dead])]
    assert not of(commands, AppendRetry)
    assert of(life.tell(DeadAppended()), AppendRetry)
    assert life.settle()[-1] == Finish()
    assert [pending.entry.offset for pending in life.pending] == [1]


def test_a_stop_keeps_of_an_abandoned_attempt_what_no_handler_got() -> None:
    life = Life(LOST)
    life.poll(record(7), record(7), record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.fail(7)
    life.durable()
    life.attempt(after=2.0)
    life.tell(StopRequested())
    dead = Dead(1, record(7), DeadReason.UNRECOVERABLE, BROKEN)
    assert of(life.tell(KeyAbandoned(7, frozenset({2}), [dead])), RecordsBuried)
    life.tell(DeadAppended())
    life.durable()
    assert life.journal[-1].resolved == [0, 1]  # type: ignore[union-attr]


def test_an_abandoned_attempt_was_handed_out_and_is_over() -> None:
    life = Life(LOST)
    life.poll(record(7))
    life.tell(OffsetStored())
    life.take(7)
    life.fail(7)
    life.durable()
    life.attempt(after=2.0)
    life.tell(StopRequested())
    life.tell(KeyAbandoned(7))
    life.durable()
    assert life.journal[-1].resolved == [0]  # type: ignore[union-attr]
