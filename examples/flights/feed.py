"""Tell the departures as an airport's feed would: as events, one row after another.

Who reads the feed gets the quirks of real ones: an aircraft is registered again before each of its flights, a carrier
is named again every day, and a flight whose aircraft nobody wrote down reaches only the carriers topic.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from examples.flights.departures import Departure, FeedError, known, rows
from generated.flights import (
    AircraftRegistered,
    CarrierDelay,
    CarrierNamed,
    DelayRecorded,
    FlightArrived,
    FlightCancelled,
    FlightDeparted,
    Leg,
)
from wakuwaku import Event

__all__ = ["AIRLINES", "FLIGHTS", "PLANES", "FeedError", "aircraft", "airlines", "events", "excerpt", "rows"]

_DATA: Final = Path(__file__).parent / "data"
#: Departures of 1 to 3 January 2013, the aircraft that flew them and the airlines.
FLIGHTS: Final = _DATA / "flights-2013-01-01-to-03.csv"
PLANES: Final = _DATA / "planes.csv"
AIRLINES: Final = _DATA / "airlines.csv"


def excerpt() -> Iterator[Event]:
    """Tell the three days that come with the demo; the same events in the same order every time."""
    return events(rows(FLIGHTS), aircraft(PLANES), airlines(AIRLINES))


def events(
    departures: Iterable[Departure],
    registered: Mapping[str, AircraftRegistered],
    named: Mapping[str, CarrierNamed],
) -> Iterator[Event]:
    """Turn departures into events.

    Of a flight with a tail number: `AircraftRegistered` (all but the number unknown when `registered` lacks it), then
    either `FlightCancelled`, or `FlightDeparted`, `FlightArrived` if it did, and `DelayRecorded`. Of every flight:
    `CarrierNamed` when it is its carrier's first of the day and `named` has the carrier, then `CarrierDelay`.
    """
    told: set[tuple[str, int]] = set()
    for departure in departures:
        tail_number = departure.tail_number
        if tail_number is not None:
            yield registered.get(tail_number) or AircraftRegistered(tail_number=tail_number)
            yield from _flight(departure, tail_number)
        carrier, day = departure.carrier, departure.scheduled_at.toordinal()
        if carrier in named and (carrier, day) not in told:
            told.add((carrier, day))
            yield named[carrier]
        cancelled = departure.departed_at is None
        yield CarrierDelay(
            carrier=carrier, departed=int(not cancelled), cancelled=int(cancelled), minutes=departure.delay
        )


def _flight(departure: Departure, tail_number: str) -> Iterator[Event]:
    leg = Leg(
        carrier=departure.carrier,
        flight=departure.flight,
        scheduled_at=departure.scheduled_at,
        origin=departure.origin,
        destination=departure.destination,
    )
    if departure.departed_at is None:
        yield FlightCancelled(tail_number=tail_number, leg=leg)
        return
    yield FlightDeparted(tail_number=tail_number, leg=leg, departed_at=departure.departed_at)
    if departure.arrived_at is not None:
        yield FlightArrived(
            tail_number=tail_number,
            leg=leg,
            arrived_at=departure.arrived_at,
            air_minutes=departure.air_minutes,
            distance_miles=departure.distance_miles,
        )
    yield DelayRecorded(tail_number=tail_number, minutes=departure.delay, worst=departure.delay, flights=1)


def aircraft(path: Path) -> dict[str, AircraftRegistered]:
    """Read what is known about aircraft, by tail number. Raises `FeedError` and `OSError`."""
    return {
        row["tailnum"]: AircraftRegistered(
            tail_number=row["tailnum"],
            manufacturer=known(row["manufacturer"]),
            model=known(row["model"]),
            built=_number(row["year"]),
            seats=_number(row["seats"]),
        )
        for row in _table(path, "tailnum", "manufacturer", "model", "year", "seats")
    }


def airlines(path: Path) -> dict[str, CarrierNamed]:
    """Read what airlines are called, by their code. Raises `FeedError` and `OSError`."""
    return {
        row["carrier"]: CarrierNamed(carrier=row["carrier"], name=row["name"])
        for row in _table(path, "carrier", "name")
    }


def _table(path: Path, *columns: str) -> Iterator[dict[str, str]]:
    line = 1
    try:
        with path.open(encoding="utf-8", newline="") as text:
            reader = csv.DictReader(text, restval="")
            absent = set(columns) - set(reader.fieldnames or ())
            if absent:
                raise FeedError(f"{path}:1: there is no column {', '.join(sorted(absent))}")
            for row in reader:
                line = reader.line_num
                yield row
    except (ValueError, csv.Error) as error:
        raise FeedError(f"{path}:{line}: {error}") from error


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
