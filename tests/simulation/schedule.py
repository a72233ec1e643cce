"""The schedule table of the docs, made from the simulator."""

from __future__ import annotations

from collections.abc import Sequence

from tests.simulation.scenes import CRASH_AT_REST, FAILS, calls, run

__all__ = ["TABLE", "instants", "table"]

#: Delay lists, and for each how many times the process crashes (after 40 s, then 40 s after each restart).
TABLE: Sequence[tuple[Sequence[float], int]] = (
    ((2.0,), 0),
    ((2.0, 4.0), 0),
    ((2.0, 4.0, 8.0, 16.0), 0),
    ((60.0,), 1),
    ((10.0, 60.0), 1),
    ((10.0, 20.0, 40.0, 80.0), 3),
)


def instants(delays: Sequence[float], crashes: int) -> list[tuple[float, int]]:
    """Return when the handler of a record that always fails is called, and in which life."""
    trace = run([(0.0, 1)], {0: [FAILS] * 99}, [CRASH_AT_REST] * crashes, retry_delays=delays)
    return [(call[0], call[1]) for call in calls(trace, 1)]


def table() -> str:
    """Return the table as Markdown."""
    lines = ["| `retry_delays` | crashes | the handler is called after |", "|---|---|---|"]
    for delays, crashes in TABLE:
        times = "; ".join(
            f"{at:g} s" + (f" (life {life})" if crashes else "") for at, life in instants(delays, crashes)
        )
        names = ", ".join(f"{delay:g}" for delay in delays)
        when = ", ".join(f"{40 + 45 * number} s" for number in range(crashes)) or "none"
        lines.append(f"| {names} | {when} | {times} |")
    return "\n".join(lines)
