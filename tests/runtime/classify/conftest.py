"""The servers the classifiers are tried against."""

from __future__ import annotations

from tests.servers.fixtures import postgres_server

__all__ = ["postgres_server"]
