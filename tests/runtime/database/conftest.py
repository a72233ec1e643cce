"""The server the inbox and the outbox are tried against."""

from __future__ import annotations

from tests.servers.fixtures import postgres_server

__all__ = ["postgres_server"]
