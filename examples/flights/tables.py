"""What the demo knows about flights, as plain tables: the projection and the check both end here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

__all__ = ["Aircraft", "AircraftDelay", "Carrier", "CarrierDelay", "Figures", "Flight", "differences"]


class Aircraft(NamedTuple):
    """One aircraft; what the register does not know is None."""

    tail_number: str
    manufacturer: str | None
    model: str | None
    built: int | None
    seats: int | None


class Flight(NamedTuple):
    """One flight; its key is the first four fields. Local times as ``2013-01-01 05:17`` and ``08:30``."""

    carrier: str
    flight: int
    scheduled_at: str
    origin: str
    destination: str
    tail_number: str
    departed_at: str | None
    arrived_at: str | None
    air_minutes: int | None
    distance_miles: int | None
    cancelled: int  # 0 or 1, as SQLite keeps it


class AircraftDelay(NamedTuple):
    """How late one aircraft left: minutes in sum and at worst, and over how many flights."""

    tail_number: str
    minutes: int
    worst: int
    flights: int


class Carrier(NamedTuple):
    """What an airline is called."""

    carrier: str
    name: str


class CarrierDelay(NamedTuple):
    """How many flights of one airline left and were cancelled, and the delay of those that left, in minutes."""

    carrier: str
    departed: int
    cancelled: int
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Hold every table, each in the order of its key."""

    aircraft: Sequence[Aircraft]
    flights: Sequence[Flight]
    aircraft_delays: Sequence[AircraftDelay]
    carriers: Sequence[Carrier]
    carrier_delays: Sequence[CarrierDelay]

    @property
    def rows(self) -> int:
        """Return how many rows all tables have."""
        return sum(len(getattr(self, field.name)) for field in fields(self))


def differences(expected: Figures, found: Figures) -> list[str]:
    """Compare whole tables, row by row, and return a line for each one that differs; none means that all is equal."""
    lines: list[str] = []
    for field in fields(Figures):
        wanted: Sequence[tuple[Any, ...]] = getattr(expected, field.name)
        present: Sequence[tuple[Any, ...]] = getattr(found, field.name)
        if list(wanted) == list(present):
            continue
        missing = sorted(set(wanted) - set(present), key=repr)
        surplus = sorted(set(present) - set(wanted), key=repr)
        examples = [f"expected {row}" for row in missing[:1]] + [f"found {row}" for row in surplus[:1]]
        lines.append(
            f"{field.name}: {len(missing)} rows missing or different, {len(surplus)} not expected; "
            + ("; ".join(examples) or "the same rows in another order or number")
        )
    return lines
