"""Scenarios written by hand, and questions to what came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wakuwaku.config import ConsumerConfig
from wakuwaku.testing.scenario import End, Life, Publication, Scenario, Step, fact_of
from wakuwaku.testing.simulation import play
from wakuwaku.testing.trace import CallStarted, Outcome, Trace

__all__ = ["CRASH_AT_REST", "FAILS", "OK", "START", "STOP_AT_REST", "TRANSIENT", "Call", "calls", "run"]

#: Virtual time at which every simulation starts.
START = 1000.0

#: A life that has all the steps it wants: it ends after 40 seconds of virtual time, with nothing under way.
CRASH_AT_REST = Life(End.CRASH, steps=10**9, timeout=0.0, downtime=5.0, wall_jump=0.0)

#: A life that is asked to stop after 40 seconds of virtual time, and is given half a second.
STOP_AT_REST = Life(End.STOP, steps=10**9, timeout=0.5, downtime=5.0, wall_jump=0.0)

OK = Step(0.0, Outcome.OK)
FAILS = Step(0.0, Outcome.RETRYABLE)
TRANSIENT = Step(0.0, Outcome.TRANSIENT)

#: Seconds after the start, the life, the main offset, where the record came from, and how the call ended.
Call = tuple[float, int, int, str, str]


def run(
    keys: Sequence[tuple[float, int]],
    scripts: Mapping[int, Sequence[Step]],
    lives: Sequence[Life] = (),
    **settings: Any,
) -> Trace:
    """Play records of type 1, each given as (seconds after the start, key), with these scripts by offset."""
    publications = [Publication(after, [fact_of(offset, key=key)]) for offset, (after, key) in enumerate(keys)]
    config = ConsumerConfig(consumer="c", partitions=(0,), lag_warning=None, lease_seconds=None, **settings)
    scenario = Scenario(
        seed=0,
        config=config,
        max_batch=1,
        publications=publications,
        scripts={offset: list(steps) for offset, steps in scripts.items()},
        lives=lives,
        shuffled=False,
    )
    return play(scenario)


def calls(trace: Trace, key: int) -> list[Call]:
    """Return the calls of a key in order."""
    found: list[Call] = []
    for start, end in trace.calls().values():
        if start.key == key:
            outcome = "crash" if end is None else end.outcome.value
            found.append((_rounded(start), start.life, start.offsets[0], start.source, outcome))
    return found


def _rounded(call: CallStarted) -> float:
    return round(call.at - START, 3)
