"""The classifier of HTTP: every status from a real server, through every client, and servers that do not answer."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import aiohttp
import httpx
import pytest
import requests
from aiohttp import web

from wakuwaku import ErrorClass
from wakuwaku.classify import by_status, http, retry_after

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE

STATUSES = {
    400: UNRECOVERABLE,
    401: TRANSIENT,
    403: UNRECOVERABLE,
    404: UNRECOVERABLE,
    407: TRANSIENT,
    408: RETRYABLE,
    409: RETRYABLE,
    410: UNRECOVERABLE,
    412: RETRYABLE,
    422: UNRECOVERABLE,
    423: RETRYABLE,
    425: RETRYABLE,
    429: TRANSIENT,
    500: RETRYABLE,
    501: UNRECOVERABLE,
    502: TRANSIENT,
    503: TRANSIENT,
    504: TRANSIENT,
    505: UNRECOVERABLE,
    507: RETRYABLE,
    511: TRANSIENT,
    599: RETRYABLE,
}


async def answer(request: web.Request) -> web.StreamResponse:
    """Answer with the status of the path, never, or with half a body."""
    match request.match_info["what"]:
        case "never":
            await asyncio.sleep(3600)
        case "half":
            response = web.StreamResponse(headers={"Content-Length": "100"})
            await response.prepare(request)
            await response.write(b"half")
            assert request.transport is not None
            request.transport.abort()
            return response
        case "text":
            return web.Response(text="no JSON")
        case "around":
            raise web.HTTPFound("/around")
    headers = {"Retry-After": request.query["after"]} if "after" in request.query else {}
    return web.Response(status=int(request.match_info["what"]), headers=headers)


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """The address of a server on a free port."""
    app = web.Application()
    app.router.add_get("/{what}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.01)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    yield f"http://{host}:{port}"
    await runner.cleanup()


async def error_of(failing: Awaitable[object]) -> Exception:
    try:
        await failing
    except Exception as error:  # noqa: BLE001 - whatever the client raises is the subject
        return error
    raise AssertionError("it succeeded")


async def get_httpx(url: str) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        (await client.get(url)).raise_for_status()


async def get_aiohttp(url: str) -> None:
    async with aiohttp.ClientSession(raise_for_status=True) as session, session.get(url) as response:
        await response.read()


async def get_requests(url: str) -> None:
    def get() -> None:
        with requests.Session() as session:
            session.trust_env = False
            session.get(url, timeout=60).raise_for_status()

    await asyncio.to_thread(get)


async def get_urllib(url: str) -> None:
    def get() -> None:
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=60).close()
        except urllib.error.HTTPError as error:
            error.close()
            raise

    await asyncio.to_thread(get)


Get = Callable[[str], Awaitable[None]]
CLIENTS: dict[str, Get] = {
    "httpx": get_httpx,
    "aiohttp": get_aiohttp,
    "requests": get_requests,
    "urllib": get_urllib,
}


@pytest.fixture(params=CLIENTS)
def get(request: pytest.FixtureRequest) -> Get:
    return CLIENTS[request.param]


async def test_each_status_has_its_class(get: Get, url: str) -> None:
    found = {status: http()(await error_of(get(f"{url}/{status}"))) for status in STATUSES}

    assert found == STATUSES


async def test_a_service_that_is_not_there_is_transient(get: Get, url: str, unused_tcp_port: int) -> None:
    refused = await error_of(get(f"http://127.0.0.1:{unused_tcp_port}/200"))
    unknown = await error_of(get("http://no-such-host.invalid/200"))

    assert [http()(refused), http()(unknown)] == [TRANSIENT, TRANSIENT]


async def test_an_answer_that_breaks_off_has_a_class(url: str) -> None:
    """Not urllib: it does not notice before the body is read."""
    for get in (get_httpx, get_aiohttp, get_requests):
        assert http()(await error_of(get(f"{url}/half"))) in {TRANSIENT, RETRYABLE}


async def test_time_outs_of_one_request_are_retryable_and_of_connections_transient(url: str) -> None:
    async with httpx.AsyncClient(
        trust_env=False, timeout=httpx.Timeout(0.05, connect=30), limits=httpx.Limits(max_connections=1)
    ) as client:
        waiting = asyncio.ensure_future(error_of(client.get(f"{url}/never", timeout=httpx.Timeout(30, read=1))))
        await asyncio.sleep(0.01)
        pool = await error_of(client.get(f"{url}/200"))
        read = await waiting
    assert [http()(pool), http()(read)] == [TRANSIENT, RETRYABLE], (pool, read)

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(sock_read=0.05)) as session:
        read = await error_of(session.get(f"{url}/never"))
    assert http()(read) is RETRYABLE, repr(read)

    with requests.Session() as plain:
        plain.trust_env = False
        read = await error_of(asyncio.to_thread(plain.get, f"{url}/never", timeout=0.05))
    assert http()(read) is RETRYABLE, repr(read)


async def test_a_request_that_can_never_be_sent_is_unrecoverable(url: str) -> None:
    async with httpx.AsyncClient(trust_env=False, follow_redirects=True, max_redirects=2) as client:
        errors = [await error_of(client.get(one)) for one in ("gopher://127.0.0.1", f"{url}/around")]
    async with aiohttp.ClientSession() as session:
        errors += [await error_of(session.get(one, max_redirects=2)) for one in ("http://", f"{url}/around")]
        async with session.get(f"{url}/text") as response:
            errors.append(await error_of(response.json()))

    assert [http()(error) for error in errors] == [UNRECOVERABLE] * 5, errors


async def test_a_service_may_see_a_status_in_another_way(url: str) -> None:
    own = by_status({404: RETRYABLE}) | http()

    assert own(await error_of(get_httpx(f"{url}/404"))) is RETRYABLE
    assert own(await error_of(get_httpx(f"{url}/400"))) is UNRECOVERABLE


async def test_an_answer_says_when_to_come_back(get: Get, url: str) -> None:
    """In seconds or as a date, which may have passed; anything else says nothing."""
    now = datetime.now(UTC).replace(microsecond=0)

    async def asked(after: str | None) -> float | None:
        query = {} if after is None else {"after": after}
        return retry_after(await error_of(get(str(httpx.URL(f"{url}/503", params=query)))), now=lambda: now)

    assert await asked("120") == 120.0
    assert await asked(format_datetime(now + timedelta(seconds=90), usegmt=True)) == 90.0
    assert await asked(format_datetime(now - timedelta(seconds=90), usegmt=True)) == 0.0
    assert await asked("soon") is None
    assert await asked("-5") is None
    assert await asked(None) is None


def test_errors_without_an_answer_ask_for_nothing() -> None:
    error: Any = ValueError()
    assert retry_after(error) is None
    error.headers = {"Retry-After": 5}
    assert retry_after(error) is None
