"""Fixtures of the servers: one of each for a worker process, started at first use."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.servers.postgres import PostgresServer

__all__ = ["postgres_server"]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server; whoever kills it starts it again."""
    if sys.platform == "win32":
        pytest.skip("the server is started through a Unix socket, which Windows has not")
    server = PostgresServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()
