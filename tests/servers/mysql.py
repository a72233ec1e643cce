"""A server that speaks as much MySQL as a driver needs to sign in, and answers every query with one error.

There is no MySQL server that pip installs. What a classifier has to know are the errors that real drivers make out of
a server's bytes, and those are real here: the handshake and the error packet follow the manual's *Client/Server
Protocol*.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["mysql_server"]

_PROTOCOL_41_AND_SECURE_CONNECTION = 0x0200 | 0x8000 | 0x0008 | 0x2000 | 0x80000
_OK = b"\x00\x00\x00\x02\x00\x00\x00"
_QUERY, _QUIT = 0x03, 0x01

#: Ends the connection instead of answering.
HANG_UP = 0


@asynccontextmanager
async def mysql_server() -> AsyncIterator[int]:
    """Listen on a free port and yield it; the number of the error is what a query says: ``error 1213``."""
    server = await asyncio.start_server(_talk, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        capabilities = _PROTOCOL_41_AND_SECURE_CONNECTION
        greeting = (
            b"\x0a8.0.0\x00"
            + struct.pack("<I", 1)
            + b"12345678\x00"
            + struct.pack("<HBHHB", capabilities & 0xFFFF, 45, 2, capabilities >> 16, 21)
            + bytes(10)
            + b"123456789012\x00mysql_native_password\x00"
        )
        await _send(writer, 0, greeting)
        await _receive(reader)
        await _send(writer, 2, _OK)
        while True:
            command = await _receive(reader)
            if command[0] == _QUIT:
                return
            words = command[1:].decode(errors="replace").split()
            if command[0] != _QUERY or words[:1] != ["error"]:
                await _send(writer, 1, _OK)
                continue
            number = int(words[1])
            if number == HANG_UP:
                return
            await _send(writer, 1, b"\xff" + struct.pack("<H", number) + b"#HY000" + b"as the test wants it")
    except (asyncio.IncompleteReadError, ConnectionError):
        return
    finally:
        writer.close()


async def _send(writer: asyncio.StreamWriter, number: int, payload: bytes) -> None:
    writer.write(struct.pack("<I", len(payload))[:3] + bytes((number,)) + payload)
    await writer.drain()


async def _receive(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readexactly(4)
    return await reader.readexactly(int.from_bytes(head[:3], "little"))
