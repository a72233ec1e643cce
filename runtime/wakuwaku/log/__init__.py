"""Where records are kept: the `Log` protocol, the logs behind it and `connect`, which opens one by its URL."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from wakuwaku.log.protocol import Bounds, Lease, Log, Page, TopicInfo

if TYPE_CHECKING:
    from wakuwaku.log.memory import MemoryLog
    from wakuwaku.log.moving import move_into
    from wakuwaku.log.open_log import OpenLog
    from wakuwaku.log.retention import Retention
    from wakuwaku.log.sqlite import SqliteLog
    from wakuwaku.log.sqlite_check import check
    from wakuwaku.log.sqlite_exchange import export_log, import_log
    from wakuwaku.log.upkeep import compact, forget, retention_of, set_retention
    from wakuwaku.log.url import connect

__all__ = [
    "Bounds",
    "Lease",
    "Log",
    "MemoryLog",
    "OpenLog",
    "Page",
    "Retention",
    "SqliteLog",
    "TopicInfo",
    "check",
    "compact",
    "connect",
    "export_log",
    "forget",
    "import_log",
    "move_into",
    "retention_of",
    "set_retention",
]

# Loaded at first use: generated code imports this package, and must not pay for asyncio and sqlite3.
_LAZY: Final = {
    "MemoryLog": "wakuwaku.log.memory",
    "OpenLog": "wakuwaku.log.open_log",
    "Retention": "wakuwaku.log.retention",
    "SqliteLog": "wakuwaku.log.sqlite",
    "check": "wakuwaku.log.sqlite_check",
    "compact": "wakuwaku.log.upkeep",
    "connect": "wakuwaku.log.url",
    "export_log": "wakuwaku.log.sqlite_exchange",
    "forget": "wakuwaku.log.upkeep",
    "import_log": "wakuwaku.log.sqlite_exchange",
    "move_into": "wakuwaku.log.moving",
    "retention_of": "wakuwaku.log.upkeep",
    "set_retention": "wakuwaku.log.upkeep",
}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
