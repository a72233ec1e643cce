"""Write the figures for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from examples.flights.consuming import Consumed
from examples.flights.publishing import Published
from examples.flights.tables import CarrierDelay, Figures

__all__ = ["report", "work"]

_BUSIEST: Final = 5


def report(figures: Figures) -> str:
    """Return the figures as text: totals, the busiest aircraft, carriers from the latest to the most punctual."""
    return "\n\n".join((_totals(figures), _busiest(figures), _carriers(figures)))


def work(published: Published, consumed: Consumed) -> str:
    """Return what publishing and consuming did, as text; an earlier run may have done all or a part of it."""
    earlier = published.feed - published.now
    lines = [
        ("published", f"{published.now:,} events" + _rate(published.now, published.seconds)),
        ("consumed", f"{consumed.events:,} events" + _rate(consumed.events, consumed.seconds)),
        ("folded", f"{consumed.events:,} events into {consumed.handled:,}, handled in {consumed.calls:,} calls"),
    ]
    if earlier:
        lines.insert(0, ("found", f"{earlier:,} events that an earlier run had published"))
    return "\n".join(f"{name:<10} {text}" for name, text in lines)


def _rate(events: int, seconds: float) -> str:
    return f" in {seconds:.1f} s, {events / seconds:,.0f} a second" if events else ""


def _totals(figures: Figures) -> str:
    departed = sum(row.departed for row in figures.carrier_delays)
    cancelled = sum(row.cancelled for row in figures.carrier_delays)
    minutes = sum(row.minutes for row in figures.carrier_delays)
    arrived = sum(flight.arrived_at is not None for flight in figures.flights)
    unknown = departed + cancelled - len(figures.flights)
    rows = [
        ("departed", f"{departed:,}"),
        ("arrived", f"{arrived:,}"),
        ("cancelled", f"{cancelled:,}", f"{unknown:,} of them without a tail number"),
        ("mean delay", f"{minutes / departed:.1f} min", f"the worst left {_hours(_worst(figures))} late"),
        ("aircraft", f"{len(figures.aircraft):,}", f"{_unregistered(figures):,} of them in no register"),
    ]
    return "Flights\n" + _aligned([row if len(row) == 3 else (*row, "") for row in rows], right={1})


def _worst(figures: Figures) -> int:
    return max(row.worst for row in figures.aircraft_delays)


def _unregistered(figures: Figures) -> int:
    return sum(one.model is None for one in figures.aircraft)


def _hours(minutes: int) -> str:
    return f"{minutes // 60} h {minutes % 60} min"


def _busiest(figures: Figures) -> str:
    aircraft = {one.tail_number: one for one in figures.aircraft}
    busiest = sorted(figures.aircraft_delays, key=lambda row: (-row.flights, row.tail_number))[:_BUSIEST]
    rows = [("aircraft", "maker", "model", "flights", "mean delay", "worst")]
    for row in busiest:
        one = aircraft[row.tail_number]
        maker, model = one.manufacturer or "unknown", one.model or "unknown"
        mean, worst = f"{row.minutes / row.flights:.1f} min", f"{row.worst} min"
        rows.append((row.tail_number, maker.title(), model, str(row.flights), mean, worst))
    return "Busiest aircraft\n" + _aligned(rows, right={3, 4, 5})


def _carriers(figures: Figures) -> str:
    names = {row.carrier: row.name for row in figures.carriers}
    rows = [("carrier", "", "departed", "cancelled", "mean delay")]
    rows += [
        (row.carrier, names.get(row.carrier, ""), f"{row.departed:,}", f"{row.cancelled:,}", f"{_mean(row):.1f} min")
        for row in sorted(figures.carrier_delays, key=_mean, reverse=True)
    ]
    return "Carriers by mean delay\n" + _aligned(rows, right={2, 3, 4})


def _mean(row: CarrierDelay) -> float:
    return row.minutes / row.departed if row.departed else 0.0


def _aligned(rows: Sequence[tuple[str, ...]], *, right: set[int]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        ("  " + "  ".join(_cell(text, widths[at], right=at in right) for at, text in enumerate(row))).rstrip()
        for row in rows
    )


def _cell(text: str, width: int, *, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)
