"""Play a scenario: lives of a consumer, one after another or two at once, on one durable log, in virtual time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Coroutine, Generator, Sequence
from random import Random
from typing import Any

from wakuwaku._engine.subscription import retry_topic
from wakuwaku.config import GiveUp
from wakuwaku.consumer import Consumer
from wakuwaku.deadletter import dead_topic
from wakuwaku.errors import ConsumerStoppedError, FencedError, LeaseHeldError, LogUnavailableError
from wakuwaku.handler import Batch
from wakuwaku.headers import Record
from wakuwaku.observe.logging import logger
from wakuwaku.testing.acting import Actor
from wakuwaku.testing.faults import Connection, DurableLog
from wakuwaku.testing.scenario import End, Life, Scenario
from wakuwaku.testing.topic import TOPIC, Scripted
from wakuwaku.testing.trace import (
    ClockRead,
    Crashed,
    Dropped,
    Idle,
    LifeStarted,
    Published,
    Recorded,
    StopAsked,
    Stopped,
    StopReturned,
    Trace,
)
from wakuwaku.testing.virtual import DeadlockError, VirtualLoop

__all__ = ["SimulationError", "play"]

#: Unix time at which simulations start.
_EPOCH = 1_700_000_000.0

#: Virtual seconds after which the last life must have done everything.
_LONG_ENOUGH = 3600.0

#: Virtual seconds after which a life ends that has steps left: it may have nothing to do.
_LONG_LIFE = 40.0

#: How often a consumer may be started before it must have done everything; a policy may stop it at every failure.
_MOST_LIVES = 200


class SimulationError(AssertionError):
    """Report that a simulation did not come to its end: something hangs, or broke in a way nobody asked for."""


def play(scenario: Scenario) -> Trace:
    """Play a scenario to its end and return what happened; raises `SimulationError`."""
    loop = VirtualLoop(_random(scenario, "order") if scenario.shuffled else None)
    stage = _Stage(scenario, loop)
    with _silence():
        try:
            loop.run_until_complete(stage.run())
        except DeadlockError as error:
            raise SimulationError(str(error)) from error
        finally:
            stage.cut()
            loop.clear()
            loop.close()
    if loop.errors:
        raise SimulationError("; ".join(loop.errors))
    return stage.trace


class _Life:
    """Be one consumer and its connection to the log."""

    def __init__(self, number: int, connection: Connection, consumer: Consumer) -> None:
        self.number = number
        self.connection = connection
        self.consumer = consumer
        self.started = False
        self.knows_time = False
        self.crashes = False
        self.ends_at = float("inf")  # the step of the event loop
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class _Stage:
    """Keep what outlives a consumer: the log, the clocks, what handlers' scripts have left, and the trace."""

    def __init__(self, scenario: Scenario, loop: VirtualLoop) -> None:
        self._scenario = scenario
        self._loop = loop
        self._log = DurableLog(clock=lambda: loop.time() + self._wall_offset)
        self._began = loop.time()
        self._wall_offset = _EPOCH - loop.time()
        self._chance = _random(scenario, "log")
        self._lives = 0
        self._alive: list[_Life] = []
        self._noted_at_idle = 0
        self._to_publish = len(scenario.publications)
        self._all_published = asyncio.Event()
        consumer = scenario.config.consumer
        self.trace = Trace(
            scenario.seed,
            scenario.config,
            TOPIC,
            retry_topic(TOPIC, consumer),
            dead_topic(TOPIC, consumer),
            instances=scenario.instances,
        )
        self._actor = Actor(
            scenario.scripts,
            self.trace.facts,
            timeout=scenario.config.handler_timeout,
            note=self._note,
            clock=loop.time,
        )
        loop.before_jump = self._note_idle
        loop.before_step = self._count_steps

    async def run(self) -> None:
        """Play all lives, the last one until everything is done."""
        await self._log.create_topic(TOPIC, 1)
        self._schedule()
        await asyncio.gather(*(self._instance(number) for number in range(self._scenario.instances)))
        for _ in range(_MOST_LIVES):
            if await self._last_life():
                self.trace.completed = True
                return
        raise SimulationError(f"not done after {self._lives} lives")

    def cut(self) -> None:
        """Let nothing of what is still alive have an effect any more."""
        for life in self._alive:
            life.connection.cut = True

    def _schedule(self) -> None:
        """Set what happens to the world whoever lives: records, retention, jumps of the wall clock."""
        for publication in self._scenario.publications:
            records = [fact.record for fact in publication.facts]
            end = publication.facts[-1].offset + 1
            self._loop.call_later(publication.after, self._publish, records, end)
            self.trace.facts.update((fact.offset, fact) for fact in publication.facts)
        for after, first in self._scenario.dropped:
            self._loop.call_later(after, self._drop, first)
        for after, seconds in self._scenario.wall_jumps:
            self._loop.call_later(after, self._jump_wall, seconds)

    def _publish(self, records: Sequence[Record], end: int) -> None:
        _at_once(self._log.append(TOPIC, 0, records))
        self._note(Published(self._loop.time(), -1, end))
        self._to_publish -= 1
        if not self._to_publish:
            self._all_published.set()

    def _drop(self, first: int) -> None:
        self._log.drop_before(TOPIC, first)
        self._note(Dropped(self._loop.time(), -1, first))

    def _jump_wall(self, seconds: float) -> None:
        self._wall_offset += seconds

    def _wall(self, life: _Life) -> float:
        if not life.knows_time:
            life.knows_time = True
            self._note(ClockRead(self._loop.time(), life.number, self._wall_offset))
        return self._loop.time() + self._wall_offset

    # -- lives --------------------------------------------------------------------------------------------------------

    async def _instance(self, number: int) -> None:
        """Play this instance's share of the planned lives, one after another."""
        for plan in self._scenario.lives[number :: self._scenario.instances]:
            life = self._new_life(last=False)
            try:
                await self._live(life, plan)
            finally:
                self._alive.remove(life)
            self._jump_wall(plan.wall_jump)
            await asyncio.sleep(plan.downtime)

    def _new_life(self, *, last: bool) -> _Life:
        self._lives += 1
        connection = Connection(
            self._log,
            life=self._lives,
            faults=self._scenario.faults,
            rng=self._chance,
            note=self._note,
            clock=self._loop.time,
        )
        number = self._lives

        def call(tag: int, batch: Batch[Any]) -> Awaitable[None]:
            return self._actor.call(number, connection, tag, batch, may_hang=not last)

        handlers = Scripted(call, self._scenario.max_batch)
        consumer = Consumer(connection, handlers, self._scenario.config, wall=lambda: self._wall(life))
        life = _Life(number, connection, consumer)
        self._alive.append(life)
        self._note(LifeStarted(self._loop.time(), number))
        return life

    async def _live(self, life: _Life, plan: Life) -> None:
        """Let a consumer run for as many steps as are planned, then crash or stop it."""
        life.ends_at = self._loop.steps + plan.steps
        life.crashes = plan.end is End.CRASH
        main = asyncio.create_task(self._run(life))
        self._loop.call_later(_LONG_LIFE, self._end, life)
        await asyncio.wait((main, life.over), return_when=asyncio.FIRST_COMPLETED)
        if plan.end is End.STOP and life.started and not main.done():
            await self._stop(life, plan.timeout)
        main.cancel()
        await asyncio.wait((main,))
        if not main.cancelled():
            main.result()
        await life.consumer.abort()
        life.connection.cut = True

    def _count_steps(self) -> None:
        """End lives whose steps are used up, between two callbacks: whatever awaits there never comes back."""
        for life in self._alive:
            if self._loop.steps >= life.ends_at:
                self._end(life)

    def _end(self, life: _Life) -> None:
        if life.over.done():
            return
        life.over.set_result(None)
        if life.crashes:
            life.connection.cut = True
            self._note(Crashed(self._loop.time(), life.number))

    async def _run(self, life: _Life) -> None:
        """Start the consumer and wait; a start that finds no log, and a stop by policy, end the life."""
        try:
            await life.consumer.start()
            life.started = True
            await life.consumer.run_until_stopped()
        except (LogUnavailableError, ConsumerStoppedError) as error:
            self._stopped(life, error)

    async def _last_life(self) -> bool:
        """Run until all that was published is done; False when the consumer stopped before that."""
        life = self._new_life(last=True)
        try:
            await life.consumer.start()
            async with asyncio.timeout(_LONG_ENOUGH):
                await self._all_published.wait()
                await life.consumer.caught_up()
            if left := await self._stop(life, timeout=5.0):
                raise SimulationError(f"{left} records were left by a stop with nothing to do")
        except TimeoutError:
            raise SimulationError(f"not done {_LONG_ENOUGH:.0f} virtual seconds after the last start") from None
        except (LogUnavailableError, ConsumerStoppedError) as error:
            await life.consumer.abort()
            self._stopped(life, error)
            await asyncio.sleep(1.0)
            return False
        else:
            return True
        finally:
            self._alive.remove(life)

    async def _stop(self, life: _Life, timeout: float) -> int:
        self._note(StopAsked(self._loop.time(), life.number, timeout))
        report = await life.consumer.shutdown(timeout)
        left = report.unresolved.get(0, 0)
        if not life.connection.cut:
            self._note(StopReturned(self._loop.time(), life.number, left))
        life.connection.cut = True
        return left

    def _stopped(self, life: _Life, error: Exception) -> None:
        """Note that a consumer stopped on its own; only the log at the start and the policy may have it do so."""
        by_policy = self._scenario.config.on_give_up is GiveUp.STOP and "was given up after" in str(error)
        fenced = self._scenario.instances > 1 and (
            isinstance(error.__cause__, FencedError | LeaseHeldError) or "another instance" in str(error)
        )
        if not by_policy and not fenced and not isinstance(error, LogUnavailableError):
            raise SimulationError(f"the consumer stopped: {error} ({error.__cause__!r})")
        if not life.connection.cut:
            self._note(Stopped(self._loop.time(), life.number, str(error)))
        life.connection.cut = True

    # -- the trace ----------------------------------------------------------------------------------------------------

    def _note(self, one: Recorded) -> None:
        self.trace.happened.append(one)

    def _note_idle(self) -> None:
        happened = self.trace.happened
        if len(happened) == self._noted_at_idle:
            return
        for life in self._alive:
            if not life.connection.cut:
                happened.append(Idle(self._loop.time(), life.number, life.connection.undisturbed))
        self._noted_at_idle = len(happened)


def _random(scenario: Scenario, purpose: str) -> Random:
    return Random(f"{scenario.seed} {purpose}")  # noqa: S311 - a simulation wants the same numbers again


def _at_once(work: Coroutine[Any, Any, object]) -> None:
    """Run a coroutine that does not wait."""
    with contextlib.suppress(StopIteration):
        work.send(None)
        raise AssertionError


@contextlib.contextmanager
def _silence() -> Generator[None]:
    """Keep the lines of simulated consumers out of the log of the process."""
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
