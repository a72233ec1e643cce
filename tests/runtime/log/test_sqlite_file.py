"""Opening a file: what is no log is refused with the reason and left alone; an older format is brought up."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wakuwaku import LogError
from wakuwaku.errors import LogFormatError, LogUnavailableError
from wakuwaku.headers import Record
from wakuwaku.log import SqliteLog, check, sqlite_file, sqlite_schema
from wakuwaku.log.sqlite_errors import explained
from wakuwaku.log.sqlite_mount import network_filesystem_of
from wakuwaku.log.sqlite_schema import APPLICATION_ID, STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = Record(b"", b"body")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


async def make_log(path: Path, records: int = 1) -> None:
    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)
        await log.append("orders", 0, [RECORD] * records)


async def refusal(path: Path, kind: type[LogError]) -> str:
    """Return why a log can't be opened; it must be refused with exactly this kind of error."""
    with pytest.raises(kind) as caught:
        await SqliteLog.open(path, busy_timeout=0)
    assert type(caught.value) is kind
    assert str(path) in str(caught.value)
    return str(caught.value)


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


async def test_a_folder_is_no_log(tmp_path: Path) -> None:
    assert "is a folder; name the file" in await refusal(tmp_path, LogError)


async def test_a_missing_folder_is_named_and_not_created(tmp_path: Path) -> None:
    message = await refusal(tmp_path / "data" / "shop" / "events.db", LogError)

    assert f"there is no folder {tmp_path / 'data' / 'shop'}; create it first" in message
    assert not list(tmp_path.iterdir())


async def test_a_file_as_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    assert "there is no folder" in await refusal(tmp_path / "data" / "events.db", LogError)


@pytest.mark.parametrize("content", [b"hello", b"order,amount\n1,2\n" * 1_000])
async def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)

    assert "not an SQLite database" in await refusal(path, LogFormatError)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE customers (id)",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 1",
        f"PRAGMA application_id = {APPLICATION_ID}",
    ],
)
async def test_a_database_of_somebody_else_is_refused_and_left_alone(path: Path, statement: str) -> None:
    run(path, statement)
    content = path.read_bytes()

    assert "not a log of wakuwaku; give the log a file of its own" in await refusal(path, LogFormatError)
    assert path.read_bytes() == content


async def test_an_empty_file_becomes_a_log(path: Path) -> None:
    path.touch()

    await make_log(path)

    assert path.stat().st_size > 0


async def test_a_newer_format_is_refused_and_left_alone(path: Path) -> None:
    await make_log(path)
    run(path, f"PRAGMA user_version = {len(STEPS) + 1}")

    message = await refusal(path, LogFormatError)

    assert f"has log format {len(STEPS) + 1}, newer than {len(STEPS)}" in message
    assert "upgrade wakuwaku" in message


async def test_an_older_format_is_brought_up_with_all_it_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_log(path, records=3)
    step = ["ALTER TABLE topic ADD COLUMN expiry_ms INTEGER", "CREATE TABLE codec (name TEXT)"]
    monkeypatch.setattr(sqlite_schema, "STEPS", (*STEPS, step))

    for _ in range(2):
        async with await SqliteLog.open(path) as log:
            assert len(await log.read("orders", 0, 0, 10)) == 3

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(STEPS) + 1,)
        assert connection.execute("SELECT expiry_ms FROM topic").fetchall() == [(None,)]
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (1,)


async def test_the_first_format_is_brought_up_with_all_it_holds(path: Path) -> None:
    """A file of version 0.1.0, which knew no leases and no retention."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_schema, "STEPS", STEPS[:1])
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            sqlite_schema.prepare(connection, path)
            connection.execute("INSERT INTO topic VALUES (1, 'default', 'orders', 1, 0)")
            connection.execute("INSERT INTO consumer_offset VALUES ('projection', 1, 0, 0, 0)")
            assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert check(path).format == 1  # looking changes nothing

    async with await SqliteLog.open(path) as log:
        assert await log.load_offset("projection", "orders", 0) == 0
        lease = await log.lease("projection", "orders", 0, holder="a", seconds=1)
        assert await log.append("orders", 0, [RECORD], lease=lease) == 0

    assert check(path).format == len(STEPS)
    assert check(path).problems == []


async def test_a_step_that_fails_leaves_the_format_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_log(path)
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_schema, "STEPS", (*STEPS, ["CREATE TABLE codec (name)", "INSERT INTO nowhere VALUES (1)"]))
        assert "incomplete (no such table: nowhere)" in await refusal(path, LogFormatError)

    async with await SqliteLog.open(path) as log:
        assert len(await log.read("orders", 0, 0, 10)) == 1


async def test_two_logs_have_instances_of_their_own(tmp_path: Path) -> None:
    instances: set[bytes] = set()
    for name in ("a.db", "b.db", "a.db"):
        await make_log(tmp_path / name)
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            ((instance,),) = connection.execute("SELECT instance FROM log").fetchall()
        instances.add(instance)

    assert [len(instance) for instance in instances] == [16, 16]


async def test_a_log_with_a_missing_table_is_called_incomplete(path: Path) -> None:
    await make_log(path)
    run(path, "DROP TABLE batch")

    async with await SqliteLog.open(path) as log:
        with pytest.raises(LogFormatError, match=r"calls itself a log but is incomplete \(no such table: batch\)"):
            await log.append("orders", 0, [RECORD])


async def test_damaged_pages_are_called_damage(path: Path) -> None:
    await make_log(path, records=20_000)
    content = bytearray(path.read_bytes())
    content[4_096:] = b"\xa5" * (len(content) - 4_096)
    path.write_bytes(content)

    async with await SqliteLog.open(path) as log:
        with pytest.raises(LogFormatError, match=r"events.db: the file is damaged; restore a copy"):
            await log.read("orders", 0, 0, 10)
        with pytest.raises(LogFormatError, match="damaged"):
            await log.append("orders", 0, [RECORD])


async def test_a_damaged_beginning_is_not_taken_for_a_new_file(path: Path) -> None:
    await make_log(path)
    content = bytearray(path.read_bytes())
    content[:100] = bytes(100)
    path.write_bytes(content)

    assert "its beginning is damaged" in await refusal(path, LogFormatError)
    assert path.read_bytes() == content


async def test_a_new_file_that_stays_locked_is_unavailable(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "locked by another process" in await refusal(path, LogUnavailableError)

    await make_log(path)


async def test_switching_to_the_write_ahead_log_waits_for_other_processes(path: Path) -> None:
    await make_log(path)
    run(path, "PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM batch")
        assert "locked by another process" in await refusal(path, LogUnavailableError)
        opening = asyncio.create_task(SqliteLog.open(path, busy_timeout=60))
        await asyncio.sleep(0)
        other.execute("COMMIT")

        async with await opening as log:
            assert await log.append("orders", 0, [RECORD]) == 1

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_place_without_a_write_ahead_log_is_refused() -> None:
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(LogError, match="keep the log on a local disk"),
    ):
        sqlite_file._switch_to_wal(connection, 0)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Be a user whom permissions bind, also when the tests run as root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder every user reaches, which those of pytest are not."""
    with without_privileges():
        folder = Path(tempfile.mkdtemp())
        yield folder
        folder.chmod(0o700)
        shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
class TestReadOnly:
    async def test_a_read_only_file_can_be_read_but_not_written(self, public_folder: Path) -> None:
        path = public_folder / "events.db"
        await make_log(path)
        path.chmod(0o400)

        async with await SqliteLog.open(path) as log:
            assert len(await log.read("orders", 0, 0, 10)) == 1
            with pytest.raises(LogError, match="the file or its folder is read-only") as caught:
                await log.append("orders", 0, [RECORD])
        assert type(caught.value) is LogError

    async def test_an_unreadable_file_is_refused(self, public_folder: Path) -> None:
        path = public_folder / "events.db"
        await make_log(path)
        path.chmod(0o000)

        assert "it can't be opened; a log needs the right to" in await refusal(path, LogError)

    async def test_a_read_only_folder_takes_no_new_log(self, public_folder: Path) -> None:
        public_folder.chmod(0o500)

        assert "it can't be opened; a log needs the right to" in await refusal(public_folder / "events.db", LogError)

    async def test_a_log_in_a_read_only_folder_is_refused(self, public_folder: Path) -> None:
        path = public_folder / "events.db"
        await make_log(path)
        public_folder.chmod(0o500)

        message = await refusal(path, LogError)

        assert "read-only" in message or "create files in its folder" in message


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("SQLITE_FULL", LogUnavailableError, "the disk is full, and nothing of this call was kept"),
        ("SQLITE_IOERR_FSYNC", LogUnavailableError, "make room, try again"),
        ("SQLITE_BUSY_RECOVERY", LogUnavailableError, "busy time-out"),
        ("SQLITE_PROTOCOL", LogUnavailableError, "try again"),
        ("SQLITE_READONLY_DBMOVED", LogError, "read-only"),
        ("SQLITE_CORRUPT_INDEX", LogFormatError, "damaged"),
        ("SQLITE_MISUSE", LogError, "SQLite refused the call"),
    ],
)
def test_each_kind_of_sqlite_error_has_its_class_and_keeps_the_original_words(
    name: str, kind: type[LogError], words: str
) -> None:
    error = sqlite3.OperationalError("original words")
    error.sqlite_errorcode = getattr(sqlite3, name)

    result = explained(error, Path("events.db"))

    assert type(result) is kind
    assert str(result).startswith("events.db: ")
    assert words in str(result)
    assert "(original words)" in str(result)


MOUNTS = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:35 / /mnt/team rw,relatime shared:20 - nfs4 server:/team rw,vers=4.2
41 40 254:1 /x /mnt/team/fast rw - xfs /dev/vdb rw
42 22 0:36 / /mnt/two\040words rw - cifs //server/share rw
43 22 0:37 / /over rw - nfs server:/a rw
44 43 254:2 / /over rw - ext4 /dev/vdc rw
""".strip()


@pytest.mark.parametrize(
    ("path", "filesystem"),
    [
        ("/var/lib/events.db", None),
        ("/mnt/team/events.db", "nfs4"),
        ("/mnt/team/fast/events.db", None),
        ("/mnt/teammates/events.db", None),
        ("/mnt/two words/a/events.db", "cifs"),
        ("/over/events.db", None),
    ],
)
def test_the_innermost_mount_tells_the_file_system(path: str, filesystem: str | None) -> None:
    assert network_filesystem_of(Path(path), MOUNTS) == filesystem


def test_without_a_list_of_mounts_every_place_counts_as_local() -> None:
    assert network_filesystem_of(Path("/mnt/team/events.db"), "") is None


async def test_a_network_file_system_is_refused(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("22 1 254:0 / / rw,relatime shared:1 - nfs4 server:/ rw\n")
    monkeypatch.setattr(sqlite_file, "_MOUNTS", mounts)

    message = await refusal(path, LogError)

    assert "on a network file system (nfs4), whose locks do not keep a log whole; keep it on a local disk" in message
    assert not path.exists()
