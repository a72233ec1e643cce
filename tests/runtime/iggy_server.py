"""A real Apache Iggy server for tests: named by WAKUWAKU_IGGY_URL, a stream of its own for each test."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

import pytest

from wakuwaku.log.iggy_address import Address, address_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from wakuwaku.log.iggy import IggyLog

__all__ = ["needs_iggy", "new_log", "server_address"]

_URL = "WAKUWAKU_IGGY_URL"

#: For tests that talk to a server: `pytestmark = needs_iggy`, or on a parameter.
needs_iggy = [
    pytest.mark.iggy,
    pytest.mark.skipif(_URL not in os.environ, reason=f"{_URL} is not set, such as iggy://user:password@host:8090"),
]


def server_address() -> Address:
    """Return where the server is, and how to sign in as somebody who may do everything."""
    return address_of(os.environ[_URL])


@contextlib.asynccontextmanager
async def new_log(address: Address | None = None) -> AsyncIterator[IggyLog]:
    """Return an open log on a stream that is deleted afterwards."""
    from wakuwaku.log.iggy import IggyLog  # noqa: PLC0415 - without the client only these tests can't run

    stream = f"test-{secrets.token_hex(6)}"
    log = await IggyLog.open(address or server_address(), stream=stream)
    try:
        yield log
    finally:
        await log.close()
        cleaner = await IggyLog.open(server_address(), stream=stream)
        async with cleaner:
            if await cleaner._topics.has_stream():
                await cleaner._connection.call(lambda client: client.delete_stream(stream))
