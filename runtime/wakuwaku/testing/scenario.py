"""Everything that is random in a simulation, drawn from its seed before it starts."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple

from wakuwaku.algebra import Algebra
from wakuwaku.config import ConsumerConfig, DeliveryMode, GiveUp
from wakuwaku.headers import Record, encode_head
from wakuwaku.ordering import Ordering
from wakuwaku.testing.faults import Faults
from wakuwaku.testing.topic import CODECS, EVENTS, IGNORED_TAG
from wakuwaku.testing.trace import Fact, Nature, Outcome

__all__ = [
    "End",
    "Life",
    "Publication",
    "Scenario",
    "Step",
    "draw",
    "fact_of",
    "with_torn_batches",
    "with_two_instances",
    "without_wall_jumps",
]


class End(enum.Enum):
    """Say how a life ends."""

    CRASH = "crash"
    STOP = "stop"


class Life(NamedTuple):
    """Plan one life: it ends after this many steps of the event loop; then nothing runs for `downtime` seconds.

    A stop is given `timeout` seconds. `wall_jump` is what the wall clock jumps by while nothing runs, in seconds.
    """

    end: End
    steps: int
    timeout: float
    downtime: float
    wall_jump: float


class Step(NamedTuple):
    """Script one call of a handler: it takes `seconds`, then ends so. None hangs until it is cancelled."""

    seconds: float
    outcome: Outcome | None


class Publication(NamedTuple):
    """Publish these records at this many seconds after the start."""

    after: float
    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Hold the plan of a simulation; `scripts` has what the next calls with a record of that offset do."""

    seed: int
    config: ConsumerConfig
    max_batch: int = 1
    publications: Sequence[Publication] = ()
    scripts: dict[int, list[Step]] = field(default_factory=dict)
    lives: Sequence[Life] = ()
    instances: int = 1
    faults: Faults = field(default_factory=Faults)
    shuffled: bool = True
    wall_jumps: Sequence[tuple[float, float]] = ()  # (seconds after the start, seconds the wall clock jumps by)
    dropped: Sequence[tuple[float, int]] = ()  # (seconds after the start, first offset that is kept)


_HOUR = 3600.0
_DELAYS = (0.5, 1.0, 2.0, 4.0)
_UNKNOWN_TAG = 99


def draw(seed: int) -> Scenario:
    """Draw a scenario; the same seed gives the same one."""
    rng = Random(seed)  # noqa: S311 - a simulation wants the same numbers again, not secret ones
    facts = _facts(rng)
    park = rng.random() < 0.2
    return Scenario(
        seed=seed,
        config=_config(rng, records=len(facts), park=park),
        max_batch=rng.randint(1, 3),
        publications=_publications(rng, facts),
        scripts=_scripts(rng, len(facts)),
        lives=[_life(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4)))],
        faults=_faults(rng),
        shuffled=rng.random() < 0.7,
        wall_jumps=[(rng.random() * 20, rng.uniform(-_HOUR, _HOUR)) for _ in range(rng.choice((0, 0, 1, 2)))],
        dropped=[(rng.random() * 10, rng.randrange(len(facts)))] if rng.random() < 0.1 else (),
    )


def without_wall_jumps(scenario: Scenario) -> Scenario:
    """Return the scenario with a wall clock that goes steadily while a life lasts."""
    return replace(scenario, wall_jumps=())


def _config(rng: Random, *, records: int, park: bool) -> ConsumerConfig:
    return ConsumerConfig(
        consumer="c",
        partitions=(0,),
        mode=rng.choice((DeliveryMode.NO_EVENT_LOSE, DeliveryMode.NO_EVENT_LOSE, DeliveryMode.NO_DOUBLE_CONSUME)),
        retry_delays=[rng.choice(_DELAYS) for _ in range(rng.randint(1, 4))],
        poll_count=rng.randint(1, 6),
        concurrency=rng.randint(1, 4),
        max_in_flight=rng.randint(1, 8),
        # What is parked takes its place for good, so there must be place for everything.
        max_pending_retry=records + 1 if park else rng.randint(2, 12),
        on_give_up=GiveUp.PARK
        if park
        else rng.choice((GiveUp.CONTINUE, GiveUp.CONTINUE, GiveUp.CONTINUE, GiveUp.STOP)),
        handler_timeout=rng.choice((None, None, 2.37)),
        idle_interval=2.0,
        lag_warning=None,
        lease_seconds=None,
    )


def _facts(rng: Random) -> list[Fact]:
    keys = rng.randint(1, 4)
    tags = rng.sample(range(1, 6), rng.randint(1, 5))
    fences = rng.choice((0.0, 0.2, 0.5))
    bad = rng.choice((0.0, 0.0, 0.1))
    return [
        _fact(rng, offset, key=rng.randint(1, keys), tag=rng.choice(tags), fences=fences, bad=bad)
        for offset in range(rng.randint(4, 28))
    ]


def _fact(rng: Random, offset: int, *, key: int, tag: int, fences: float, bad: float) -> Fact:
    fence = rng.choice((Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL))
    ordering = fence if rng.random() < fences else Ordering.RELAXED
    value = rng.randint(1, 4)
    algebra = EVENTS[tag - 1].__wakuwaku__.algebra
    head = encode_head(tag, key, ordering, algebra)
    body = CODECS[tag].encode(EVENTS[tag - 1](subject=key, value=value))
    nature = Nature.HANDLED
    if rng.random() < bad:
        nature = rng.choice((Nature.IGNORED, Nature.REFUSED, Nature.UNDECODABLE))
        if nature is Nature.IGNORED:
            tag = IGNORED_TAG
            head = encode_head(tag, key, ordering, Algebra.NON_ASSOCIATIVE)
        elif nature is Nature.UNDECODABLE:
            body = b"\xc1"
        else:
            other = Algebra.ASSOCIATIVE if algebra is Algebra.COMMUTATIVE else Algebra.COMMUTATIVE
            head = rng.choice(
                (b"", encode_head(_UNKNOWN_TAG, key, ordering, algebra), encode_head(tag, key, ordering, other))
            )
    return Fact(offset, key, tag, int(ordering), value, nature, Record(head, body))


def _publications(rng: Random, facts: Sequence[Fact]) -> list[Publication]:
    publications: list[Publication] = []
    after, start = 0.0, 0
    while start < len(facts):
        end = min(start + rng.choice((1, 3, 10, 30)), len(facts))
        publications.append(Publication(after, facts[start:end]))
        after, start = after + rng.random() * 4, end
    return publications


def _scripts(rng: Random, records: int) -> dict[int, list[Step]]:
    trouble = rng.choice((0.0, 0.1, 0.3, 0.6))
    scripts: dict[int, list[Step]] = {}
    for offset in range(records):
        if rng.random() < trouble:
            scripts[offset] = _troubles(rng)
        elif rng.random() < 0.4:
            scripts[offset] = [Step(rng.choice((0.0, 0.01, 1.5)), Outcome.OK)]
    return scripts


def _troubles(rng: Random) -> list[Step]:
    kind = rng.choices((Outcome.RETRYABLE, Outcome.TRANSIENT, Outcome.UNRECOVERABLE, None), weights=(6, 2, 2, 1))[0]
    if kind is None or kind is Outcome.UNRECOVERABLE:
        return [Step(_duration(rng), kind)]
    return [Step(_duration(rng), kind) for _ in range(rng.choice((1, 1, 2, 3, 6)))]


def _duration(rng: Random) -> float:
    return rng.choice((0.0, 0.0, 0.01, 0.7))


def _life(rng: Random) -> Life:
    return Life(
        end=rng.choice((End.CRASH, End.CRASH, End.STOP)),
        steps=int(10 ** rng.uniform(0.7, 2.9)),
        timeout=rng.choice((0.0, 0.3, 5.0)),
        downtime=rng.random() * rng.choice((1.0, 20.0)),
        wall_jump=rng.uniform(-_HOUR, _HOUR) if rng.random() < 0.3 else 0.0,
    )


def _faults(rng: Random) -> Faults:
    if rng.random() < 0.4:
        return Faults()
    return Faults(
        refused=rng.choice((0.0, 0.05, 0.2)), lost=rng.choice((0.0, 0.05, 0.2)), late=rng.choice((0.0, 0.1, 0.4))
    )


def fact_of(offset: int, *, key: int, tag: int = 1, ordering: Ordering = Ordering.RELAXED, value: int = 1) -> Fact:
    """Return a sound record to publish by hand; `offset` is where it will stand."""
    event = EVENTS[tag - 1]
    head = encode_head(tag, key, ordering, event.__wakuwaku__.algebra)
    body = CODECS[tag].encode(event(subject=key, value=value))
    return Fact(offset, key, tag, int(ordering), value, Nature.HANDLED, Record(head, body))


def with_two_instances(scenario: Scenario, *, lease_seconds: float | None = None) -> Scenario:
    """Return the scenario with two instances of the consumer at once, each with as many lives.

    Without leases nothing fences them off from each other, and only NO_EVENT_LOSE promises anything.
    """
    mode = DeliveryMode.NO_EVENT_LOSE if lease_seconds is None else scenario.config.mode
    config = replace(scenario.config, mode=mode, lease_seconds=lease_seconds)
    return replace(scenario, config=config, instances=2, lives=[life for life in scenario.lives for _ in range(2)])


def with_torn_batches(scenario: Scenario, chance: float) -> Scenario:
    """Return the scenario with one life, on a log that tears one batch of this share."""
    return replace(scenario, lives=(), faults=Faults(torn=chance))
