"""One topic, two consumers, in Rust and in Python: both call their handlers with the same events in the same order."""

from __future__ import annotations

import asyncio
import os
import random
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.iggy_server import new_log, server_address
from tests.interop.peer import needs_peer, peer
from tests.interop.trace_events import EVENTS, POISON, TOPIC, Handled, TraceKey, handlers_into
from wakuwaku import Algebra, Consumer, ConsumerConfig, Ordering, Publisher
from wakuwaku.headers import parse_head

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tests.interop.peer import Peer
    from wakuwaku.log.iggy import IggyLog

pytestmark = [*needs_peer, pytest.mark.slow]

#: How many events go into the topic; the long form is 100 000.
EVENTS_IN_ALL = int(os.environ.get("WAKUWAKU_TRACE", "3000"))
EVENTS_OF_A_KEY = 50
#: Keys whose events lie close together in the log, so that a poll has many of each.
KEYS_TOGETHER = 100
PARTITIONS = range(4)
ACQUIRING = (Ordering.ACQUIRE, Ordering.ACQ_REL)
RELEASING = (Ordering.RELEASE, Ordering.ACQ_REL)


class Drawn(NamedTuple):
    """Hold an event to publish."""

    tag: int
    ordering: Ordering
    customer: str
    number: int
    value: int

    @property
    def line(self) -> str:
        """Return it as the program in Rust reads it."""
        return f"{self.tag} {int(self.ordering)} {self.customer} {self.number} {self.value}"


def draw(count: int) -> list[list[Drawn]]:
    """Return rounds of events, one for each of some keys, of all types and orderings; some equal the one before."""
    chance = random.Random(count)
    keys = [(POISON if number % 97 == 13 else "Ada", number) for number in range(max(1, count // EVENTS_OF_A_KEY))]
    last: dict[tuple[int, int], int] = {}
    rounds: list[list[Drawn]] = []
    value = 0
    for start in range(0, len(keys), KEYS_TOGETHER):
        for _ in range(EVENTS_OF_A_KEY):
            one: list[Drawn] = []
            for customer, number in keys[start : start + KEYS_TOGETHER]:
                tag, value = chance.randint(1, 5), value + 1
                ordering = chance.choices(list(Ordering), (6, 1, 1, 1))[0]
                repeats = tag in {3, 5} and (tag, number) in last and chance.random() < 0.4
                this = last[tag, number] if repeats else value
                last[tag, number] = this
                one.append(Drawn(tag, ordering, customer, number, this))
            rounds.append(one)
    return rounds


async def publish(log: IggyLog, rust: Peer, rounds: Sequence[Sequence[Drawn]]) -> None:
    """Publish the rounds, in turn from Rust and from Python."""
    publisher = Publisher(log)
    for number, events in enumerate(rounds):
        if number % 2:
            await rust.say([*(event.line for event in events), "flush"])
            assert await rust.hear() == "flushed"
            continue
        for ordering in Ordering:
            await publisher.publish_many(
                [
                    EVENTS[event.tag](customer=event.customer, number=event.number, values=(event.value,))
                    for event in events
                    if event.ordering is ordering
                ],
                ordering=ordering,
            )


async def caught_up(log: IggyLog, consumer: str, retry_topic: str) -> None:
    """Wait until a consumer has stored the last offset of both topics."""
    async with asyncio.timeout(600):
        for topic in (TOPIC, retry_topic):
            for partition in PARTITIONS:
                while (await log.bounds(topic, partition)).end - 1 > (
                    await log.load_offset(consumer, topic, partition) or -1
                ):
                    await asyncio.sleep(0.1)


class Logged(NamedTuple):
    """Hold an event as it stands in the log."""

    tag: int
    ordering: Ordering
    value: int


async def log_of(log: IggyLog) -> Mapping[TraceKey, list[Logged]]:
    """Return the events of each key in log order."""
    keys: defaultdict[TraceKey, list[Logged]] = defaultdict(list)
    codecs = handlers_into([]).__wakuwaku__.codecs
    for partition in PARTITIONS:
        offset = 0
        while page := await log.read(TOPIC, partition, offset, 1_000):
            for record in page.records:
                head = parse_head(record)
                event = codecs[head.tag].decode(record.body)
                keys[event.key].append(Logged(head.tag, head.ordering, event.values[0]))
            offset = page.offsets[-1] + 1
    return keys


def by_key(trace: Iterable[Handled]) -> Mapping[TraceKey, list[tuple[int, int]]]:
    """Return what each key's handlers took, event by event, each where it came up first.

    A folded event counts as those it was folded of. Both systems may hand an event out again after a failure.
    """
    keys: defaultdict[TraceKey, dict[tuple[int, int], None]] = defaultdict(dict)
    for handled in trace:
        key = TraceKey(customer=handled.customer, number=handled.number)
        keys[key] |= dict.fromkeys((handled.tag, value) for value in handled.values)
    return {key: list(events) for key, events in keys.items()}


def check_order(logged: Sequence[Logged], handled: Sequence[tuple[int, int]]) -> None:
    """Check the law of order: every pair that the log orders was handled in that order."""
    places = {event: place for place, event in enumerate(handled)}
    firsts: dict[tuple[int, int], Logged] = {}
    for event in logged:  # an equal event that was collapsed into an earlier one has no place of its own
        firsts.setdefault((event.tag, event.value), event)
    events = [event for event in firsts.values() if (event.tag, event.value) in places]
    for position, earlier in enumerate(events):
        for later in events[position + 1 :]:
            if earlier.tag == later.tag == 5:
                continue  # equal in any order: a run of them may be handled in any
            if earlier.tag == later.tag or earlier.ordering in ACQUIRING or later.ordering in RELEASING:
                assert places[earlier.tag, earlier.value] < places[later.tag, later.value], (earlier, later)


def never_handled(key: TraceKey, event: Logged) -> bool:
    """Tell whether an event fails for good, by the rules of the handlers."""
    return event.tag == 1 and (key.customer == POISON or event.value % 211 == 5)


def read_trace(path: Path) -> list[Handled]:
    """Read what the program in Rust wrote."""
    fields = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Handled(int(tag), customer, int(number), tuple(map(int, values.split(","))))
        for tag, customer, number, values in fields
    ]


async def test_rust_and_python_call_their_handlers_with_the_same_events_in_the_same_order(tmp_path: Path) -> None:
    """Published by both in turn, consumed by both at once, with handlers that fail in every way there is.

    Half of it lies in the log when the consumers start, the rest comes while they run.
    """
    in_python: list[Handled] = []
    config = ConsumerConfig(
        consumer="in-python", partitions=PARTITIONS, retry_delays=(0.005,) * 40, failures_in_a_row=100_000
    )
    trace = tmp_path / "trace"
    async with new_log(replace(server_address(), durability="replicated")) as log:
        for topic in (TOPIC, f"retry_{TOPIC}"):  # an older server refuses the options with which Rust would create it
            await log.create_topic(topic, len(PARTITIONS))
        rounds = draw(EVENTS_IN_ALL)
        async with peer(log._stream, "trace-publish") as publisher:
            await publish(log, publisher, rounds[::2])
            async with (
                peer(log._stream, "trace-consume", "in-rust", "0,1,2,3", trace),
                Consumer(log, handlers_into(in_python), config) as consumer,
            ):
                await publish(log, publisher, rounds[1::2])
                async with asyncio.timeout(600):
                    await consumer.caught_up()
                await caught_up(log, "in-rust", f"retry_{TOPIC}")
        logged = await log_of(log)
        waited = {
            topic: sum([(await log.bounds(topic, partition)).end for partition in PARTITIONS])
            for topic in (f"retry_{TOPIC}", f"retry_{TOPIC}_in-python", f"dead_{TOPIC}_in-python")
        }
    calls = {"rust": read_trace(trace), "python": in_python}
    print({system: len(handled) for system, handled in calls.items()}, waited)
    assert all(waited.values())  # handlers failed, for a while and for good
    assert all(any(len(one.values) > 1 for one in handled) for handled in calls.values())  # events were folded
    traces = {system: by_key(handled) for system, handled in calls.items()}

    assert sum(map(len, logged.values())) >= EVENTS_IN_ALL
    assert {event.ordering for events in logged.values() for event in events} == set(Ordering)
    assert {EVENTS[tag].__wakuwaku__.algebra for events in logged.values() for tag, _, _ in events} == set(Algebra)
    for key, events in logged.items():
        expected = {(event.tag, event.value) for event in events if not never_handled(key, event)}
        for system, handled in traces.items():
            assert set(handled.get(key, ())) == expected, system
            check_order(events, handled.get(key, ()))
        for tag in (1, 2, 3, 4):
            sequences = [[value for kind, value in one.get(key, ()) if kind == tag] for one in traces.values()]
            assert sequences[0] == sequences[1]
    assert set(traces["rust"]) == set(traces["python"]) <= set(logged)
