"""Virtual time, and a wall clock that jumps."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from wakuwaku.config import GiveUp
from wakuwaku.testing import DeadlockError, VirtualLoop
from wakuwaku.testing.scenario import draw, without_wall_jumps
from wakuwaku.testing.simulation import play
from wakuwaku.testing.trace import CallEnded, CallStarted, Stored, Trace


def test_an_hour_passes_at_once() -> None:
    loop = VirtualLoop()
    began = loop.time()
    loop.run_until_complete(asyncio.sleep(3600))
    assert loop.time() == began + 3600
    loop.close()


def test_tasks_that_are_ready_at_once_run_in_an_order_drawn_from_the_seed() -> None:
    def order(seed: int) -> list[int]:
        ran: list[int] = []

        async def run(number: int) -> None:
            ran.append(number)

        async def all_at_once() -> None:
            await asyncio.gather(*(run(number) for number in range(6)))

        loop = VirtualLoop(Random(seed))
        loop.run_until_complete(all_at_once())
        loop.close()
        return ran

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(20)}) > 10


def test_waiting_for_what_never_comes_is_an_error() -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    loop = VirtualLoop()
    with pytest.raises(DeadlockError, match="every task waits"):
        loop.run_until_complete(forever())
    loop.clear()
    loop.close()


def test_going_round_without_time_passing_is_an_error() -> None:
    async def spin() -> None:
        while True:
            await asyncio.sleep(0)

    loop = VirtualLoop(patience=1_000)
    with pytest.raises(DeadlockError, match="time stood still"):
        loop.run_until_complete(spin())
    loop.clear()
    loop.close()


def test_threads_are_refused() -> None:
    async def in_thread() -> None:
        await asyncio.to_thread(int)

    loop = VirtualLoop()
    with pytest.raises(NotImplementedError, match="no threads in virtual time"):
        loop.run_until_complete(in_thread())
    loop.close()


def test_what_a_callback_raised_is_kept() -> None:
    def fails() -> None:
        raise LookupError("lost")

    loop = VirtualLoop()
    loop.call_later(1.0, fails)
    loop.run_until_complete(asyncio.sleep(2.0))
    loop.close()
    assert len(loop.errors) == 1
    assert "LookupError('lost')" in loop.errors[0]


def test_jumps_of_the_wall_clock_change_nothing_inside_a_life() -> None:
    """The same scenario with and without them: every call and every stored offset at the same instant."""
    compared = 0
    for seed in range(400):
        scenario = draw(seed)
        if scenario.lives or not scenario.wall_jumps or scenario.config.on_give_up is GiveUp.STOP:
            continue
        assert _seen(play(scenario)) == _seen(play(without_wall_jumps(scenario))), seed
        compared += 1
    assert compared > 10


def _seen(trace: Trace) -> list[object]:
    return [one for one in trace.happened if isinstance(one, CallStarted | CallEnded | Stored)]
