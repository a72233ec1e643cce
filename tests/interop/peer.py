"""Run the program in Rust: its input is written here, its files are read here."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Final

import pytest

from tests.iggy_server import needs_iggy, server_address

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

__all__ = ["needs_peer", "peer", "run_peer"]

_PEER: Final = "WAKUWAKU_IGGY_PEER"

#: For tests that need a server and the program in Rust.
needs_peer: Final = [
    *needs_iggy,
    pytest.mark.skipif(
        _PEER not in os.environ,
        reason=f"{_PEER} does not name the program that `cargo build --release` makes in tests/interop/peer",
    ),
]


class Peer:
    """Talk to the program while it runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def say(self, lines: Iterable[str]) -> None:
        """Write lines to its input."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        await self._process.stdin.drain()

    async def hear(self) -> str:
        """Return the next line it prints."""
        assert self._process.stdout is not None
        async with asyncio.timeout(300):
            line = (await self._process.stdout.readline()).decode()
        assert line, "the program in Rust ended"
        return line.rstrip()

    async def end(self) -> None:
        """Close its input and wait until it is done."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        async with asyncio.timeout(60):
            assert await self._process.wait() == 0


@contextlib.asynccontextmanager
async def peer(stream: str, *arguments: object) -> AsyncIterator[Peer]:
    """Run the program until its input ends; what it reports as an error goes to the output of the test."""
    address = server_address()
    url = f"iggy://{address.username}:{address.secret}@{address.server}"
    process = await asyncio.create_subprocess_exec(
        os.environ[_PEER],
        url,
        stream,
        *map(str, arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        running = Peer(process)
        yield running
        await running.end()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def run_peer(stream: str, *arguments: object, lines: Iterable[str] = ()) -> None:
    """Run the program with an input of its own, to the end."""
    async with peer(stream, *arguments) as running:
        await running.say(lines)
