"""A real Apache Iggy server for tests: one that runs, named by WAKUWAKU_IGGY_URL, or one of their own to kill."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
from typing import TYPE_CHECKING, Final

import pytest

from wakuwaku.errors import LogUnavailableError
from wakuwaku.log.iggy_address import Address, address_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from wakuwaku.log.iggy import IggyLog

__all__ = ["Server", "needs_iggy", "needs_server", "new_log", "server_address", "unused_port"]

_URL: Final = "WAKUWAKU_IGGY_URL"
_SERVER: Final = "WAKUWAKU_IGGY_SERVER"

#: For tests that talk to a server: `pytestmark = needs_iggy`, or on a parameter.
needs_iggy: Final = [
    pytest.mark.iggy,
    pytest.mark.skipif(_URL not in os.environ, reason=f"{_URL} is not set, such as iggy://user:password@host:8090"),
]
#: For tests that start and kill a server.
needs_server: Final = [
    pytest.mark.iggy,
    pytest.mark.skipif(_SERVER not in os.environ, reason=f"{_SERVER} does not name the program iggy-server"),
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
        cleaner = await IggyLog.open(address or server_address(), stream=stream)
        async with cleaner:
            if await cleaner._topics.has_stream():
                await cleaner._connection.call(lambda client: client.delete_stream(stream))


def unused_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Server:
    """Run a server of one's own, with everything it keeps in a folder."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self._folder = folder
        self._settings = settings
        self._process: asyncio.subprocess.Process | None = None
        self.address = Address(host="127.0.0.1", port=unused_port(), username="root", secret="of all evil")

    async def start(self, address: Address | None = None) -> None:
        """Start, or start again, and return when the server takes a sign-in at the address, its own if none."""
        from wakuwaku.log.iggy import IggyLog  # noqa: PLC0415 - as above

        settings = {
            "IGGY_ROOT_USERNAME": self.address.username,
            "IGGY_ROOT_PASSWORD": self.address.secret,
            "IGGY_SYSTEM_PATH": str(self._folder),
            "IGGY_SYSTEM_LOGGING_FILE_ENABLED": "false",
            "IGGY_TCP_ADDRESS": self.address.server,
            "IGGY_HTTP_ENABLED": "false",
            "IGGY_QUIC_ENABLED": "false",
            "IGGY_WEBSOCKET_ENABLED": "false",
            **self._settings,
        }
        self._process = await asyncio.create_subprocess_exec(
            os.environ[_SERVER],
            cwd=self._folder,
            env=os.environ | settings,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(60):
            while True:
                with contextlib.suppress(LogUnavailableError):
                    await (await IggyLog.open(address or self.address)).close()
                    return
                await asyncio.sleep(0.1)

    async def kill(self) -> None:
        """End the server at once, with SIGKILL."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
