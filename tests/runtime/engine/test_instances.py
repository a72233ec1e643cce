"""Two instances of one consumer: the second is kept out, and one that lost its lease writes nothing more."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.runtime.orders import OrderPlaced, Recorder, handlers_into
from wakuwaku import Consumer, ConsumerConfig, ConsumerStoppedError, Publisher
from wakuwaku._engine.tenure import holder_name, is_gone
from wakuwaku.errors import FencedError, LeaseHeldError
from wakuwaku.log.memory import MemoryLog

CONFIG: dict[str, Any] = {"consumer": "c", "partitions": (0,), "retry_delays": (0.001,), "poll_interval": 0.001}


async def one_order() -> MemoryLog:
    log = MemoryLog()
    await log.create_topic("orders", 1)
    await Publisher(log).publish(OrderPlaced(order_id=7, customer="Ada"))
    return log


async def test_a_second_instance_waits_until_the_first_has_left(caplog: pytest.LogCaptureFixture) -> None:
    log, first, second = await one_order(), Recorder(), Recorder()
    with caplog.at_level(logging.WARNING, "wakuwaku"):
        async with Consumer(log, handlers_into(first), ConsumerConfig(**CONFIG)) as consumer:
            await consumer.caught_up()
            waiting = Consumer(log, handlers_into(second), ConsumerConfig(**CONFIG))
            await waiting.start()
            while not caplog.records:
                await asyncio.sleep(0)
            await Publisher(log).publish(OrderPlaced(order_id=7, customer="Grace"))
            await consumer.caught_up()
        assert second.events == []
        await Publisher(log).publish(OrderPlaced(order_id=7, customer="Mary"))
        await waiting.caught_up()
        await waiting.shutdown()
    assert "taking the lease failed, next try in" in caplog.records[0].getMessage()
    assert "holds the lease of consumer 'c' on partition 0" in caplog.records[0].getMessage()
    assert [event.customer for event in first.events if isinstance(event, OrderPlaced)] == ["Ada", "Grace"]
    assert [event.customer for event in second.events if isinstance(event, OrderPlaced)] == ["Mary"]


async def test_an_instance_that_waits_for_the_lease_stops_at_once() -> None:
    log = await one_order()
    await log.lease("c", "orders", 0, holder="somebody", seconds=3600)
    consumer = Consumer(log, handlers_into(Recorder()), ConsumerConfig(**{**CONFIG, "retry_delays": (3600.0,)}))
    await consumer.start()
    await asyncio.sleep(0)
    assert (await consumer.shutdown()).unresolved == {}


async def test_an_instance_that_lost_its_lease_stops_loudly_and_stores_nothing() -> None:
    now = 1_000_000.0
    log = MemoryLog(clock=lambda: now)
    await log.create_topic("orders", 1)
    consumer = Consumer(log, handlers_into(Recorder()), ConsumerConfig(**CONFIG))
    await consumer.start()
    await consumer.caught_up()
    now += 3600.0
    await log.lease("c", "orders", 0, holder="somebody else", seconds=3600)
    await Publisher(log).publish(OrderPlaced(order_id=7, customer="Ada"))
    with pytest.raises(ConsumerStoppedError, match="lost the lease of consumer 'c' on partition 0") as stopped:
        await consumer.run_until_stopped()
    assert isinstance(stopped.value.__cause__, FencedError)
    assert await log.load_offset("c", "orders", 0) is None
    with pytest.raises(LeaseHeldError):
        await log.lease("c", "orders", 0, holder="a third", seconds=1)


async def test_a_lease_of_a_process_of_this_machine_that_has_ended_is_not_waited_for() -> None:
    program = "from wakuwaku._engine.tenure import holder_name; print(holder_name())"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    log, recorder = await one_order(), Recorder()
    await log.lease("c", "orders", 0, holder=ended, seconds=3600)
    async with Consumer(log, handlers_into(recorder), ConsumerConfig(**CONFIG)) as consumer:
        await consumer.caught_up()
    assert len(recorder.events) == 1


async def test_a_consumer_works_without_a_lease_where_that_is_asked_for() -> None:
    log, recorder = await one_order(), Recorder()
    await log.lease("c", "orders", 0, holder="somebody", seconds=3600)
    async with Consumer(log, handlers_into(recorder), ConsumerConfig(**CONFIG, lease_seconds=None)) as consumer:
        await consumer.caught_up()
    assert len(recorder.events) == 1


def test_this_process_is_not_gone() -> None:
    assert not is_gone(holder_name())


@pytest.mark.parametrize("holder", ["", "somebody", "other-host/1/x/y", f"{os.uname().nodename}/x/y/z"])
def test_a_holder_of_which_nothing_is_known_is_not_gone(holder: str) -> None:
    assert not is_gone(holder)
