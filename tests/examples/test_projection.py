"""The projection keeps whole transactions, from any thread; handlers may be called again with other foldings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.flights.projection import Projection, ProjectionError
from examples.flights.tables import Aircraft, AircraftDelay, Carrier, CarrierDelay
from generated.flights import AircraftRegistered, CarrierNamed, DelayRecorded
from generated.flights import CarrierDelay as CarrierDelayEvent
from generated.flights.handlers.aircraft_registered import AircraftRegisteredHandler
from generated.flights.handlers.carrier_delay import CarrierDelayHandler
from generated.flights.handlers.carrier_named import CarrierNamedHandler
from generated.flights.handlers.delay_recorded import DelayRecordedHandler
from wakuwaku import Batch


@pytest.fixture
def projection(tmp_path: Path) -> Iterator[Projection]:
    with Projection(tmp_path / "projection.db") as opened:
        yield opened


def delay(minutes: int) -> DelayRecorded:
    return DelayRecorded(tail_number="N1", minutes=minutes, worst=minutes, flights=1)


def folded(events: Sequence[DelayRecorded], first: int) -> Batch[DelayRecorded]:
    """Fold neighbours at offsets from `first` on, as the consumer does."""

    def combine(earlier: DelayRecorded, later: DelayRecorded) -> DelayRecorded:
        combined = earlier.combine(later)
        assert combined is not None
        return combined

    offsets = range(first, first + len(events))
    return Batch([reduce(combine, events)], topic="aircraft", partition=0, offsets=offsets, unfolded=events)


@given(minutes=st.lists(st.integers(-60, 900), min_size=1, max_size=12), data=st.data())
def test_a_delay_counts_once_however_often_it_comes(minutes: list[int], data: st.DataObject) -> None:
    """After each crash the log is read from somewhere before the last offset, folded in pieces of other lengths."""
    events = [delay(one) for one in minutes]
    handled = 0
    with Projection(Path(":memory:")) as projection:
        handler = DelayRecordedHandler(projection)
        while handled < len(events):
            start = data.draw(st.integers(0, handled), label="read again from")
            end = data.draw(st.integers(start + 1, len(events)), label="up to")
            handler.handle(folded(events[start:end], first=start))
            handled = max(handled, end)

        assert projection.figures().aircraft_delays == [AircraftDelay("N1", sum(minutes), max(minutes), len(minutes))]


def test_a_carriers_delay_counts_once(projection: Projection) -> None:
    """The same batch again changes nothing; the next one adds."""
    handler = CarrierDelayHandler(projection)
    event = CarrierDelayEvent(carrier="UA", departed=1, cancelled=0, minutes=7)
    first = Batch([event], topic="carriers", partition=0, offsets=[0])
    later = Batch([event], topic="carriers", partition=0, offsets=[3])

    for batch in (first, first, later, first):
        handler.handle(batch)

    assert projection.figures().carrier_delays == [CarrierDelay("UA", 2, 0, 14)]


def test_what_is_set_last_holds(projection: Projection) -> None:
    """Aircraft and names are set, not added to."""
    known = AircraftRegistered(tail_number="N1", manufacturer="CESSNA", model="172N", built=1979, seats=4)
    AircraftRegisteredHandler(projection).handle(Batch.of(AircraftRegistered(tail_number="N1"), known, known))
    CarrierNamedHandler(projection).handle(
        Batch.of(CarrierNamed(carrier="UA", name="United"), CarrierNamed(carrier="UA", name="United Air Lines"))
    )

    assert projection.figures().aircraft == [Aircraft("N1", "CESSNA", "172N", 1979, 4)]
    assert projection.figures().carriers == [Carrier("UA", "United Air Lines")]


def test_threads_take_turns(projection: Projection) -> None:
    """Many threads add at once and no addition is lost."""
    handler = DelayRecordedHandler(projection)

    def add(aircraft: int) -> None:
        for offset in range(20):
            event = DelayRecorded(tail_number=f"N{aircraft}", minutes=1, worst=1, flights=1)
            handler.handle(Batch([event], topic="aircraft", partition=0, offsets=[offset]))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(8)))

    assert projection.figures().aircraft_delays == [AircraftDelay(f"N{one}", 20, 1, 20) for one in range(8)]


def test_an_error_takes_the_transaction_back(projection: Projection) -> None:
    """Nothing of a handler call that failed is left, and the next one works."""
    with pytest.raises(ZeroDivisionError), projection.transaction() as connection:
        connection.execute("INSERT INTO carriers VALUES ('UA', 'United')")
        raise ZeroDivisionError

    CarrierNamedHandler(projection).handle(Batch.of(CarrierNamed(carrier="AA", name="American")))
    assert projection.figures().carriers == [Carrier("AA", "American")]


def test_the_name_stays_with_the_file(tmp_path: Path) -> None:
    """A file opened again keeps its name, one made anew gets another."""
    with Projection(tmp_path / "one.db") as first, Projection(tmp_path / "other.db") as other:
        name = first.name
        assert other.name != name
    with Projection(tmp_path / "one.db") as again:
        assert again.name == name


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """Whoever comes second is told to wait or to go elsewhere."""
    path = tmp_path / "projection.db"
    with Projection(path), pytest.raises(ProjectionError, match="another run has it open"):
        Projection(path)


def test_another_file_is_refused(tmp_path: Path) -> None:
    """The message names the file and the way out."""
    path = tmp_path / "projection.db"
    path.write_bytes(b"these are my holiday pictures" * 100)

    with pytest.raises(ProjectionError, match=r"projection.db: file is not a database; name another folder"):
        Projection(path)
