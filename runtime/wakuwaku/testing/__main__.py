"""Simulate seeds: `python -m wakuwaku.testing SEED` replays one and tells all, `FIRST:LAST` runs a stretch of them."""

from __future__ import annotations

import sys
import time

from wakuwaku.testing.report import Report, simulate

_USAGE = "usage: python -m wakuwaku.testing SEED | FIRST:END"


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for; 1 when a law was broken, 2 for arguments that make no sense."""
    try:
        (wanted,) = arguments
        first, _, end = wanted.partition(":")
        seeds = range(int(first), int(end) if end else int(first) + 1)
    except ValueError:
        sys.stderr.write(f"{_USAGE}\n")
        return 2
    if len(seeds) == 1:
        return _replay(simulate(seeds[0]))
    return _stretch(seeds)


def _replay(report: Report) -> int:
    for number, one in enumerate(report.trace.happened if report.trace is not None else ()):
        sys.stdout.write(f"{number:5} {one}\n")
    sys.stdout.write(f"{report}\n")
    return 1 if report.violations else 0


def _stretch(seeds: range) -> int:
    began = time.monotonic()
    records = lives = crashes = calls = broken = 0
    for seed in seeds:
        report = simulate(seed)
        records += report.records
        lives += report.lives
        crashes += report.crashes
        calls += report.calls
        if report.violations:
            broken += 1
            sys.stdout.write(f"{report}\n")
            sys.stdout.flush()
    sys.stdout.write(
        f"seeds {seeds.start} to {seeds.stop - 1}: {records} records, {lives} lives, {crashes} crashes, "
        f"{calls} handler calls, {broken} seeds with violations, {time.monotonic() - began:.0f} s\n"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
