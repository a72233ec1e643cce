"""What every log asks of its callers' arguments, so that all logs refuse the same mistakes in the same words."""

from __future__ import annotations

from typing import Final

from wakuwaku.errors import TopicMismatchError, TopicNotFoundError

__all__ = [
    "MAX_LEASE_SECONDS",
    "MAX_NAME_BYTES",
    "MAX_OFFSET",
    "MAX_PARTITIONS",
    "check_count",
    "check_lease_seconds",
    "check_name",
    "check_offset",
    "check_partition",
    "check_partitions",
    "check_same_partitions",
]

#: Bounds of the logs behind this package; Apache Iggy sets the first two, SQLite's integers the last.
MAX_NAME_BYTES: Final = 255
MAX_PARTITIONS: Final = 1_000
MAX_OFFSET: Final = 2**63 - 1
#: A lease that outlives its holder bars the partition until it ends.
MAX_LEASE_SECONDS: Final = 86_400


def check_name(what: str, name: str) -> None:
    """Refuse a name that not every log can hold; `what` is a noun for the message. Raises `ValueError`."""
    if not name.isprintable():
        raise ValueError(f"a {what} name holds printable characters only, not {name!r}")
    if not 1 <= len(name.encode()) <= MAX_NAME_BYTES:
        raise ValueError(f"a {what} name has 1 to {MAX_NAME_BYTES} bytes of UTF-8, not {len(name.encode())}")


def check_partitions(partitions: int) -> None:
    """Refuse a number of partitions no topic can have. Raises `ValueError`."""
    if not 1 <= partitions <= MAX_PARTITIONS:
        raise ValueError(f"a topic has 1 to {MAX_PARTITIONS} partitions, not {partitions}")


def check_offset(offset: int) -> None:
    """Refuse a number that is no offset. Raises `ValueError`."""
    if not 0 <= offset <= MAX_OFFSET:
        raise ValueError(f"an offset is 0 to 2**63 - 1, not {offset}")


def check_count(count: int) -> None:
    """Refuse a negative number of records. Raises `ValueError`."""
    if count < 0:
        raise ValueError(f"a count of records is 0 or more, not {count}")


def check_lease_seconds(seconds: float) -> None:
    """Refuse a time no lease is held for. Raises `ValueError`."""
    if not 0 <= seconds <= MAX_LEASE_SECONDS:
        raise ValueError(f"a lease is held for 0 to {MAX_LEASE_SECONDS} seconds, not {seconds}")


def check_partition(topic: str, partition: int, partitions: int | None) -> None:
    """Refuse a partition the topic has not; `partitions` is None for no such topic. Raises `TopicNotFoundError`."""
    if partitions is None:
        raise TopicNotFoundError(f"there is no topic {topic!r} in this stream; create it with create_topic")
    if not 0 <= partition < partitions:
        raise TopicNotFoundError(f"topic {topic!r} has the partitions 0 to {partitions - 1}, not {partition}")


def check_same_partitions(topic: str, wanted: int, existing: int) -> None:
    """Refuse to take a topic for one with another number of partitions. Raises `TopicMismatchError`."""
    if wanted != existing:
        raise TopicMismatchError(f"topic {topic!r} exists with {existing} partitions, not {wanted}")
