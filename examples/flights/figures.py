"""Compute the figures straight from the files: what the projection must come to, found without events.

Nothing of wakuwaku and nothing of the feed is used here, so that a mistake there can't hide. Where the feed adds the
delay to the schedule to learn when a flight left, this reads the clock.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

from examples.flights.tables import Aircraft, AircraftDelay, Carrier, CarrierDelay, Figures, Flight

__all__ = ["figures"]

#: A flight leaves at most this much before its schedule; the earliest of the year left 43 minutes early.
_EARLIEST = timedelta(hours=2)


def figures(flights: Path, planes: Path, airlines: Path) -> Figures:
    """Compute every table from the three CSV files."""
    departures = _read(flights)
    with_aircraft = [row for row in departures if row["tailnum"] != "NA"]
    return Figures(
        aircraft=_aircraft({row["tailnum"] for row in with_aircraft}, _read(planes)),
        flights=sorted(map(_flight, with_aircraft)),
        aircraft_delays=_aircraft_delays(with_aircraft),
        carriers=_carriers({row["carrier"] for row in departures}, _read(airlines)),
        carrier_delays=_carrier_delays(departures),
    )


def _aircraft(flown: set[str], planes: list[dict[str, str]]) -> list[Aircraft]:
    registered = {
        row["tailnum"]: Aircraft(
            tail_number=row["tailnum"],
            manufacturer=row["manufacturer"],
            model=row["model"],
            built=int(row["year"]) if row["year"] != "NA" else None,
            seats=int(row["seats"]) if row["seats"] != "NA" else None,
        )
        for row in planes
    }
    return [registered.get(tail_number, Aircraft(tail_number, None, None, None, None)) for tail_number in sorted(flown)]


def _flight(row: dict[str, str]) -> Flight:
    day = datetime(int(row["year"]), int(row["month"]), int(row["day"]))  # noqa: DTZ001 - local, as the data is
    hour, minute = _hour_and_minute(row["sched_dep_time"])
    scheduled_at = day.replace(hour=hour, minute=minute)
    departed_at = None
    if row["dep_time"] != "NA":
        hour, minute = _hour_and_minute(row["dep_time"])
        departed_at = day.replace(hour=hour, minute=minute) - timedelta(days=1)
        while departed_at < scheduled_at - _EARLIEST:
            departed_at += timedelta(days=1)
    arrived = row["arr_time"] != "NA"
    return Flight(
        carrier=row["carrier"],
        flight=int(row["flight"]),
        scheduled_at=f"{scheduled_at:%Y-%m-%d %H:%M}",
        origin=row["origin"],
        destination=row["dest"],
        tail_number=row["tailnum"],
        departed_at=f"{departed_at:%Y-%m-%d %H:%M}" if departed_at else None,
        arrived_at="{:02}:{:02}".format(*_hour_and_minute(row["arr_time"])) if arrived else None,
        air_minutes=int(row["air_time"]) if row["air_time"] != "NA" else None,
        distance_miles=int(row["distance"]) if arrived else None,
        cancelled=int(departed_at is None),
    )


def _aircraft_delays(departures: list[dict[str, str]]) -> list[AircraftDelay]:
    delays: defaultdict[str, list[int]] = defaultdict(list)
    for row in departures:
        if row["dep_time"] != "NA":
            delays[row["tailnum"]].append(int(row["dep_delay"]))
    return [
        AircraftDelay(tail_number, sum(minutes), max(minutes), len(minutes))
        for tail_number, minutes in sorted(delays.items())
    ]


def _carriers(flown: set[str], airlines: list[dict[str, str]]) -> list[Carrier]:
    return sorted(Carrier(row["carrier"], row["name"]) for row in airlines if row["carrier"] in flown)


def _carrier_delays(departures: list[dict[str, str]]) -> list[CarrierDelay]:
    delays: defaultdict[str, list[int]] = defaultdict(list)
    cancelled: defaultdict[str, int] = defaultdict(int)
    for row in departures:
        if row["dep_time"] == "NA":
            cancelled[row["carrier"]] += 1
        else:
            delays[row["carrier"]].append(int(row["dep_delay"]))
    return [
        CarrierDelay(carrier, len(delays[carrier]), cancelled[carrier], sum(delays[carrier]))
        for carrier in sorted({*delays, *cancelled})
    ]


def _hour_and_minute(clock: str) -> tuple[int, int]:
    """Take ``hhmm`` apart; 2400 is midnight."""
    digits = clock.zfill(4)
    return int(digits[:2]) % 24, int(digits[2:])


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))
