"""Leases: one holder at a time, and nobody writes who lost his."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from wakuwaku.errors import FencedError, LeaseHeldError, TopicNotFoundError
from wakuwaku.headers import Record
from wakuwaku.log import Bounds, Lease, OpenLog, SqliteLog
from wakuwaku.log.lease import UNCLAIMED, Grant, Machine, check_fence, granted, lease_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.runtime.log.conftest import Clock

RECORD = Record(b"", b"body")
HERE = Machine("db-1", "boot 1")


@pytest.fixture
def log(embedded: OpenLog) -> OpenLog:
    """A log that keeps leases."""
    return embedded


async def take(log: OpenLog, holder: str, seconds: float = 30, partition: int = 0, consumer: str = "p") -> Lease:
    return await log.lease(consumer, "orders", partition, holder=holder, seconds=seconds)


async def test_a_free_lease_is_given_to_who_asks(log: OpenLog, clock: Clock) -> None:
    lease = await take(log, "a")

    assert lease == Lease("p", "orders", 0, "a", 1, int(clock.now * 1_000) + 30_000)


async def test_a_second_holder_is_told_who_holds_it_and_until_when(log: OpenLog, clock: Clock) -> None:
    lease = await take(log, "a")

    with pytest.raises(
        LeaseHeldError, match=r"'a' on host .* holds the lease of consumer 'p' on partition 0"
    ) as caught:
        await take(log, "b")

    assert (caught.value.holder, caught.value.until_ms) == ("a", lease.until_ms)
    assert "until 1970-01-12T13:47:10.000+00:00, and longer if it renews it" in str(caught.value)


async def test_renewing_moves_the_end_and_keeps_the_token(log: OpenLog, clock: Clock) -> None:
    first = await take(log, "a")
    clock.now += 20

    renewed = await take(log, "a")

    assert (renewed.token, renewed.until_ms) == (first.token, first.until_ms + 20_000)
    await log.append("orders", 0, [RECORD], lease=first)  # what has the token may still be used


async def test_a_lease_that_ended_goes_to_the_next_and_the_first_can_write_no_more(log: OpenLog, clock: Clock) -> None:
    first = await take(log, "a")
    clock.now += 30
    second = await take(log, "b")

    with pytest.raises(FencedError, match=r"'a' lost the lease .* and 'b' has it \(token 2, here 1\)"):
        await log.append("orders", 0, [RECORD], lease=first)
    with pytest.raises(FencedError, match="nothing was written"):
        await log.store_offset("p", "orders", 0, 7, lease=first)
    with pytest.raises(LeaseHeldError):
        await take(log, "a")

    assert second.token > first.token
    assert await log.bounds("orders", 0) == Bounds(0, 0)
    assert await log.load_offset("p", "orders", 0) is None
    assert await log.append("orders", 0, [RECORD], lease=second) == 0


async def test_a_lease_that_ended_is_still_good_as_long_as_nobody_took_it(log: OpenLog, clock: Clock) -> None:
    lease = await take(log, "a")
    clock.now += 1_000

    assert await log.append("orders", 0, [RECORD], lease=lease) == 0
    assert (await take(log, "a")).token == lease.token


async def test_a_lease_that_was_given_up_is_free_at_once_and_fences_its_holder(log: OpenLog) -> None:
    first = await take(log, "a")
    await take(log, "a", seconds=0)

    with pytest.raises(FencedError, match="and nobody has it"):
        await log.append("orders", 0, [RECORD], lease=first)
    assert (await take(log, "b")).token > first.token


async def test_taking_a_lease_again_that_was_given_up_does_not_revive_the_old_one(log: OpenLog) -> None:
    first = await take(log, "a")
    await take(log, "a", seconds=0)
    second = await take(log, "a")

    with pytest.raises(FencedError):
        await log.store_offset("p", "orders", 0, 1, lease=first)
    await log.store_offset("p", "orders", 0, 1, lease=second)


async def test_giving_up_what_somebody_else_holds_changes_nothing(log: OpenLog) -> None:
    lease = await take(log, "a")

    given_up = await take(log, "b", seconds=0)

    with pytest.raises(FencedError):
        await log.append("orders", 0, [RECORD], lease=given_up)
    assert await log.append("orders", 0, [RECORD], lease=lease) == 0


async def test_leases_are_apart_by_consumer_and_partition(log: OpenLog) -> None:
    await take(log, "a")

    assert (await take(log, "b", partition=1)).token == 1
    assert (await take(log, "b", consumer="q")).token == 1


async def test_a_lease_guards_writes_to_any_topic(log: OpenLog, clock: Clock) -> None:
    """The retry and dead-letter topics of a consumer stand under the lease of its main partition."""
    await log.create_topic("retry_orders_p", 2)
    lease = await take(log, "a")
    assert await log.append("retry_orders_p", 0, [RECORD], lease=lease) == 0
    clock.now += 60
    await take(log, "b")

    with pytest.raises(FencedError):
        await log.append("retry_orders_p", 0, [RECORD], lease=lease)


async def test_appending_nothing_under_a_lost_lease_is_refused_too(log: OpenLog, clock: Clock) -> None:
    lease = await take(log, "a")
    clock.now += 60
    await take(log, "b")

    with pytest.raises(FencedError):
        await log.append("orders", 0, [], lease=lease)


async def test_a_lease_of_a_topic_that_is_not_there_is_no_lease(log: OpenLog) -> None:
    with pytest.raises(TopicNotFoundError, match="no topic 'refunds'"):
        await log.append("orders", 0, [RECORD], lease=Lease("p", "refunds", 0, "a", 1, 0))
    with pytest.raises(FencedError):
        await log.append("orders", 0, [RECORD], lease=Lease("p", "orders", 0, "a", 1, 0))


async def test_a_fenced_write_takes_no_other_with_it(log: OpenLog, clock: Clock) -> None:
    lost = await take(log, "a")
    clock.now += 60
    kept = await take(log, "b")

    results = await asyncio.gather(
        *(log.append("orders", 0, [RECORD], lease=lease) for lease in (kept, lost, kept)), return_exceptions=True
    )

    assert isinstance(results[1], FencedError)
    assert [results[0], results[2]] == [0, 1]


async def test_of_many_who_ask_at_once_one_gets_the_lease(log: OpenLog) -> None:
    results = await asyncio.gather(*(take(log, f"holder {number}") for number in range(20)), return_exceptions=True)

    won = [result for result in results if isinstance(result, Lease)]
    lost = [result for result in results if isinstance(result, LeaseHeldError)]
    assert (len(won), len(lost)) == (1, 19)
    assert {error.holder for error in lost} == {won[0].holder}


@pytest.mark.parametrize("seconds", [-1, 86_401, float("nan"), float("inf")])
async def test_a_lease_is_held_for_a_day_at_most(log: OpenLog, seconds: float) -> None:
    with pytest.raises(ValueError, match="a lease is held for 0 to 86400 seconds"):
        await take(log, "a", seconds=seconds)


async def test_a_holder_has_a_name(log: OpenLog) -> None:
    with pytest.raises(ValueError, match="a holder name has 1 to 255 bytes"):
        await take(log, "")


async def test_the_shortest_lease_is_no_release(log: OpenLog) -> None:
    await take(log, "a")
    lease = await take(log, "a", seconds=0.000_1)

    await log.append("orders", 0, [RECORD], lease=lease)


async def test_a_clock_that_jumps_back_lengthens_a_lease_by_no_more_than_its_length(log: OpenLog, clock: Clock) -> None:
    await take(log, "a", seconds=30)
    clock.now -= 365 * 86_400

    for waited in (0, 29):
        clock.now += waited
        with pytest.raises(LeaseHeldError):
            await take(log, "b")
    clock.now += 1

    assert (await take(log, "b")).token == 2


async def test_leases_are_in_the_file_for_other_processes_and_the_next_start(tmp_path: Path, clock: Clock) -> None:
    async with await SqliteLog.open(tmp_path / "events.db", clock=clock) as log:
        await log.create_topic("orders", 1)
        lease = await take(log, "a")

    async with await SqliteLog.open(tmp_path / "events.db", clock=clock) as log:
        with pytest.raises(LeaseHeldError):
            await take(log, "b")
        await log.append("orders", 0, [RECORD], lease=lease)


def test_a_holder_on_another_machine_is_a_reason_to_stop() -> None:
    grant = granted(UNCLAIMED, "a", Machine("db-2", "boot 2"), 1_000, 0)

    with pytest.raises(
        LeaseHeldError, match="on another machine than this one, host 'db-1': a log serves the programs"
    ):
        lease_of(grant, ("p", "orders", 0), "b", HERE, 1_000)


@pytest.mark.parametrize("machine", [HERE, Machine("container", "boot 1"), Machine("db-1", "boot before")])
def test_containers_and_restarts_of_this_machine_are_no_other_machine(machine: Machine) -> None:
    grant = granted(UNCLAIMED, "a", machine, 1_000, 0)

    with pytest.raises(LeaseHeldError) as caught:
        lease_of(grant, ("p", "orders", 0), "b", HERE, 1_000)

    assert "another machine" not in str(caught.value)


def test_the_token_only_ever_grows() -> None:
    grant, tokens = UNCLAIMED, [0]
    for holder, length_ms, now_ms in [("a", 10, 0), ("a", 10, 5), ("b", 10, 20), ("b", 0, 21), ("b", 10, 22)]:
        grant = granted(grant, holder, HERE, length_ms, now_ms)
        tokens.append(grant.token)

    assert tokens == [0, 1, 1, 2, 2, 3]
    check_fence(grant, Lease("p", "orders", 0, "b", 3, 0))
    assert grant == Grant("b", HERE, 3, 10, 32)
