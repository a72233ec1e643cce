"""What the handlers build: tables in an SQLite file."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self, final

from examples.flights.tables import Aircraft, AircraftDelay, Carrier, CarrierDelay, Figures, Flight

__all__ = ["Projection", "ProjectionError"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS aircraft (
    tail_number TEXT PRIMARY KEY, manufacturer TEXT, model TEXT, built INTEGER, seats INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS flights (
    carrier TEXT, flight INTEGER, scheduled_at TEXT, origin TEXT, destination TEXT NOT NULL, tail_number TEXT NOT NULL,
    departed_at TEXT, arrived_at TEXT, air_minutes INTEGER, distance_miles INTEGER,
    cancelled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (carrier, flight, scheduled_at, origin)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS aircraft_delays (
    tail_number TEXT PRIMARY KEY, minutes INTEGER NOT NULL, worst INTEGER NOT NULL, flights INTEGER NOT NULL,
    last_offset INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS carriers (carrier TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS carrier_delays (
    carrier TEXT PRIMARY KEY, departed INTEGER NOT NULL, cancelled INTEGER NOT NULL, minutes INTEGER NOT NULL,
    last_offset INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS projection (name TEXT NOT NULL);
"""


class ProjectionError(Exception):
    """Report a projection that can't be opened, with the file, the reason and the way out."""


@final
class Projection:
    """Keep the tables in one file, for one process at a time and any number of its threads.

    What was committed survives the end of the process at any moment. A power cut may take the last commits, which the
    log would not hand out again; a service that must survive that too sets ``synchronous`` to ``FULL``.
    Opening raises `ProjectionError` when another process has the file open or it is something else.
    """

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._connection = sqlite3.connect(path, timeout=0.5, isolation_level=None, check_same_thread=False)
        try:
            # Exclusive: two demos in one folder would both publish what is missing.
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
            self._name = self._named()
        except sqlite3.Error as error:
            self._connection.close()
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise ProjectionError(f"{path}: another run has it open; let it end, or name another folder") from error
            raise ProjectionError(f"{path}: {error}; name another folder, or remove the file") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            self._connection.close()

    @property
    def name(self) -> str:
        """Return a name made up when the file was made.

        A consumer that stores its offsets under it reads the log from the start for a projection made anew.
        """
        return self._name

    def _named(self) -> str:
        with self.transaction() as connection:
            row = connection.execute("SELECT name FROM projection").fetchone()
            if row is None:
                row = (f"projection-{secrets.token_hex(4)}",)
                connection.execute("INSERT INTO projection VALUES (?)", row)
            return str(row[0])

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection, None, None]:
        """Run the block as one transaction, one thread at a time; an error takes all of it back."""
        with self._lock, self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def figures(self) -> Figures:
        """Return all tables as they stand, each in the order of its key."""
        with self.transaction() as connection:
            read = connection.execute
            return Figures(
                aircraft=[Aircraft(*row) for row in read("SELECT * FROM aircraft ORDER BY 1")],
                flights=[Flight(*row) for row in read("SELECT * FROM flights ORDER BY 1, 2, 3, 4")],
                aircraft_delays=[
                    AircraftDelay(*row)
                    for row in read("SELECT tail_number, minutes, worst, flights FROM aircraft_delays ORDER BY 1")
                ],
                carriers=[Carrier(*row) for row in read("SELECT * FROM carriers ORDER BY 1")],
                carrier_delays=[
                    CarrierDelay(*row)
                    for row in read("SELECT carrier, departed, cancelled, minutes FROM carrier_delays ORDER BY 1")
                ],
            )
