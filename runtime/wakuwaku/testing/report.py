"""Simulate one seed, check the laws, and say what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from wakuwaku.testing.laws import violations
from wakuwaku.testing.scenario import Scenario, draw
from wakuwaku.testing.simulation import SimulationError, play
from wakuwaku.testing.trace import CallStarted, Crashed, LifeStarted, Trace

__all__ = ["Report", "check", "simulate"]


@dataclass(frozen=True, slots=True)
class Report:
    """Tell what a simulation came to.

    `violations` names the laws that were broken, each with the first place where; it is empty when all is well. `trace`
    has everything that happened, or is None when the simulation did not come to its end.
    """

    seed: int
    violations: dict[str, str] = field(default_factory=dict)
    trace: Trace | None = None
    records: int = 0
    lives: int = 0
    crashes: int = 0
    calls: int = 0

    def __str__(self) -> str:
        told = (
            f"seed {self.seed}: {self.records} records, {self.lives} lives, {self.crashes} crashes, {self.calls} calls"
        )
        if not self.violations:
            return f"{told}; all laws hold"
        broken = "".join(f"\n  {law}: {what}" for law, what in self.violations.items())
        return f"{told}{broken}\n  again: python -m wakuwaku.testing {self.seed}"


def simulate(seed: int) -> Report:
    """Run a consumer through everything that a seed draws, in virtual time, and check the ten laws.

    Drawn are what is published, what handlers do with it, how the consumer is set up, how the log and the wall clock
    misbehave, in which order tasks run, and when the consumer crashes or is stopped. The same seed does the same again.
    No file, socket or thread is used and no time passes.
    """
    return check(draw(seed))


def check(scenario: Scenario) -> Report:
    """Play a scenario and check the laws."""
    try:
        trace = play(scenario)
    except SimulationError as error:
        return Report(scenario.seed, {"progress": str(error)})
    happened = [type(one) for one in trace.happened]
    return Report(
        scenario.seed,
        violations(trace),
        trace,
        records=len(trace.facts),
        lives=happened.count(LifeStarted),
        crashes=happened.count(Crashed),
        calls=happened.count(CallStarted),
    )
