"""Where records are kept: the `Log` protocol, the logs behind it and `connect`, which opens one by its URL."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from wakuwaku.log.protocol import Bounds, Log, Page, TopicInfo

if TYPE_CHECKING:
    from wakuwaku.log.memory import MemoryLog
    from wakuwaku.log.open_log import OpenLog
    from wakuwaku.log.sqlite import SqliteLog
    from wakuwaku.log.url import connect

__all__ = ["Bounds", "Log", "MemoryLog", "OpenLog", "Page", "SqliteLog", "TopicInfo", "connect"]

# Loaded at first use: generated code imports this package, and must not pay for asyncio and sqlite3.
_LAZY: Final = {
    "MemoryLog": "wakuwaku.log.memory",
    "OpenLog": "wakuwaku.log.open_log",
    "SqliteLog": "wakuwaku.log.sqlite",
    "connect": "wakuwaku.log.url",
}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
