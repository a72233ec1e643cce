"""What an outbox does in a database, whatever the connection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from wakuwaku.database import Rows, Statement, Work, checked_name
from wakuwaku.encoding import EventEncoder
from wakuwaku.event import Event
from wakuwaku.ordering import Ordering
from wakuwaku.outbox.store import Place, Row

__all__ = ["OutboxWork"]

_ROWS_AT_A_TIME: Final = 100

#: Keys that share a lock: PostgreSQL's table of locks is bounded, and a transaction may write many keys.
_LOCKS: Final = 256

#: The row of the table of positions that holds the outbox's own number.
_OWN: Final = Place("", 0)


class OutboxWork:
    """Yield the statements of an outbox; `locking` takes locks that keep the events of a key in order of commits."""

    def __init__(self, table: str, *, identity: str, blob: str, random: str, locking: bool) -> None:
        self.rows = checked_name(table)
        self.places = checked_name(f"{table}_positions")
        self._identity, self._blob, self._random, self._locking = identity, blob, random, locking
        self._encoder = EventEncoder()

    def tables(self) -> tuple[str, ...]:
        """Return the statements that make the tables; made twice they change nothing."""
        return (
            (
                f"CREATE TABLE IF NOT EXISTS {self.rows} (id {self._identity}, topic TEXT NOT NULL,"
                f" partitions BIGINT NOT NULL, head {self._blob} NOT NULL, body {self._blob} NOT NULL)"
            ),
            (
                f"CREATE TABLE IF NOT EXISTS {self.places} (topic TEXT NOT NULL, partition_id BIGINT NOT NULL,"
                " record_offset BIGINT NOT NULL, PRIMARY KEY (topic, partition_id))"
            ),
            f"INSERT INTO {self.places} VALUES ('', 0, {self._random}) ON CONFLICT DO NOTHING",  # noqa: S608 - checked name
        )

    def add(self, events: Iterable[Event], ordering: Ordering | None) -> Work[None]:
        """Write events; raises `PublishError` before anything is written when one of them is refused."""
        rows: list[tuple[str, int, bytes, bytes]] = []
        buckets: set[int] = set()
        for index, event in enumerate(events):
            record, key = self._encoder.encode(index, event, ordering)
            described = event.__wakuwaku__.key.__wakuwaku__
            rows.append((described.topic, described.partitions, record.head, record.body))
            buckets.add(key % _LOCKS)
        if self._locking:
            # Held until the transaction ends: of one key, whoever is numbered later also commits later. In ascending
            # order, so that two transactions with the same keys do not wait for one another.
            for bucket in sorted(buckets):
                yield Statement("SELECT pg_advisory_xact_lock(hashtext($1), $2::integer)", [self.rows, bucket])
        for start in range(0, len(rows), _ROWS_AT_A_TIME):
            part = rows[start : start + _ROWS_AT_A_TIME]
            values = ", ".join(f"(${n}, ${n + 1}, ${n + 2}, ${n + 3})" for n in range(1, 4 * len(part), 4))
            arguments = [value for row in part for value in row]
            yield Statement(
                f"INSERT INTO {self.rows} (topic, partitions, head, body) VALUES {values}",  # noqa: S608 - as above
                arguments,
            )

    def number(self) -> Work[int]:
        """Return the outbox's own number."""
        rows = yield Statement(
            f"SELECT record_offset FROM {self.places} WHERE topic = $1 AND partition_id = $2",  # noqa: S608 - as above
            list(_OWN),
        )
        return int(rows[0][0])

    def pending(self, count: int) -> Work[Sequence[Row]]:
        """Return the first rows that wait."""
        rows = yield Statement(
            f"SELECT id, topic, partitions, head, body FROM {self.rows} ORDER BY id LIMIT $1",  # noqa: S608 - as above
            [count],
        )
        return _rows(rows)

    def some(self, numbers: Sequence[int]) -> Work[Sequence[Row]]:
        """Return those of some rows that still wait."""
        found: list[Row] = []
        for start in range(0, len(numbers), _ROWS_AT_A_TIME):
            part = numbers[start : start + _ROWS_AT_A_TIME]
            rows = yield Statement(
                f"SELECT id, topic, partitions, head, body FROM {self.rows} WHERE id IN ({_signs(part)})",  # noqa: S608 - as above
                part,
            )
            found += _rows(rows)
        return found

    def positions(self) -> Work[Mapping[Place, int]]:
        """Return the positions."""
        rows = yield Statement(f"SELECT topic, partition_id, record_offset FROM {self.places}")  # noqa: S608 - as above
        places = {Place(str(topic), int(partition)): int(offset) for topic, partition, offset in rows}
        places.pop(_OWN, None)
        return places

    def begin(self, positions: Mapping[Place, int]) -> Work[None]:
        """Keep positions of partitions that have none: an older relay, thought dead, must not move a newer one's."""
        for place, offset in sorted(positions.items()):
            yield Statement(
                f"INSERT INTO {self.places} (topic, partition_id, record_offset) VALUES ($1, $2, $3)"  # noqa: S608 - as above
                " ON CONFLICT DO NOTHING",
                [*place, offset],
            )

    def sent(self, numbers: Sequence[int], positions: Mapping[Place, int]) -> Work[None]:
        """Forget rows and keep positions."""
        for start in range(0, len(numbers), _ROWS_AT_A_TIME):
            part = numbers[start : start + _ROWS_AT_A_TIME]
            yield Statement(f"DELETE FROM {self.rows} WHERE id IN ({_signs(part)})", part)  # noqa: S608 - as above
        for place, offset in sorted(positions.items()):
            yield Statement(
                f"INSERT INTO {self.places} (topic, partition_id, record_offset) VALUES ($1, $2, $3)"  # noqa: S608 - as above
                " ON CONFLICT (topic, partition_id) DO UPDATE SET record_offset = excluded.record_offset",
                [*place, offset],
            )


def _rows(rows: Rows) -> list[Row]:
    return [Row(int(n), str(topic), int(parts), bytes(head), bytes(body)) for n, topic, parts, head, body in rows]


def _signs(arguments: Sequence[object]) -> str:
    return ", ".join(f"${number}" for number in range(1, 1 + len(arguments)))
