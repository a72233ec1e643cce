"""Exchange typed events over a log: per-key order by fences, folding by algebra, failures that stay where they happen.

The names here are the whole public front for generated code, handlers and services; sub-packages add `wakuwaku.log`
(where records are kept) and `wakuwaku.testing`. What needs asyncio is loaded on first use, so that importing generated
events stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from wakuwaku.algebra import Algebra
from wakuwaku.errors import (
    ConfigError,
    ConsumerStoppedError,
    DecodeError,
    ErrorClass,
    HandleError,
    HeaderError,
    LogError,
    PublishError,
    RetryableError,
    StartError,
    TransientError,
    UnrecoverableError,
    WakuwakuError,
)
from wakuwaku.event import Codec, Event, EventType, Key, KeyType
from wakuwaku.handler import Batch, Handler, HandlerBundle, Ignore, Topic, stub
from wakuwaku.keyhash import KeyHash
from wakuwaku.ordering import Ordering

if TYPE_CHECKING:
    from wakuwaku.config import ConsumerConfig, UnknownEvents
    from wakuwaku.consumer import Consumer, Progress, StopReport
    from wakuwaku.deadletter import DeadLetter
    from wakuwaku.log.url import connect
    from wakuwaku.publisher import Publisher

__all__ = [
    "Algebra",
    "Batch",
    "Codec",
    "ConfigError",
    "Consumer",
    "ConsumerConfig",
    "ConsumerStoppedError",
    "DeadLetter",
    "DecodeError",
    "ErrorClass",
    "Event",
    "EventType",
    "HandleError",
    "Handler",
    "HandlerBundle",
    "HeaderError",
    "Ignore",
    "Key",
    "KeyHash",
    "KeyType",
    "LogError",
    "Ordering",
    "Progress",
    "PublishError",
    "Publisher",
    "RetryableError",
    "StartError",
    "StopReport",
    "Topic",
    "TransientError",
    "UnknownEvents",
    "UnrecoverableError",
    "WakuwakuError",
    "connect",
    "stub",
]

_LAZY = {
    "Consumer": "wakuwaku.consumer",
    "ConsumerConfig": "wakuwaku.config",
    "DeadLetter": "wakuwaku.deadletter",
    "Progress": "wakuwaku.consumer",
    "Publisher": "wakuwaku.publisher",
    "StopReport": "wakuwaku.consumer",
    "UnknownEvents": "wakuwaku.config",
    "connect": "wakuwaku.log.url",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value
