"""The figures computed straight from the files are those of the data, and stand on nothing of wakuwaku."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from examples.flights import feed, tables
from examples.flights import figures as figures_module
from examples.flights.figures import figures
from examples.flights.tables import Aircraft, AircraftDelay, Carrier, CarrierDelay, Figures, Flight, differences


@pytest.fixture(scope="module")
def excerpt() -> Figures:
    return figures(feed.FLIGHTS, feed.PLANES, feed.AIRLINES)


def test_the_excerpt_has_these_sizes(excerpt: Figures) -> None:
    """1 351 aircraft, 211 of them in no register; 2 695 flights with a known one; 15 carriers."""
    assert len(excerpt.aircraft) == 1351
    assert sum(one.manufacturer is None for one in excerpt.aircraft) == 211
    assert len(excerpt.flights) == 2695
    assert sum(flight.cancelled for flight in excerpt.flights) == 18
    assert len(excerpt.carriers) == len(excerpt.carrier_delays) == 15
    assert excerpt.rows == 1351 + 2695 + len(excerpt.aircraft_delays) + 15 + 15


def test_rows_of_the_excerpt(excerpt: Figures) -> None:
    """One row of each table, as it can be looked up in the files."""
    assert Aircraft("N14228", "BOEING", "737-824", 1999, 149) in excerpt.aircraft
    assert (
        Flight(
            "UA", 1545, "2013-01-01 05:15", "EWR", "IAH", "N14228", "2013-01-01 05:17", "08:30", 227, 1400, cancelled=0
        )
        in excerpt.flights
    )
    assert AircraftDelay("N730MQ", -13, 28, 10) in excerpt.aircraft_delays
    assert Carrier("HA", "Hawaiian Airlines Inc.") in excerpt.carriers
    assert CarrierDelay("UA", 491, 3, 4782) in excerpt.carrier_delays


def test_the_whole_delay_of_the_excerpt(excerpt: Figures) -> None:
    """2 677 departures were 32 569 minutes late in sum; the worst was late by 853 minutes."""
    assert sum(row.departed for row in excerpt.carrier_delays) == 2677
    assert sum(row.cancelled for row in excerpt.carrier_delays) == 22
    assert sum(row.minutes for row in excerpt.carrier_delays) == 32569
    assert sum(row.minutes for row in excerpt.aircraft_delays) == 32569
    assert max(row.worst for row in excerpt.aircraft_delays) == 853


def test_a_departure_past_midnight_is_on_the_next_day(excerpt: Figures) -> None:
    """Found from the clock alone."""
    (late,) = (flight for flight in excerpt.flights if flight.tail_number == "N329JB" and flight.flight == 104)

    assert (late.scheduled_at, late.departed_at) == ("2013-01-03 21:45", "2013-01-04 00:50")


@pytest.mark.parametrize("module", [figures_module, tables])
def test_the_check_stands_on_the_standard_library(module: ModuleType) -> None:
    """Nothing that the demo shows off takes part in checking it, and nothing of the feed does."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} | {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }

    assert {name for name in imported if name and name.split(".")[0] not in sys.stdlib_module_names} <= {
        "examples.flights.tables"
    }


def test_equal_figures_have_no_difference(excerpt: Figures) -> None:
    """The tables are compared as values."""
    assert differences(excerpt, figures(feed.FLIGHTS, feed.PLANES, feed.AIRLINES)) == []


def test_a_difference_names_the_table_and_a_row(excerpt: Figures) -> None:
    """Totals that happen to agree hide nothing."""
    one, two, *rest = excerpt.carrier_delays
    swapped = [one._replace(minutes=one.minutes + 1), two._replace(minutes=two.minutes - 1), *rest]

    (line,) = differences(excerpt, replace(excerpt, carrier_delays=swapped))

    assert line.startswith("carrier_delays: 2 rows missing or different, 2 not expected; expected CarrierDelay(")
    assert f"minutes={one.minutes}" in line
    assert f"found CarrierDelay(carrier='{one.carrier}'" in line


def test_a_row_too_many_is_a_difference(excerpt: Figures) -> None:
    """A row that stands twice is told too."""
    twice = [*excerpt.carriers, excerpt.carriers[-1]]

    (line,) = differences(excerpt, replace(excerpt, carriers=twice))

    assert line == "carriers: 0 rows missing or different, 0 not expected; the same rows in another order or number"
