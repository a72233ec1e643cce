"""What an inbox does in a database, whatever the connection.

Two tables: the offsets of the records that were applied, and the ids of the events that were. Both have the consumer in
their key, so that services which share a database do not see each other's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from wakuwaku.database import Statement, Work, checked_name
from wakuwaku.errors import ConfigError

if TYPE_CHECKING:
    from wakuwaku.event import Event
    from wakuwaku.handler import Batch

__all__ = ["InboxWork"]

E = TypeVar("E", bound="Event")

#: Most arguments of one statement, well below what SQLite allows.
_ROWS_AT_A_TIME = 200


class InboxWork:
    """Yield the statements of an inbox; `now` is the database's expression for Unix seconds."""

    def __init__(self, consumer: str, table: str, *, now: str) -> None:
        if not consumer:
            raise ConfigError("an inbox needs the name of its consumer, the one of its ConsumerConfig")
        self.consumer = consumer
        self.offsets = checked_name(table)
        self.ids = checked_name(f"{table}_ids")
        self._now = now

    def tables(self) -> tuple[str, str]:
        """Return the statements that make the tables; made twice they change nothing."""
        return (
            (
                f"CREATE TABLE IF NOT EXISTS {self.offsets} (consumer TEXT NOT NULL, topic TEXT NOT NULL,"
                " partition_id BIGINT NOT NULL, record_offset BIGINT NOT NULL,"
                " PRIMARY KEY (consumer, topic, partition_id, record_offset))"
            ),
            (
                f"CREATE TABLE IF NOT EXISTS {self.ids} (consumer TEXT NOT NULL, topic TEXT NOT NULL,"
                " event_id TEXT NOT NULL, seen_at BIGINT NOT NULL, PRIMARY KEY (consumer, topic, event_id))"
            ),
        )

    def take(self, batch: Batch[E]) -> Work[Batch[E] | None]:
        """Note the offsets of a batch as applied, and return what of it was not yet.

        Where another transaction notes the same ones right now, the database has this one wait for its end.
        """
        # A record that a Rust service wrote to the retry topic does not tell its offset: it can't be recognised.
        fresh = {offset for offset in batch.offsets if offset < 0}
        # In ascending order, so that two transactions which take the same offsets wait, and never deadlock.
        offsets = sorted(set(batch.offsets) - fresh)
        for start in range(0, len(offsets), _ROWS_AT_A_TIME):
            part = offsets[start : start + _ROWS_AT_A_TIME]
            arguments: list[Any] = [self.consumer, batch.topic, batch.partition, *part]
            values = ", ".join(f"($1, $2, $3, ${number})" for number in range(4, 4 + len(part)))
            rows = yield Statement(
                f"INSERT INTO {self.offsets} (consumer, topic, partition_id, record_offset) VALUES {values}"  # noqa: S608 - checked name, numbered arguments
                " ON CONFLICT DO NOTHING RETURNING record_offset",
                arguments,
            )
            fresh.update(int(row[0]) for row in rows)
        return batch.only(fresh)

    def take_ids(self, batch: Batch[E], id_of: Callable[[E], str]) -> Work[Batch[E] | None]:
        """Note the ids of a batch's events, as they were published, and return what of it has an id that is new."""
        first: dict[str, int] = {}
        for offset, event in zip(batch.offsets, batch.unfolded, strict=True):
            first.setdefault(str(id_of(event)), offset)
        fresh: set[int] = set()
        ids = sorted(first)
        for start in range(0, len(ids), _ROWS_AT_A_TIME):
            part = ids[start : start + _ROWS_AT_A_TIME]
            arguments: list[Any] = [self.consumer, batch.topic, *part]
            values = ", ".join(f"($1, $2, ${number}, {self._now})" for number in range(3, 3 + len(part)))
            rows = yield Statement(
                f"INSERT INTO {self.ids} (consumer, topic, event_id, seen_at) VALUES {values}"  # noqa: S608 - as above
                " ON CONFLICT DO NOTHING RETURNING event_id",
                arguments,
            )
            fresh.update(first[str(row[0])] for row in rows)
        return batch.only(fresh)

    def forget(self, topic: str, below: Mapping[int, int]) -> Work[int]:
        """Forget offsets below those given for each partition, and return how many."""
        forgotten = 0
        for partition, offset in below.items():
            rows = yield Statement(
                f"DELETE FROM {self.offsets} WHERE consumer = $1 AND topic = $2 AND partition_id = $3"  # noqa: S608 - as above
                " AND record_offset < $4 RETURNING record_offset",
                [self.consumer, topic, partition, offset],
            )
            forgotten += len(rows)
        return forgotten

    def forget_ids(self, topic: str, seconds: float) -> Work[int]:
        """Forget ids that were noted longer ago, and return how many."""
        rows = yield Statement(
            f"DELETE FROM {self.ids} WHERE consumer = $1 AND topic = $2 AND seen_at < {self._now} - $3"  # noqa: S608 - as above
            " RETURNING event_id",
            [self.consumer, topic, int(seconds)],
        )
        return len(rows)
