"""A connection to a server that is not there, does not answer, or can't be spoken to at all."""

from __future__ import annotations

import asyncio
import sys

import pytest

from tests.iggy_server import unused_port
from wakuwaku import ConfigError, LogError
from wakuwaku.errors import LogClosedError, LogUnavailableError
from wakuwaku.log import connect
from wakuwaku.log.iggy import IggyLog
from wakuwaku.log.iggy_address import Address


async def test_a_server_that_is_down_is_told_at_once_and_without_the_password() -> None:
    port = unused_port()

    with pytest.raises(LogUnavailableError) as caught:
        await connect(f"iggy://ada:hush@127.0.0.1:{port}")

    assert str(caught.value).startswith(f"iggy://127.0.0.1:{port}: no Iggy server answers there")
    assert "start it, or look at the URL" in str(caught.value)
    assert "hush" not in repr(caught.value) + repr(caught.value.__cause__)


async def test_a_server_that_takes_the_connection_and_stays_silent_is_given_up_after_the_time_out() -> None:
    connections: list[asyncio.StreamWriter] = []

    def hold(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)

    async with await asyncio.start_server(hold, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(LogUnavailableError, match=r"no Iggy server answers there \(no answer in 0\.3 seconds\)"):
            await connect(f"iggy://ada:password@127.0.0.1:{port}?timeout=0.3")
        for writer in connections:
            writer.close()


async def test_a_name_nobody_knows_is_a_server_that_is_down() -> None:
    with pytest.raises(LogUnavailableError, match="no Iggy server answers there"):
        await connect("iggy://ada:password@nobody.invalid:8090?timeout=20")


async def test_a_certificate_file_that_is_not_there_is_told(tmp_path: object) -> None:
    async def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(LogError, match="look at tls_domain and tls_ca_file in the URL"):
            await connect(f"iggy://ada:password@127.0.0.1:{port}?tls=true&tls_ca_file={tmp_path}/none.pem")


async def test_without_the_client_the_way_to_get_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("wakuwaku.log.iggy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "apache_iggy", None)

    with pytest.raises(ConfigError, match=r"pip install 'wakuwaku\[iggy\]'"):
        await connect("iggy://ada:pw@host")


async def test_a_log_that_was_not_closed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    log = IggyLog(Address(host="host", username="ada", secret="hush"), "shop")

    with pytest.warns(ResourceWarning, match="unclosed log <IggyLog 'iggy://host:8090' stream='shop'>"):
        log.__del__()

    await log.close()
    with pytest.raises(LogClosedError, match="the log on iggy://host:8090 is closed"):
        await log.topics()
