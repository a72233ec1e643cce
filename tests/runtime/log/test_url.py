"""`connect`: each URL opens its log, and a wrong one says what would be right."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import wakuwaku.log as package
from wakuwaku import ConfigError
from wakuwaku.log import MemoryLog, SqliteLog, TopicInfo, connect


async def test_memory_is_a_new_log_each_time() -> None:
    async with await connect("memory://") as first, await connect("memory://", stream="shop") as second:
        await first.create_topic("orders", 1)

        assert isinstance(first, MemoryLog)
        assert list(await second.topics()) == []


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("sqlite:///events.db", "events.db"),
        ("sqlite:///./sub/events.db", "sub/events.db"),
        ("sqlite:///what%3F%20no.db", "what? no.db"),
        ("sqlite:///events.db?fsync=normal&busy_timeout=0.5", "events.db"),
        ("sqlite:////{absolute}/deep.db", "deep.db"),
    ],
)
async def test_sqlite_opens_the_file_the_path_names(
    url: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()

    async with await connect(url.format(absolute=str(tmp_path).lstrip("/"))) as log:
        assert isinstance(log, SqliteLog)

    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()] == [name]


async def test_leaving_the_folder_does_not_move_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    async with await connect("sqlite:///events.db") as log:
        monkeypatch.chdir("elsewhere")
        await log.create_topic("orders", 1)
        assert str(tmp_path / "events.db") in repr(log)

    assert not list(Path.cwd().iterdir())


async def test_streams_of_one_file_are_apart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/events.db"
    async with await connect(url, stream="shop") as shop, await connect(url, stream="flights") as flights:
        await shop.create_topic("orders", 1)
        await flights.create_topic("orders", 2)

        assert list(await shop.topics()) == [TopicInfo("orders", 1)]
        assert list(await flights.topics()) == [TopicInfo("orders", 2)]


@pytest.mark.parametrize(("option", "level"), [("", 2), ("?fsync=full", 2), ("?fsync=normal", 1)])
async def test_the_fsync_option_reaches_the_connection_that_writes(option: str, level: int, tmp_path: Path) -> None:
    async with await connect(f"sqlite:///{tmp_path}/events.db{option}") as log:
        assert isinstance(log, SqliteLog)

        def ask(connection: sqlite3.Connection) -> int:
            (value,) = connection.execute("PRAGMA synchronous").fetchone()
            return int(value)

        # PRAGMA synchronous can be asked for inside of a transaction, not set.
        assert await log._writer.submit(ask) == level


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("kafka://host", "'kafka://host' names no log: .* sqlite:///, iggy:// or memory://"),
        ("events.db", "'events.db' names no log"),
        ("", "'' names no log"),
        ("http://[", "Invalid IPv6 URL"),
        ("memory://shop", "nothing follows memory://"),
        ("memory://?fsync=full", "nothing follows memory://"),
        ("sqlite://events.db", "three slashes stand before a relative path, four before an absolute one"),
        ("sqlite:///", "name the file, as in sqlite:///events.db"),
        ("sqlite://", "name the file"),
        ("sqlite:///:memory:", "a log in memory is memory://"),
        ("sqlite:///a#b.db", "write # in a path as %23"),
        ("sqlite:///a%00b.db", "no path has a NUL character"),
        ("sqlite:///events.db?sync=full", "there is no option 'sync'; there are fsync and busy_timeout"),
        ("sqlite:///events.db?fsync=full&fsync=full", "the option fsync is given twice"),
        ("sqlite:///events.db?fsync=off", "fsync is full or normal, not 'off'"),
        ("sqlite:///events.db?fsync", "fsync is full or normal, not ''"),
        ("sqlite:///events.db?busy_timeout=soon", "busy_timeout is a number of seconds from 0 to 3600, not 'soon'"),
        ("sqlite:///events.db?busy_timeout=-1", "busy_timeout is a number"),
        ("sqlite:///events.db?busy_timeout=nan", "busy_timeout is a number"),
        ("sqlite:///events.db?busy_timeout=inf", "busy_timeout is a number"),
    ],
)
async def test_a_wrong_url_says_what_is_right_and_creates_nothing(
    url: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigError, match=message):
        await connect(url)

    assert not list(tmp_path.iterdir())


async def test_a_wrong_stream_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="a stream name has 1 to 255 bytes"):
        await connect("memory://", stream="")


def test_importing_the_package_loads_no_event_loop_and_no_database() -> None:
    code = "import sys, json, wakuwaku.log; print(json.dumps(sorted({'asyncio', 'sqlite3'} & set(sys.modules))))"
    # Measuring coverage in the new process would load both.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60, env=environment
    )

    assert json.loads(found.stdout) == []


def test_every_public_name_is_there_and_listed() -> None:
    assert set(package.__all__) <= set(dir(package))
    assert all(getattr(package, name) for name in package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'KafkaLog'"):
        _ = package.KafkaLog
