"""What a retry costs while nothing fails, beside tenacity, stamina and backoff, in one run.

::

    python benchmarks/retry.py            a table, in microseconds added to the bare call
    python benchmarks/retry.py --check    the same, and exit 1 when ours is above its goal

Every contender wraps the same empty function and allows three attempts without pause. The contenders take turns, in
rounds of a few milliseconds, and the fastest round of each counts: what other programs on the machine do in between
falls on all alike. The hand loop is the floor: three attempts, a context object and a context variable, written out.
Contenders that are not installed are left out (extra ``bench`` has them).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from wakuwaku.retry import RetryTemplate, retryable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

GOALS = {"sync": 1.0, "async": 1.3}  # microseconds added, per call
ROUNDS = 200
CALLS = 1000

current: ContextVar[object] = ContextVar("current", default=None)


class Context:
    """Be the least a context can be."""

    __slots__ = ("attempt", "error", "parent")

    def __init__(self, parent: object) -> None:
        self.parent = parent
        self.attempt = 1
        self.error: Exception | None = None


def bare(x: int) -> int:
    """Do nothing."""
    return x


async def bare_async(x: int) -> int:
    """Do nothing."""
    return x


def hand_loop(x: int) -> int:
    """Retry by hand."""
    context = Context(current.get())
    token = current.set(context)
    try:
        while True:
            try:
                return bare(x)
            except Exception as exc:
                context.error = exc
                if context.attempt == 3:
                    raise
                context.attempt += 1
    finally:
        current.reset(token)


async def hand_loop_async(x: int) -> int:
    """Retry by hand."""
    context = Context(current.get())
    token = current.set(context)
    try:
        while True:
            try:
                return await bare_async(x)
            except Exception as exc:
                context.error = exc
                if context.attempt == 3:
                    raise
                context.attempt += 1
    finally:
        current.reset(token)


def contenders(function: Callable[..., Any], hand: Callable[..., Any]) -> dict[str, Callable[[int], Any]]:
    """Return the function in every wrapping."""
    found: dict[str, Callable[[int], Any]] = {
        "bare call": function,
        "hand loop": hand,
        "wakuwaku @retryable": retryable(function),
        "wakuwaku template.wrap": RetryTemplate().wrap(function),
    }
    try:
        import backoff  # noqa: PLC0415

        found["backoff"] = backoff.on_exception(backoff.constant, Exception, max_tries=3, interval=0)(function)
    except ImportError:
        pass
    try:
        import tenacity  # noqa: PLC0415

        found["tenacity"] = tenacity.retry(stop=tenacity.stop_after_attempt(3))(function)
    except ImportError:
        pass
    try:
        import stamina  # noqa: PLC0415

        found["stamina"] = stamina.retry(on=Exception, attempts=3)(function)
    except ImportError:
        pass
    return found


def time_sync(function: Callable[[int], int]) -> float:
    """Return the microseconds of one call, as the mean of a round."""
    began = time.perf_counter()
    for _ in range(CALLS):
        function(1)
    return (time.perf_counter() - began) / CALLS * 1e6


async def time_async(function: Callable[[int], Awaitable[int]]) -> float:
    """Return the microseconds of one awaited call, as the mean of a round."""
    began = time.perf_counter()
    for _ in range(CALLS):
        await function(1)
    return (time.perf_counter() - began) / CALLS * 1e6


async def measure() -> dict[str, dict[str, list[float]]]:
    """Return the rounds of every contender, sync and async, sorted."""
    sync, coroutine = contenders(bare, hand_loop), contenders(bare_async, hand_loop_async)
    rounds: dict[str, dict[str, list[float]]] = {
        "sync": {name: [] for name in sync},
        "async": {name: [] for name in coroutine},
    }
    for _ in range(ROUNDS):
        for name, function in sync.items():
            rounds["sync"][name].append(time_sync(function))
        for name, function in coroutine.items():
            rounds["async"][name].append(await time_async(function))
    return {form: {name: sorted(times) for name, times in found.items()} for form, found in rounds.items()}


def main() -> int:
    """Print the table; return 1 when a goal is missed and that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit 1 when ours is above its goal")
    check: bool = parser.parse_args().check
    missed: list[str] = []
    print(f"Python {sys.version.split()[0]}; added to the bare call, in µs: fastest / median of {ROUNDS} rounds")
    for form, found in asyncio.run(measure()).items():
        base = found["bare call"]
        print(f"\n{form:<24}{'fastest':>10}{'median':>10}")
        for name, times in found.items():
            fastest, median = times[0] - base[0], times[ROUNDS // 2] - base[ROUNDS // 2]
            print(f"{name:<24}{fastest:>10.2f}{median:>10.2f}")
            if name.startswith("wakuwaku") and fastest > GOALS[form]:
                missed.append(f"{form} {name}: {fastest:.2f} µs, goal {GOALS[form]} µs")
    for line in missed:
        print(f"above its goal: {line}")
    return 1 if check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
