"""The publisher sends all that is valid, in order per key, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.runtime.orders import ORDERS_CODECS, OrderKey, OrderPlaced, OrderShipped, PaymentReceived
from wakuwaku import Ordering, Publisher, PublishError
from wakuwaku.errors import LogUnavailableError
from wakuwaku.headers import Record, parse_head
from wakuwaku.keyhash import partition_of
from wakuwaku.log import Lease
from wakuwaku.log.memory import MemoryLog


def placed(order_id: int, customer: Any = "Ada") -> OrderPlaced:
    return OrderPlaced(order_id=order_id, customer=customer)


class Counting(MemoryLog):
    """A log that counts appends, and fails those to some partitions."""

    def __init__(self, *failing: int) -> None:
        super().__init__()
        self.appends: list[tuple[str, int, int]] = []
        self.failing = failing

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        self.appends.append((topic, partition, len(records)))
        if partition in self.failing:
            raise LogUnavailableError(f"partition {partition} is down")
        return await super().append(topic, partition, records, lease=lease)


async def records_of(log: MemoryLog) -> dict[int, list[Record]]:
    return {partition: list((await log.read("orders", partition, 0, 1000)).records) for partition in range(4)}


async def test_a_record_carries_tag_key_hash_ordering_algebra_and_body() -> None:
    log = MemoryLog()
    await Publisher(log).publish(placed(7))
    ((record,),) = [records for records in (await records_of(log)).values() if records]
    key = OrderKey.__wakuwaku__.hash(OrderKey(order_id=7))
    described = OrderPlaced.__wakuwaku__
    assert parse_head(record) == (1, key, described.ordering, described.algebra)
    assert ORDERS_CODECS[1].decode(record.body) == placed(7)


async def test_a_key_goes_to_the_partition_its_hash_names_in_the_order_given() -> None:
    log = MemoryLog()
    events = [placed(n % 5, str(n)) for n in range(50)]
    await Publisher(log).publish_many(events)
    for partition, records in (await records_of(log)).items():
        decoded = [ORDERS_CODECS[1].decode(record.body) for record in records]
        expected = [event for event in events if partition_of(OrderKey.__wakuwaku__.hash(event), 4) == partition]
        assert decoded == expected


async def test_one_append_is_made_per_partition() -> None:
    log = Counting()
    await Publisher(log).publish_many([placed(n) for n in range(100)])
    assert sorted(partition for _, partition, _ in log.appends) == [0, 1, 2, 3]
    assert sum(count for *_, count in log.appends) == 100


async def test_nothing_to_publish_is_nothing_to_do() -> None:
    log = Counting()
    await Publisher(log).publish_many([])
    assert log.appends == []
    assert await log.topics() == []


async def test_an_ordering_can_be_given_for_one_publish() -> None:
    log = MemoryLog()
    await Publisher(log).publish(placed(7), ordering=Ordering.ACQ_REL)
    ((record,),) = [records for records in (await records_of(log)).values() if records]
    assert parse_head(record).ordering is Ordering.ACQ_REL


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (placed(1, customer=5), r"Expected `str`, got `int` - at `\$\.customer`"),
        (placed(1, customer=object()), "Encoding objects of type object is unsupported"),
        (placed(2**64), "out of range|too big|can't serialize"),
        (placed(-1), "argument out of range|int too large|required argument|unsigned|format"),
    ],
    ids=["wrong type", "not encodable", "wider than the wire", "outside of the key's width"],
)
async def test_an_event_its_consumer_would_refuse_is_refused_and_nothing_is_sent(bad: OrderPlaced, reason: str) -> None:
    log = Counting()
    with pytest.raises(PublishError, match=r"event 1 \(OrderPlaced\) is not valid, nothing was sent: ") as refused:
        await Publisher(log).publish_many([placed(1), bad])
    assert refused.match(reason)
    assert log.appends == []


async def test_the_real_number_of_partitions_counts_not_the_declared_one() -> None:
    log = MemoryLog()
    await log.create_topic("orders", 1)
    await Publisher(log).publish_many([placed(n) for n in range(20)])
    assert len((await log.read("orders", 0, 0, 1000)).records) == 20


async def test_a_failed_append_does_not_stop_the_others_and_is_told() -> None:
    log = Counting(1, 2)
    with pytest.raises(LogUnavailableError, match=r"partition [12] is down") as failed:
        await Publisher(log).publish_many([placed(n) for n in range(100)])
    assert failed.value.__notes__[0].startswith("another partition failed too: partition")
    counts = {partition: len(records) for partition, records in (await records_of(log)).items()}
    assert [partition for partition, count in counts.items() if count] == [0, 3]


async def test_events_of_several_types_and_keys_go_in_one_call() -> None:
    log = MemoryLog()
    await Publisher(log).publish_many(
        [placed(1), PaymentReceived(order_id=1, amount_cents=5), OrderShipped(order_id=2, carrier="post")]
    )
    records = [record for partition in (await records_of(log)).values() for record in partition]
    assert sorted(parse_head(record).tag for record in records) == [1, 2, 3]
