"""Publish real flights to a log, consume them into a projection, and check every figure.

Run it from the root of the repository: ``python -m examples.flights.demo``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sqlite3
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path

from examples.flights import feed
from examples.flights.consuming import Consumed, consume
from examples.flights.figures import figures
from examples.flights.progress import ProgressLine
from examples.flights.projection import Projection, ProjectionError
from examples.flights.publishing import Published, publish
from examples.flights.report import report, work
from examples.flights.tables import differences
from wakuwaku import WakuwakuError
from wakuwaku.log import SqliteLog

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return its exit code: 0 done and checked, 1 something is wrong, 130 stopped by Ctrl-C."""
    options = _parser().parse_args(arguments)
    kept: Path | None = options.folder
    progress = ProgressLine(sys.stderr)
    try:
        with _place(kept) as folder, Projection(folder / "projection.db") as projection:
            return _demo(folder, projection, progress)
    except KeyboardInterrupt:
        progress.clear()
        way = "run it again on this folder to go on" if kept else "the temporary folder is removed"
        print(f"stopped; {way}", file=sys.stderr)
        return 130
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except (feed.FeedError, ProjectionError, WakuwakuError, sqlite3.Error) as error:
        reason = str(error)
    progress.clear()
    print(f"error: {reason}", file=sys.stderr)
    return 1


def _demo(folder: Path, projection: Projection, progress: ProgressLine) -> int:
    published, consumed = asyncio.run(_run(folder / "log.db", projection, progress))
    found = projection.figures()
    progress.clear()
    wrong = differences(figures(feed.FLIGHTS, feed.PLANES, feed.AIRLINES), found)
    if not published.now and not consumed.events:
        print(f"All {published.feed:,} events were published and consumed by an earlier run.\n")
    print(report(found), end="\n\n")
    if published.now or consumed.events:
        print(work(published, consumed))
    if consumed.dead:
        print(f"dead       {consumed.dead:,} events that a handler or the decoder refused")
    if wrong:
        print("WRONG      these tables differ from what the CSV files say:", *wrong, sep="\n  ")
        return 1
    print(f"checked    all {found.rows:,} rows equal those computed straight from the CSV files")
    return 0


async def _run(path: Path, projection: Projection, progress: ProgressLine) -> tuple[Published, Consumed]:
    async with await SqliteLog.open(path, stream="flights") as log:
        published = await publish(log, list(feed.excerpt()), progress)
        return published, await consume(log, projection, progress)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m examples.flights.demo",
        description="Publish three days of real flights to an embedded log, consume them into an SQLite projection,"
        " and check every figure against the CSV files.",
        epilog="Kill it whenever you like: run again on the same folder, it goes on and comes to the same figures.",
    )
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="keep the log and the projection here (default: a temporary folder)"
    )
    return parser


@contextlib.contextmanager
def _place(kept: Path | None) -> Generator[Path, None, None]:
    if kept is None:
        with tempfile.TemporaryDirectory(prefix="wakuwaku-demo-") as temporary:
            yield Path(temporary)
        return
    kept.mkdir(parents=True, exist_ok=True)
    yield kept


if __name__ == "__main__":
    sys.exit(main())
