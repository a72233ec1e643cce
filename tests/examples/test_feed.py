"""The feed tells each departure as events, in the order an airport would."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, time
from pathlib import Path

import pytest

from examples.flights import feed
from examples.flights.departures import Departure
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

LEG = Leg(
    carrier="UA", flight=1545, scheduled_at=datetime.fromisoformat("2013-01-01 05:15"), origin="EWR", destination="IAH"
)
DEPARTURE = Departure(
    carrier="UA",
    flight=1545,
    tail_number="N14228",
    origin="EWR",
    destination="IAH",
    scheduled_at=LEG.scheduled_at,
    departed_at=datetime.fromisoformat("2013-01-01 05:17"),
    delay=2,
    arrived_at=time(8, 30),
    air_minutes=227,
    distance_miles=1400,
)
CANCELLED = replace(DEPARTURE, departed_at=None, delay=0, arrived_at=None, air_minutes=None)
BOEING = AircraftRegistered(tail_number="N14228", manufacturer="BOEING", model="737-824", built=1999, seats=149)
UNITED = CarrierNamed(carrier="UA", name="United Air Lines Inc.")


def told(*departures: Departure) -> list[Event]:
    return list(feed.events(departures, {"N14228": BOEING}, {"UA": UNITED}))


def test_a_flight_is_told_on_both_topics() -> None:
    """The aircraft is known before its flight, the delay comes last."""
    assert told(DEPARTURE) == [
        BOEING,
        FlightDeparted(tail_number="N14228", leg=LEG, departed_at=datetime.fromisoformat("2013-01-01 05:17")),
        FlightArrived(tail_number="N14228", leg=LEG, arrived_at=time(8, 30), air_minutes=227, distance_miles=1400),
        DelayRecorded(tail_number="N14228", minutes=2, worst=2, flights=1),
        UNITED,
        CarrierDelay(carrier="UA", departed=1, cancelled=0, minutes=2),
    ]


def test_a_cancelled_flight_has_no_delay() -> None:
    """It is told as cancelled, and counted as such for its carrier."""
    assert told(CANCELLED) == [
        BOEING,
        FlightCancelled(tail_number="N14228", leg=LEG),
        UNITED,
        CarrierDelay(carrier="UA", departed=0, cancelled=1, minutes=0),
    ]


def test_a_flight_that_never_got_there_did_not_arrive() -> None:
    """Its departure and delay are told all the same."""
    kinds = [type(event) for event in told(replace(DEPARTURE, arrived_at=None, air_minutes=None))]

    assert FlightArrived not in kinds
    assert kinds.count(FlightDeparted) == kinds.count(DelayRecorded) == 1


def test_without_a_tail_number_only_the_carrier_hears_of_it() -> None:
    """No event of the aircraft topic has an empty key."""
    assert told(replace(CANCELLED, tail_number=None)) == [
        UNITED,
        CarrierDelay(carrier="UA", departed=0, cancelled=1, minutes=0),
    ]


def test_an_aircraft_in_no_register_is_known_by_its_number() -> None:
    """The rest of it is None."""
    assert told(replace(DEPARTURE, tail_number="N1"))[0] == AircraftRegistered(tail_number="N1")


def test_a_carrier_is_named_once_a_day() -> None:
    """The next day names it again; one in no list is never named."""
    tomorrow = replace(DEPARTURE, scheduled_at=datetime.fromisoformat("2013-01-02 05:15"))
    unlisted = replace(DEPARTURE, carrier="ZZ")

    events = told(DEPARTURE, DEPARTURE, unlisted, tomorrow)

    assert [event for event in events if isinstance(event, CarrierNamed)] == [UNITED, UNITED]


def test_the_register_says_none_where_the_data_says_na(tmp_path: Path) -> None:
    """A known aircraft may lack its year."""
    path = tmp_path / "planes.csv"
    path.write_text("tailnum,year,manufacturer,model,seats\nN1,NA,CESSNA,172N,4\n", encoding="utf-8")

    assert feed.aircraft(path) == {
        "N1": AircraftRegistered(tail_number="N1", manufacturer="CESSNA", model="172N", seats=4)
    }


def test_a_register_with_other_columns_is_refused() -> None:
    """The message names the file and what is missing."""
    with pytest.raises(feed.FeedError, match=r"airlines.csv:1: there is no column manufacturer, model"):
        feed.aircraft(feed.AIRLINES)


def test_a_register_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """The message names the file."""
    path = tmp_path / "airlines.csv"
    path.write_bytes(b"carrier,name\n\xff,\xff\n")

    with pytest.raises(feed.FeedError, match=r"airlines.csv:1: .*utf-8"):
        feed.airlines(path)


def test_the_excerpt() -> None:
    """2 699 rows: 4 without a tail number, 22 cancelled, 3 that never arrived."""
    assert Counter(type(event).__name__ for event in feed.excerpt()) == {
        "AircraftRegistered": 2695,
        "FlightDeparted": 2677,
        "FlightArrived": 2674,
        "DelayRecorded": 2677,
        "FlightCancelled": 18,
        "CarrierNamed": 43,
        "CarrierDelay": 2699,
    }
