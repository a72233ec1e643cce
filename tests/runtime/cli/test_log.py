"""`wakuwaku log`, run as a user runs it."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.runtime.cli.test_cli import wakuwaku
from tests.runtime.orders import OrderPlaced
from wakuwaku import Publisher, connect
from wakuwaku.cli.log_tail import shown_record
from wakuwaku.cli.quantities import duration, shown_bytes, size
from wakuwaku.errors import ConfigError
from wakuwaku.headers import Record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A log of forty orders of one customer, on one partition, and a consumer that is done with some."""
    path = tmp_path / "events.db"
    async with await connect(f"sqlite:///{path}") as log:
        await log.create_topic("orders", 1)
        for number in range(40):
            await Publisher(log).publish(OrderPlaced(order_id=number, customer="Ada"))
        await log.store_offset("projection", "orders", 0, 29)
    return path


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


def done(*arguments: str) -> str:
    """Run a command that succeeds, and return what it prints."""
    ended = wakuwaku("log", *arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def test_a_sound_log_is_said_to_be_sound(url: str) -> None:
    assert done("check", url).endswith("log format 2: sound\n")


def test_damage_ends_with_1_and_one_line_for_each_problem(url: str, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE batch SET records = x'c1' WHERE base IN (3, 4)")
        connection.execute("DELETE FROM batch WHERE base BETWEEN 10 AND 19")

    ended = wakuwaku("log", "check", url)

    assert ended.returncode == 1
    assert [line.split(":")[1].strip()[:40] for line in ended.stderr.splitlines()] == ["default/orders/0"] * 2
    assert "no records at offsets 10 to 19" in ended.stdout
    assert "damaged" in ended.stdout


def test_retention_is_shown_and_set_and_compact_acts_on_it(url: str) -> None:
    assert done("retention", url, "-t", "orders") == "orders: all is kept\n"
    assert done("retention", url, "-t", "orders", "--max-age", "0s", "--max-bytes", "2G", "--drop-consumed") == (
        "orders: compact lets go of what is older than 0 s, or beyond 2.0 GiB of a partition,"
        " or done by all consumers\n"
    )

    compacted = done("compact", url)
    assert "default/orders/0: removed 30 records" in compacted
    assert "older records stay, consumer 'projection' needs them from offset 30 on" in compacted

    assert done("forget", url, "-t", "orders", "-c", "projection") == "forgot 'projection'\n"
    assert "removed 9 records" in done("compact", url, "--no-vacuum")
    assert done("retention", url, "-t", "orders", "--keep-all") == "orders: all is kept\n"


def test_an_export_is_imported_into_a_new_log(url: str, tmp_path: Path) -> None:
    assert done("export", url, "-o", str(tmp_path / "orders.jsonl")) == ""

    imported = done("import", f"sqlite:///{tmp_path / 'copy.db'}", str(tmp_path / "orders.jsonl"))

    assert imported == "40 records in 1 topics, 1 stored offsets\n"
    first, *lines = done("export", f"sqlite:///{tmp_path / 'copy.db'}").splitlines()
    assert first.startswith('{"kind":"log","format":1')
    assert lines == (tmp_path / "orders.jsonl").read_text(encoding="utf-8").splitlines()[1:]


def test_an_export_moves_into_another_kind_of_log(url: str, tmp_path: Path) -> None:
    done("export", url, "-o", str(tmp_path / "orders.jsonl"))

    assert done("import", "memory://", str(tmp_path / "orders.jsonl")) == "40 records, offsets as the log gave them\n"


def test_tail_shows_the_last_records_one_a_line(url: str) -> None:
    lines = done("tail", url, "-t", "orders", "-n", "2").splitlines()

    assert len(lines) == 2
    assert lines[1].startswith("0/39  tag 1  key ")
    assert lines[1].endswith('acquire  idempotent  {"order_id":39,"customer":"Ada","total_cents":0}')
    assert len(done("tail", url, "-t", "orders", "--from", "5").splitlines()) == 35


async def test_tail_follows_what_is_appended_until_it_is_stopped(url: str) -> None:
    program = "import sys; from wakuwaku.cli import main; sys.argv[0] = 'wakuwaku'; main()"
    command = ["-u", "-c", program, "log", "tail", url, "-t", "orders", "-n", "1", "--follow"]
    tail = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE)
    assert tail.stdout is not None
    first = await asyncio.wait_for(tail.stdout.readline(), 60)
    async with await connect(url) as log:
        await log.append("orders", 0, [Record(b"", b"\x81\xa1a\x01")])
    second = await asyncio.wait_for(tail.stdout.readline(), 60)
    tail.send_signal(signal.SIGINT)

    assert first.startswith(b"0/39  ")
    assert second == b"0/40  header 'wakuwaku-tag' is missing  {\"a\":1}\n"
    assert await asyncio.wait_for(tail.wait(), 60) == 130


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (Record(b"", b""), "(empty)"),
        (Record(b"", b"x"), "78"),
        (Record(b"", b"hello"), "68656c6c6f"),
        (Record(b"", b"\x91\xc4\x01\xff"), '["/w=="]'),
        (Record(b"", b"\x91\xc7\x01\x07\x00"), "91c7010700"),
        (Record(b"", b"", {"a": b"\xff"}), '{"a":"ff"}  (empty)'),
    ],
)
def test_a_record_of_any_content_is_shown(record: Record, shown: str) -> None:
    assert shown_record(record) == f"header 'wakuwaku-tag' is missing  {shown}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "sqlite:///nothing.db"), "there is no such file, so no log to look at"),
        (("check", "memory://"), "'memory://' is no embedded log; this needs its file, as sqlite:///events.db"),
        (("check", "iggy://ada:hush@host"), "'iggy://***@host' is no embedded log; this needs its file, as sqlite:///"),
        (("compact", "sqlite://host/x"), "three slashes stand before a relative path"),
        (("export", "URL", "-t", "refunds"), "there is no topic 'refunds' in stream 'default'"),
        (("export", "URL", "-o", "FILE"), "File exists"),
        (("import", "URL", "nothing.jsonl"), "No such file"),
        (("import", "URL", "FILE"), "line 1 is not of an export"),
        (("retention", "URL", "-t", "orders", "--max-age", "7"), "'7' is no duration; write a number and s, m, h, d"),
        (("retention", "URL", "-t", "orders", "--max-bytes", "x"), "'x' is no size; write a number, and K, M, G or T"),
        (("retention", "URL", "-t", "orders", "--keep-all", "--drop-consumed"), "--keep-all goes with no other option"),
        (("retention", "URL", "-t", "refunds"), "there is no topic 'refunds' in stream 'default'"),
        (("forget", "URL", "-t", "refunds", "-c", "x"), "there is no topic 'refunds'"),
        (("tail", "URL", "-t", "refunds"), "there is no topic 'refunds' in stream 'default'"),
        (("tail", "URL", "-t", "orders", "-p", "7"), "has the partitions 0 to 0, not 7"),
    ],
)
def test_a_mistake_is_told_in_one_line(url: str, path: Path, arguments: tuple[str, ...], message: str) -> None:
    given = {"URL": url, "FILE": str(path)}

    told = wakuwaku("log", *(given.get(argument, argument) for argument in arguments))

    assert told.returncode == 2
    assert message in told.stderr
    assert len(told.stderr.splitlines()) == 1


@pytest.mark.parametrize(("text", "seconds"), [("0s", 0), ("1.5m", 90), ("36h", 129_600), ("7d", 604_800)])
def test_durations_are_read(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize(("text", "count"), [("0", 0), ("7K", 7_168), ("2G", 2 * 1024**3)])
def test_sizes_are_read(text: str, count: int) -> None:
    assert size(text) == count


@pytest.mark.parametrize("text", ["", "s", "-1s", "1y", "1 s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="no duration"):
        duration(text)


@pytest.mark.parametrize(("count", "shown"), [(0, "0 bytes"), (1_023, "1,023 bytes"), (1_536, "1.5 KiB")])
def test_bytes_are_shown_in_a_unit_that_fits(count: int, shown: str) -> None:
    assert shown_bytes(count) == shown
