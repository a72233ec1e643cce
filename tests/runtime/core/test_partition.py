"""The partition machine, step by step: what happened goes in, what is to be done comes out."""

from __future__ import annotations

from typing import Any

from tests.runtime.core.records import record
from wakuwaku._core.commands import (
    AppendDead,
    Command,
    Dead,
    DeadReason,
    Failure,
    Finish,
    Latched,
    OffsetsSkipped,
    Poll,
    QueueKeys,
    RecordRefused,
    RecordsBuried,
    RunKey,
    SleepUntil,
    StoreOffset,
    Unlatched,
)
from wakuwaku._core.inputs import (
    DeadAppended,
    Input,
    KeyAbandoned,
    KeyFinished,
    KeyTaken,
    OffsetStored,
    Polled,
    Started,
    StopRequested,
    TransientFailed,
    TransientPassed,
    Woke,
)
from wakuwaku._core.partition import Partition
from wakuwaku._core.settings import Settings, UnknownEvents
from wakuwaku.algebra import Algebra
from wakuwaku.headers import Record
from wakuwaku.ordering import Ordering

SETTINGS = Settings(
    algebras={1: Algebra.NON_ASSOCIATIVE, 2: Algebra.IDEMPOTENT}, ignored=frozenset({9}), poll_count=4, max_in_flight=6
)
BROKEN = Failure("ValueError", "no", handler="H", attempts=1)


class Machine(Partition):
    """A partition that has started, at a time that stands still."""

    def __init__(self, settings: Settings = SETTINGS, **at: Any) -> None:
        super().__init__(settings, **{"stored": None, **at})
        self.opening = self.step(Started(), 0.0)

    def tell(self, happened: Input, now: float = 0.0) -> list[Command]:
        return self.step(happened, now)

    def poll(self, *records: Record, start: int | None = None) -> list[Command]:
        first = self.position if start is None else start
        return self.tell(Polled(range(first, first + len(records)), records))


def offsets(commands: list[Command]) -> list[list[int]]:
    """Return the offsets of the runs of the one key that is to run."""
    (run,) = (command for command in commands if isinstance(command, RunKey))
    return [[entry.offset for entry in one] for segment in run.segments for one in segment.runs()]


def test_reading_starts_behind_the_stored_offset() -> None:
    assert Machine(stored=41).opening == [Poll(42, 4)]


def test_reading_starts_at_the_first_record_without_a_stored_offset() -> None:
    assert Machine(first=7).opening == [Poll(7, 4)]


def test_each_key_is_queued_once_and_reading_goes_on() -> None:
    machine = Machine()
    assert machine.poll(record(1), record(2), record(1)) == [QueueKeys([1, 2]), Poll(3, 4)]
    assert machine.in_flight == 3


def test_all_that_waits_for_a_key_is_planned_as_one_batch() -> None:
    machine = Machine()
    machine.poll(record(1), record(1))
    machine.poll(record(1))
    assert offsets(machine.tell(KeyTaken(1))) == [[0, 1, 2]]


def test_what_arrives_for_a_running_key_waits_until_it_is_done() -> None:
    machine = Machine()
    machine.poll(record(1))
    machine.tell(KeyTaken(1))
    assert QueueKeys([1]) not in machine.poll(record(1))
    assert QueueKeys((1,)) in machine.tell(KeyFinished(1))
    assert offsets(machine.tell(KeyTaken(1))) == [[1]]


def test_a_slow_key_does_not_hold_back_another() -> None:
    machine = Machine()
    machine.poll(record(1), record(2))
    machine.tell(KeyTaken(1))
    machine.tell(KeyTaken(2))
    machine.tell(KeyFinished(2))
    assert QueueKeys([2]) in machine.poll(record(2))


def test_the_offset_is_not_stored_past_a_running_key() -> None:
    machine = Machine()
    machine.poll(record(1), record(2))
    machine.tell(KeyTaken(1))
    machine.tell(KeyTaken(2))
    assert not any(isinstance(command, StoreOffset) for command in machine.tell(KeyFinished(2)))
    assert StoreOffset(1) in machine.tell(KeyFinished(1))


def test_a_poll_s_worth_is_stored_while_a_later_key_runs() -> None:
    machine = Machine()
    machine.poll(*[record(1)] * 4)
    machine.poll(record(2))
    machine.tell(KeyTaken(1))
    machine.tell(KeyTaken(2))
    assert StoreOffset(3) in machine.tell(KeyFinished(1))


def test_one_offset_is_stored_at_a_time() -> None:
    machine = Machine()
    machine.poll(record(1))
    machine.tell(KeyTaken(1))
    assert StoreOffset(0) in machine.tell(KeyFinished(1))
    machine.poll(record(1))
    machine.tell(KeyTaken(1))
    assert not any(isinstance(command, StoreOffset) for command in machine.tell(KeyFinished(1)))
    assert StoreOffset(1) in machine.tell(OffsetStored())
    assert machine.stored == 0


def test_reading_pauses_while_too_much_is_in_flight() -> None:
    machine = Machine()
    machine.poll(*[record(key) for key in range(4)])
    assert not any(isinstance(command, Poll) for command in machine.poll(*[record(key) for key in range(4, 8)]))
    machine.tell(KeyTaken(0))
    assert not any(isinstance(command, Poll) for command in machine.tell(KeyFinished(0)))
    machine.tell(KeyTaken(1))
    machine.tell(KeyFinished(1))
    machine.tell(KeyTaken(2))
    assert Poll(8, 4) in machine.tell(KeyFinished(2))


def test_sleep_at_the_end_of_the_log_grows_until_a_record_comes() -> None:
    machine = Machine()
    sleeps = []
    for _ in range(5):
        (sleep,) = machine.tell(Polled((), ()), 100.0)
        assert isinstance(sleep, SleepUntil)
        sleeps.append(round(sleep.at - 100.0, 3))
        assert machine.tell(Woke(), sleep.at) == [Poll(0, 4)]
    assert sleeps == [0.1, 0.2, 0.4, 0.8, 1.0]
    machine.poll(record(1))
    assert SleepUntil(0.1) in machine.tell(Polled((), ()))


def test_a_gap_in_the_log_is_told_with_its_range() -> None:
    assert Machine().poll(record(1), start=5) == [OffsetsSkipped(0, 4), QueueKeys([1]), Poll(6, 4)]


def test_an_ignored_event_is_passed_over() -> None:
    machine = Machine()
    assert machine.poll(record(1, tag=9)) == [StoreOffset(0), Poll(1, 4)]


def test_an_unknown_tag_goes_to_the_dead_letters() -> None:
    stray = record(1, tag=77)
    dead = Dead(0, stray, DeadReason.UNKNOWN_TAG, Failure("UnknownTag", "no handler knows tag 77"))
    assert Machine().poll(stray) == [RecordRefused(dead), AppendDead([dead]), Poll(1, 4)]


def test_an_unknown_tag_is_passed_over_where_that_is_the_policy() -> None:
    machine = Machine(Settings(algebras=SETTINGS.algebras, unknown=UnknownEvents.SKIP))
    assert StoreOffset(0) in machine.poll(record(1, tag=77))


def test_another_algebra_than_the_registered_one_goes_to_the_dead_letters() -> None:
    commands = Machine().poll(record(1, algebra=Algebra.COMMUTATIVE))
    (append,) = (command for command in commands if isinstance(command, AppendDead))
    assert append.dead[0].reason is DeadReason.ALGEBRA_MISMATCH
    assert append.dead[0].failure.message == "tag 1 is NON_ASSOCIATIVE, the record says COMMUTATIVE"


def test_a_bad_header_goes_to_the_dead_letters_and_the_rest_of_the_poll_runs() -> None:
    commands = Machine().poll(Record(b"", b"junk"), record(1), Record(record(1).head[:-1] + b"\xff", b""))
    assert QueueKeys([1]) in commands
    (append,) = (command for command in commands if isinstance(command, AppendDead))
    assert [(dead.offset, dead.reason) for dead in append.dead] == [
        (0, DeadReason.BAD_HEADER),
        (2, DeadReason.BAD_HEADER),
    ]


def test_a_dead_record_is_resolved_only_when_its_letter_is_durable() -> None:
    machine = Machine()
    machine.poll(record(1), record(1))
    machine.tell(KeyTaken(1))
    dead = Dead(0, record(1), DeadReason.UNRECOVERABLE, BROKEN)
    commands = machine.tell(KeyFinished(1, [dead]))
    assert RecordsBuried(DeadReason.UNRECOVERABLE, BROKEN, [0]) in commands
    assert AppendDead([dead]) in commands
    assert not any(isinstance(command, StoreOffset) for command in commands)
    assert machine.tell(DeadAppended()) == [StoreOffset(1)]


def test_letters_that_come_while_others_are_written_go_in_the_next_append() -> None:
    machine = Machine()
    machine.poll(record(1, tag=77), record(1, tag=78))
    commands = machine.poll(record(1, tag=79))
    assert not any(isinstance(command, AppendDead) for command in commands)
    (append,) = (command for command in machine.tell(DeadAppended()) if isinstance(command, AppendDead))
    assert [dead.offset for dead in append.dead] == [2]


def test_one_note_is_made_for_each_failure() -> None:
    machine = Machine()
    machine.poll(record(1), record(1), record(1))
    machine.tell(KeyTaken(1))
    other = Failure("TypeError", "odd")
    commands = machine.tell(
        KeyFinished(
            1,
            [
                Dead(0, record(1), DeadReason.GAVE_UP, BROKEN),
                Dead(1, record(1), DeadReason.UNDECODABLE_BODY, other),
                Dead(2, record(1), DeadReason.GAVE_UP, BROKEN),
            ],
        )
    )
    assert [command for command in commands if isinstance(command, RecordsBuried)] == [
        RecordsBuried(DeadReason.GAVE_UP, BROKEN, [0, 2]),
        RecordsBuried(DeadReason.UNDECODABLE_BODY, other, [1]),
    ]


def test_a_wait_in_place_stops_reading_and_is_told_once() -> None:
    machine = Machine()
    machine.poll(record(1), record(2))
    machine.tell(KeyTaken(1))
    machine.tell(KeyTaken(2))
    assert machine.tell(TransientFailed(1, "H"), 5.0) == [Latched("H")]
    assert machine.tell(TransientFailed(2, "H"), 6.0) == []
    assert not any(isinstance(command, Poll) for command in machine.poll())
    assert machine.tell(TransientPassed(1), 7.0) == []
    assert machine.tell(TransientPassed(2), 9.0) == [Unlatched("H", 3.0), Poll(2, 4)]
    machine.tell(KeyFinished(1))
    machine.tell(Woke())


def test_other_keys_finish_what_they_hold_while_one_waits_in_place() -> None:
    machine = Machine()
    machine.poll(record(1), record(2))
    machine.tell(KeyTaken(1))
    machine.tell(TransientFailed(1, "H"))
    assert offsets(machine.tell(KeyTaken(2))) == [[1]]


def test_reading_goes_on_when_the_wait_in_place_is_over() -> None:
    machine = Machine()
    machine.poll(record(1))
    machine.tell(KeyTaken(1))
    machine.tell(TransientFailed(1, "H"))
    assert machine.poll(record(2)) == [QueueKeys([2])]
    assert machine.tell(TransientPassed(1), 1.0) == [Unlatched("H", 1.0), Poll(2, 4)]


def test_a_stop_of_an_idle_partition_is_through_at_once() -> None:
    machine = Machine()
    machine.tell(Polled((), ()))
    assert machine.tell(StopRequested()) == [Finish()]
    assert machine.tell(Woke()) == []


def test_nothing_new_starts_after_a_stop() -> None:
    machine = Machine()
    machine.poll(record(1), record(2))
    machine.tell(KeyTaken(1))
    assert machine.tell(StopRequested()) == []
    assert machine.tell(KeyTaken(2)) == []
    assert machine.poll(record(3)) == []
    assert machine.tell(KeyFinished(1)) == [StoreOffset(0)]
    assert machine.tell(OffsetStored()) == [Finish()]
    assert machine.in_flight == 1


def test_failures_of_the_drain_are_durable_before_the_offset() -> None:
    machine = Machine()
    machine.poll(record(1))
    machine.tell(KeyTaken(1))
    machine.tell(StopRequested())
    dead = Dead(0, record(1), DeadReason.GAVE_UP, BROKEN)
    assert machine.tell(KeyFinished(1, [dead]))[-1] == AppendDead([dead])
    assert machine.tell(DeadAppended()) == [StoreOffset(0)]
    assert machine.tell(OffsetStored()) == [Finish()]


def test_an_empty_poll_after_a_stop_does_not_sleep() -> None:
    machine = Machine()
    machine.poll(record(1))
    machine.tell(KeyTaken(1))
    machine.tell(StopRequested())
    assert machine.tell(Polled((), ())) == []


def test_an_abandoned_key_has_no_outcome() -> None:
    machine = Machine()
    machine.poll(record(1), record(1))
    machine.tell(KeyTaken(1))
    machine.tell(TransientFailed(1, "H"))
    machine.tell(StopRequested())
    assert machine.tell(KeyAbandoned(1)) == [Finish()]
    assert machine.in_flight == 2
    assert machine.stored is None


def test_everything_before_an_offset_is_resolved_when_it_was_read_and_is_done() -> None:
    machine = Machine()
    assert machine.resolved_before(0)
    assert not machine.resolved_before(1)
    machine.poll(record(1), record(2, ordering=Ordering.ACQUIRE))
    machine.tell(KeyTaken(1))
    machine.tell(KeyFinished(1))
    assert machine.resolved_before(1)
    assert not machine.resolved_before(2)
    machine.tell(KeyTaken(2))
    machine.tell(KeyFinished(2))
    assert machine.resolved_before(2)
