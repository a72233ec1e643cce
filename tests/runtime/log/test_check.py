"""`check` finds what is wrong with a file, wherever it is, and changes nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from wakuwaku.errors import LogError, LogFormatError
from wakuwaku.headers import Record
from wakuwaku.log import SqliteLog, check
from wakuwaku.log.sqlite_check import Gap
from wakuwaku.log.sqlite_schema import STEPS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A log of 250 rows of two records, and a stored offset."""
    path = tmp_path / "events.db"
    async with await SqliteLog.open(path, stream="shop", fsync="normal") as log:
        await log.create_topic("orders", 2)
        for number in range(250):
            await log.append("orders", 1, [Record(b"", f"{number}".encode() * 100)] * 2)
        await log.store_offset("projection", "orders", 1, 499)
    return path


def run(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement, values)


def test_a_sound_log_is_counted(path: Path) -> None:
    found = check(path)

    assert (found.topics, found.records, found.format) == (1, 500, len(STEPS))
    assert found.size > 500 * 100
    assert (found.gaps, found.problems) == ([], [])


def test_a_check_changes_nothing(path: Path) -> None:
    content = path.read_bytes()

    check(path)

    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


async def test_a_log_in_use_can_be_checked_with_what_is_not_in_the_file_yet(path: Path) -> None:
    async with await SqliteLog.open(path, stream="shop") as log:
        await log.append("orders", 0, [Record(b"", b"new")])

        assert check(path).records == 501


DAMAGE = {
    "a row that is no array": (
        "UPDATE batch SET records = x'c1' WHERE base = 100",
        "shop/orders/1: the records from offset 100 on can't be read",
    ),
    "a row with another number of records": (
        "UPDATE batch SET count = 1 WHERE base = 100",
        "shop/orders/1: the records from offset 100 on can't be read: a row holds 2 records and says 1",
    ),
    "offsets twice": (
        "UPDATE batch SET base = 99 WHERE base = 100",
        "shop/orders/1: offsets 99 to 99 are there twice",
    ),
    "records lost at the end": (
        "DELETE FROM batch WHERE base >= 480",
        "shop/orders/1: consumer 'projection' stored offset 499, but the records end before 480: some were lost",
    ),
    "a partition too much": (
        "UPDATE batch SET partition = 7 WHERE base = 498",
        "shop/orders/7: there are records, but the topic has the partitions 0 to 1",
    ),
    "a topic lost": ("DELETE FROM topic", "250 rows of table batch belong to a topic that is not there (row id 1)"),
    "a table lost": ("DROP TABLE consumer_offset", "incomplete (no such table: consumer_offset)"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_told_with_its_place(path: Path, damage: str) -> None:
    statement, expected = DAMAGE[damage]
    run(path, statement)

    assert any(expected in problem for problem in check(path).problems)


def test_all_damage_is_told_at_once(path: Path) -> None:
    run(path, "UPDATE batch SET records = x'c1' WHERE base IN (0, 248, 498)")

    assert len(check(path).problems) == 3


def test_a_gap_is_no_damage(path: Path) -> None:
    run(path, "DELETE FROM batch WHERE base BETWEEN 10 AND 19 OR base = 200")

    found = check(path)

    assert found.gaps == [Gap("shop/orders/1", 10, 20), Gap("shop/orders/1", 200, 202)]
    assert found.problems == []


def test_overwritten_pages_are_damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8 * 4_096 : 16 * 4_096] = b"\xa5" * (8 * 4_096)
    path.write_bytes(content)

    problems = check(path).problems

    assert problems
    assert any("SQLite: " in problem or "the file is damaged" in problem for problem in problems)


def test_a_file_that_was_cut_is_damage(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2 // 4_096 * 4_096])

    assert check(path).problems


def test_an_index_that_says_something_else_is_damage(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_batch_1'")

    assert check(path).problems


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"hello", "not an SQLite database"), (None, "there is no such file")],
)
def test_what_is_no_log_is_refused(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "events.db"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(LogError, match=words):
        check(path)


def test_a_newer_format_is_refused(path: Path) -> None:
    run(path, f"PRAGMA user_version = {len(STEPS) + 1}")

    with pytest.raises(LogFormatError, match="newer than"):
        check(path)
