"""What every log promises, tried on each of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from wakuwaku import Algebra, LogError, Ordering
from wakuwaku.errors import LogClosedError, TopicMismatchError, TopicNotFoundError
from wakuwaku.headers import Record, encode_head
from wakuwaku.log import Bounds, OpenLog, TopicInfo
from wakuwaku.log.arguments import MAX_OFFSET

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

HEAD = encode_head(7, 42, Ordering.ACQUIRE, Algebra.IDEMPOTENT)


def numbered(count: int, mark: str = "record") -> list[Record]:
    return [Record(HEAD, f"{mark} {number}".encode()) for number in range(count)]


async def read_all(log: OpenLog, partition: int = 0, count: int = 100) -> Sequence[Record]:
    records: list[Record] = []
    offset = 0
    while page := await log.read("orders", partition, offset, count):
        assert page.offsets[0] >= offset
        assert len(page.offsets) == len(page.records)
        records += page.records
        offset = page.offsets[-1] + 1
    return records


async def test_records_come_back_as_they_were_in_the_order_of_the_appends(log: OpenLog) -> None:
    records = numbered(5)

    bases = [await log.append("orders", 0, records[:2]), await log.append("orders", 0, records[2:])]

    page = await log.read("orders", 0, 0, 100)
    assert bases == [0, 2]
    assert list(page.offsets) == [0, 1, 2, 3, 4]
    assert list(page.records) == records
    assert len(page) == 5


async def test_reading_starts_at_the_offset_asked_for_and_takes_no_more_than_asked(log: OpenLog) -> None:
    records = numbered(10)
    for start in (0, 1, 4):
        await log.append("orders", 0, records[start : {0: 1, 1: 4, 4: 10}[start]])

    for offset in range(10):
        for count in range(11):
            page = await log.read("orders", 0, offset, count)
            assert list(page.records) == records[offset : offset + count]
            assert list(page.offsets) == list(range(10))[offset : offset + count]


async def test_pages_of_any_size_add_up_to_the_whole_partition(log: OpenLog) -> None:
    records = numbered(2_500)
    await log.append("orders", 0, records[:2_203])
    for record in records[2_203:]:
        await log.append("orders", 0, [record])

    for count in (7, 1_000, 10_000):
        assert list(await read_all(log, count=count)) == records


@pytest.mark.parametrize("offset", [3, 4, 1_000, MAX_OFFSET])
async def test_an_offset_behind_the_end_gives_an_empty_page(log: OpenLog, offset: int) -> None:
    await log.append("orders", 0, numbered(3))

    page = await log.read("orders", 0, offset, 10)

    assert (list(page.offsets), list(page.records), len(page)) == ([], [], 0)


async def test_an_empty_partition_has_an_empty_page_and_empty_bounds(log: OpenLog) -> None:
    assert len(await log.read("orders", 1, 0, 10)) == 0
    assert await log.bounds("orders", 1) == Bounds(0, 0)


async def test_bounds_end_where_the_next_record_goes(log: OpenLog) -> None:
    await log.append("orders", 0, numbered(3))

    assert await log.bounds("orders", 0) == Bounds(0, 3)
    assert await log.append("orders", 0, numbered(1)) == 3


async def test_partitions_and_topics_are_apart(log: OpenLog) -> None:
    await log.create_topic("payments", 2)
    await log.append("orders", 0, numbered(2, "first"))
    await log.append("orders", 1, numbered(3, "second"))

    assert list((await log.read("orders", 0, 0, 10)).records) == numbered(2, "first")
    assert list((await log.read("orders", 1, 0, 10)).records) == numbered(3, "second")
    assert len(await log.read("payments", 0, 0, 10)) == 0


async def test_appending_nothing_leaves_no_trace(log: OpenLog) -> None:
    assert await log.append("orders", 0, []) is None
    assert await log.bounds("orders", 0) == Bounds(0, 0)


async def test_later_changes_of_the_callers_list_do_not_reach_the_log(log: OpenLog) -> None:
    records = numbered(2)
    await log.append("orders", 0, records)
    records.clear()

    assert list((await log.read("orders", 0, 0, 10)).records) == numbered(2)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(Record(HEAD, b""), id="empty body"),
        pytest.param(Record(HEAD, bytes(range(256)) * 4_096), id="1 MiB of every byte"),
        pytest.param(Record(HEAD, b"x", {"traceparent": b"\x00\xff", "ключ": b""}), id="unknown headers"),
        pytest.param(Record(b"", b"x"), id="no headers"),
        pytest.param(Record.of({"wakuwaku-tag": b"1", "wakuwaku-props": b""}, b"x"), id="malformed headers"),
    ],
)
async def test_any_record_comes_back_byte_for_byte(log: OpenLog, record: Record) -> None:
    await log.append("orders", 0, [*numbered(1), record, *numbered(1)])

    page = await log.read("orders", 0, 1, 1)

    assert list(page.records) == [record]
    assert page.records[0].headers == record.headers


async def test_large_records_are_read_to_the_end_however_they_are_paged(log: OpenLog) -> None:
    records = [Record(HEAD, bytes([number]) * 3_000_000) for number in range(8)]
    await log.append("orders", 0, records)

    assert list(await read_all(log)) == records


async def test_concurrent_appends_keep_the_records_of_a_call_together(log: OpenLog) -> None:
    calls = {f"call {number}": numbered(1 + number % 5, f"call {number}") for number in range(60)}

    bases = await asyncio.gather(*(log.append("orders", 0, records) for records in calls.values()))

    records = await read_all(log)
    for base, call in zip(bases, calls.values(), strict=True):
        assert base is not None
        assert list(records[base : base + len(call)]) == call
    assert len(records) == sum(map(len, calls.values()))


async def test_the_largest_offset_may_be_stored(embedded: OpenLog) -> None:
    """A server takes no offset beyond the end of a partition; a log of this package leaves that to its reader."""
    await embedded.store_offset("projection", "orders", 0, MAX_OFFSET)

    assert await embedded.load_offset("projection", "orders", 0) == MAX_OFFSET


async def test_a_stored_offset_is_loaded_again_also_after_it_went_down(log: OpenLog) -> None:
    await log.append("orders", 0, numbered(10))
    loaded: list[int | None] = []
    for offset in (5, 9, 0):
        await log.store_offset("projection", "orders", 0, offset)
        loaded.append(await log.load_offset("projection", "orders", 0))

    assert loaded == [5, 9, 0]


async def test_stored_offsets_are_apart_by_consumer_topic_and_partition(log: OpenLog) -> None:
    await log.create_topic("payments", 2)
    await log.append("orders", 0, numbered(6))
    await log.store_offset("projection", "orders", 0, 5)

    assert await log.load_offset("mailer", "orders", 0) is None
    assert await log.load_offset("projection", "orders", 1) is None
    assert await log.load_offset("projection", "payments", 0) is None


async def test_topics_are_listed_by_name(log: OpenLog) -> None:
    await log.create_topic("payments", 1)
    await log.create_topic("baskets", 3)

    assert list(await log.topics()) == [TopicInfo("baskets", 3), TopicInfo("orders", 2), TopicInfo("payments", 1)]
    assert await log.topic("orders") == TopicInfo("orders", 2)
    assert await log.topic("refunds") is None


async def test_creating_a_topic_again_keeps_what_it_holds(log: OpenLog) -> None:
    await log.append("orders", 0, numbered(1))

    assert await log.create_topic("orders", 2) == TopicInfo("orders", 2)
    assert await log.bounds("orders", 0) == Bounds(0, 1)


async def test_creating_a_topic_with_another_number_of_partitions_is_refused(log: OpenLog) -> None:
    with pytest.raises(TopicMismatchError, match="'orders' exists with 2 partitions, not 3"):
        await log.create_topic("orders", 3)

    assert await log.topic("orders") == TopicInfo("orders", 2)


PLACED: dict[str, Callable[[OpenLog, str, int], Awaitable[object]]] = {
    "bounds": lambda log, topic, partition: log.bounds(topic, partition),
    "append": lambda log, topic, partition: log.append(topic, partition, numbered(1)),
    "append nothing": lambda log, topic, partition: log.append(topic, partition, []),
    "read": lambda log, topic, partition: log.read(topic, partition, 0, 1),
    "load_offset": lambda log, topic, partition: log.load_offset("projection", topic, partition),
    "store_offset": lambda log, topic, partition: log.store_offset("projection", topic, partition, 0),
    "lease": lambda log, topic, partition: log.lease("projection", topic, partition, holder="a", seconds=1),
}


@pytest.mark.parametrize("call", PLACED)
async def test_an_unknown_topic_or_partition_is_named(log: OpenLog, call: str) -> None:
    with pytest.raises(TopicNotFoundError, match="no topic 'refunds'"):
        await PLACED[call](log, "refunds", 0)
    for partition in (2, -1):
        with pytest.raises(TopicNotFoundError, match=f"'orders' has the partitions 0 to 1, not {partition}"):
            await PLACED[call](log, "orders", partition)


MISTAKES: dict[str, tuple[Callable[[OpenLog], Awaitable[object]], str]] = {
    "read before the start": (lambda log: log.read("orders", 0, -1, 1), "an offset is 0 to .*, not -1"),
    "read from no offset": (lambda log: log.read("orders", 0, MAX_OFFSET + 1, 1), "an offset is 0 to"),
    "read a negative count": (lambda log: log.read("orders", 0, 0, -1), "a count of records is 0 or more, not -1"),
    "store a negative offset": (lambda log: log.store_offset("p", "orders", 0, -1), "an offset is 0 to .*, not -1"),
    "store no offset": (lambda log: log.store_offset("p", "orders", 0, MAX_OFFSET + 1), "an offset is 0 to"),
    "store for nobody": (lambda log: log.store_offset("", "orders", 0, 0), "a consumer name has 1 to 255 bytes"),
    "create without partitions": (lambda log: log.create_topic("new", 0), "a topic has 1 to 1000 partitions, not 0"),
    "create too many partitions": (lambda log: log.create_topic("new", 1_001), "a topic has 1 to 1000 partitions"),
    "create without a name": (lambda log: log.create_topic("", 1), "a topic name has 1 to 255 bytes of UTF-8, not 0"),
    "create a long name": (lambda log: log.create_topic("ж" * 128, 1), "a topic name has 1 to 255 .*, not 256"),
    "create an invisible name": (lambda log: log.create_topic("a\nb", 1), "printable characters only, not 'a\\\\nb'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
async def test_a_caller_mistake_is_refused_and_changes_nothing(log: OpenLog, mistake: str) -> None:
    call, message = MISTAKES[mistake]

    with pytest.raises(ValueError, match=message):
        await call(log)

    assert list(await log.topics()) == [TopicInfo("orders", 2)]
    assert await log.load_offset("p", "orders", 0) is None


async def test_a_cancelled_append_is_there_whole_or_not_at_all(log: OpenLog) -> None:
    tasks = [asyncio.create_task(log.append("orders", 0, numbered(3, f"call {number}"))) for number in range(20)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)

    last = await log.append("orders", 0, numbered(1, "last"))

    records = await read_all(log)
    assert last == len(records) - 1  # nothing of a cancelled call comes in later
    assert last % 3 == 0
    for number, result in enumerate(results):
        if isinstance(result, int):
            assert list(records[result : result + 3]) == numbered(3, f"call {number}")
        else:
            assert number % 2 == 0
            assert isinstance(result, asyncio.CancelledError)


async def test_closing_finishes_what_was_accepted(log: OpenLog) -> None:
    appends = [asyncio.create_task(log.append("orders", 0, numbered(2))) for _ in range(20)]
    read = asyncio.create_task(log.read("orders", 1, 0, 1))
    await asyncio.sleep(0)

    await log.close()

    assert set(await asyncio.gather(*appends)) == set(range(0, 40, 2))
    assert len(await read) == 0


CALLS: dict[str, Callable[[OpenLog], Awaitable[object]]] = {
    "topics": lambda log: log.topics(),
    "topic": lambda log: log.topic("orders"),
    "create_topic": lambda log: log.create_topic("orders", 2),
    **{name: lambda log, call=call: call(log, "orders", 0) for name, call in PLACED.items()},  # type: ignore[misc]
}


@pytest.mark.parametrize("call", CALLS)
async def test_a_closed_log_refuses_every_call(log: OpenLog, call: str) -> None:
    await log.close()

    with pytest.raises(LogClosedError, match="closed"):
        await CALLS[call](log)


async def test_closing_twice_also_at_once_is_fine(log: OpenLog) -> None:
    await asyncio.gather(log.close(), log.close())
    await log.close()

    with pytest.raises(LogError):
        await log.topics()
