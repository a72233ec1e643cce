"""The events of the shop between Rust and Python: bodies, headers, keys and partitions are each other's."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from generated.shop.contracts import (
    OrderPlacedContract,
    OrdersHandlers,
    OrderShippedContract,
    PaymentReceivedContract,
)
from generated.shop.events import Currency, Line, OrderPlaced, OrderShipped, PaymentReceived
from tests.iggy_server import new_log
from tests.interop.peer import needs_peer, peer, run_peer
from wakuwaku import Batch, Consumer, ConsumerConfig, Event, Publisher, RetryableError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from wakuwaku.log.iggy import IggyLog

pytestmark = needs_peer

PARTITIONS = range(4)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def events_of(order_id: int) -> list[Event]:
    """Return an order of every kind of value, two payments and a parcel."""
    return [
        OrderPlaced(
            order_id=order_id,
            customer="Ada Lovelace — 愛",
            lines=(Line(sku="tea", quantity=2), Line(sku="cup", quantity=2**32 - 1)),
            currency=Currency.JPY,
            total_cents=2**63 - 1,
            coupon=None if order_id % 2 else "ten",
            placed_at=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        ),
        PaymentReceived(order_id=order_id, amount_cents=-3, last_paid_at=NOON, references=("a",)),
        PaymentReceived(
            order_id=order_id, amount_cents=5, last_paid_at=NOON + timedelta(microseconds=7), references=("b", "c")
        ),
        OrderShipped(order_id=order_id, carrier="post", tracking_code=""),
    ]


EVENTS = [event for order_id in (0, 7, 2**64 - 1, *range(100, 140)) for event in events_of(order_id)]


def micros(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1)


def told(event: Event) -> dict[str, Any]:
    """Return an event as the program in Rust reads and tells it."""
    match event:
        case OrderPlaced():
            return {
                "event": "OrderPlaced",
                "order_id": event.order_id,
                "customer": event.customer,
                "lines": [{"sku": line.sku, "quantity": line.quantity} for line in event.lines],
                "currency": event.currency.value,
                "total_cents": event.total_cents,
                "coupon": event.coupon,
                "placed_at": micros(event.placed_at),
            }
        case PaymentReceived():
            return {
                "event": "PaymentReceived",
                "order_id": event.order_id,
                "amount_cents": event.amount_cents,
                "last_paid_at": micros(event.last_paid_at),
                "references": list(event.references),
            }
        case OrderShipped():
            return {
                "event": "OrderShipped",
                "order_id": event.order_id,
                "carrier": event.carrier,
                "tracking_code": event.tracking_code,
            }
        case _:
            raise AssertionError(event)


def expanded(events: list[dict[str, Any]]) -> dict[int, list[Any]]:
    """Return what each order's handlers were given; payments as their sum, however they were folded."""
    orders: dict[int, list[Any]] = {}
    for event in events:
        seen = orders.setdefault(event["order_id"], [])
        if event["event"] == "PaymentReceived" and seen and seen[-1]["event"] == "PaymentReceived":
            before = seen.pop()
            event = {  # noqa: PLW2901 - both as one
                **event,
                "amount_cents": before["amount_cents"] + event["amount_cents"],
                "references": before["references"] + event["references"],
            }
        seen.append(event)
    return orders


class Keep(list[Event]):
    """Keep what handlers were given, and fail while it is said to."""

    failing = False

    def handlers(self) -> OrdersHandlers:
        """Return handlers that keep everything here."""

        def keep(events: Batch[Any]) -> None:
            if self.failing:
                raise RetryableError("told to")
            self.extend(events)

        class Placed(OrderPlacedContract):
            async def handle(self, events: Batch[OrderPlaced]) -> None:
                keep(events)

        class Paid(PaymentReceivedContract):
            async def handle(self, events: Batch[PaymentReceived]) -> None:
                keep(events)

        class Shipped(OrderShippedContract):
            async def handle(self, events: Batch[OrderShipped]) -> None:
                keep(events)

        return OrdersHandlers(order_placed=Placed(), payment_received=Paid(), order_shipped=Shipped())


@pytest.fixture
async def log() -> AsyncIterator[IggyLog]:
    """A log with the topics of the shop, also the one Rust keeps for what failed."""
    async with new_log() as log:
        await log.create_topic("orders", len(PARTITIONS))
        await log.create_topic("retry_orders", len(PARTITIONS))
        yield log


async def test_what_rust_publishes_python_handles(log: IggyLog) -> None:
    kept = Keep()
    await run_peer(log._stream, "shop-publish", lines=[json.dumps(told(event)) for event in EVENTS])

    async with Consumer(log, kept.handlers(), ConsumerConfig(consumer="c", partitions=PARTITIONS)) as consumer:
        await consumer.caught_up()

    assert expanded([told(event) for event in kept]) == expanded([told(event) for event in EVENTS])


async def done(log: IggyLog, consumer: str, topic: str) -> None:
    """Wait until a consumer has stored the last offset of every partition."""
    async with asyncio.timeout(120):
        for partition in PARTITIONS:
            end = (await log.bounds(topic, partition)).end
            while end and await log.load_offset(consumer, topic, partition) != end - 1:
                await asyncio.sleep(0.05)


async def test_what_python_publishes_rust_handles(log: IggyLog, tmp_path: Path) -> None:
    await Publisher(log).publish_many(EVENTS)

    async with peer(log._stream, "shop-consume", "c", "0,1,2,3", tmp_path / "told"):
        await done(log, "c", "orders")

    lines = (tmp_path / "told").read_text(encoding="utf-8").splitlines()
    assert expanded([json.loads(line) for line in lines]) == expanded([told(event) for event in EVENTS])


async def test_both_put_a_key_into_one_partition_with_the_same_headers(log: IggyLog) -> None:
    await run_peer(log._stream, "shop-publish", lines=[json.dumps(told(event)) for event in EVENTS])
    from_rust = [list((await log.read("orders", partition, 0, 1_000)).records) for partition in PARTITIONS]
    await Publisher(log).publish_many(EVENTS)

    for partition, records in zip(PARTITIONS, from_rust, strict=True):
        from_python = (await log.read("orders", partition, len(records), 1_000)).records
        assert [record.headers for record in from_python] == [record.headers for record in records]


async def test_python_takes_over_from_rust_and_rust_from_python_what_waits_in_the_shared_retry_topic(
    log: IggyLog, tmp_path: Path
) -> None:
    """Under one consumer name and one after another; what failed there is handled here, before what came later."""
    kept = Keep()
    kept.failing = True
    config = ConsumerConfig(
        consumer="c", partitions=PARTITIONS, share_retry_topic=True, retry_delays=(0.3,) * 50, poll_interval=0.01
    )
    first, later = events_of(7), events_of(7)[1:]
    async with Consumer(log, kept.handlers(), config):
        await Publisher(log).publish_many(first)
        await done(log, "c", "orders")  # all of it waits for another attempt

    async with peer(log._stream, "shop-consume", "c", "0,1,2,3", tmp_path / "told"):
        await Publisher(log).publish_many(later)
        await done(log, "c", "orders")
        await done(log, "c", "retry_orders")

    lines = [json.loads(line) for line in (tmp_path / "told").read_text(encoding="utf-8").splitlines()]
    assert expanded(lines) == expanded([told(event) for event in [*first, *later]])

    kept.failing = False
    async with Consumer(log, kept.handlers(), config) as consumer:
        await consumer.caught_up()
    assert kept == []  # nothing of it comes again


async def test_what_rust_left_in_the_shared_retry_topic_python_handles_before_what_came_later(log: IggyLog) -> None:
    """Records as Rust writes them have no source offset; they come first, in their order."""
    from wakuwaku._core.journal import encode_pending  # noqa: PLC0415 - what Rust writes, made here
    from wakuwaku._core.plan import Entry  # noqa: PLC0415

    publisher = Publisher(log)
    await publisher.publish_many(events_of(7))
    (partition,) = [one for one in PARTITIONS if (await log.bounds("orders", one)).end]
    records = (await log.read("orders", partition, 0, 10)).records
    waiting = [encode_pending(Entry(-1, record.head[0], record.head[13], record), 0) for record in records]
    await log.append("retry_orders", partition, waiting)
    await log.store_offset("c", "orders", partition, len(records) - 1)
    await publisher.publish_many(events_of(7)[1:])
    kept = Keep()
    config = ConsumerConfig(consumer="c", partitions=PARTITIONS, share_retry_topic=True, poll_interval=0.01)

    async with Consumer(log, kept.handlers(), config) as consumer:
        await consumer.caught_up()

    assert expanded([told(event) for event in kept]) == expanded(
        [told(event) for event in [*events_of(7), *events_of(7)[1:]]]
    )
