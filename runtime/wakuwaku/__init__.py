"""Exchange typed events over a log: per-key order by fences, folding by algebra, failures that stay where they happen.

The names here are the whole public front for generated code, handlers and services; sub-packages add `wakuwaku.log`
(where records are kept), `wakuwaku.classify` (which class an error of a library has), `wakuwaku.inbox` and
`wakuwaku.outbox` (for services with a database), and `wakuwaku.testing`. Each is loaded on first use, so that a program
pays for nothing it does not touch.
"""

from importlib import import_module
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from wakuwaku.algebra import Algebra
    from wakuwaku.config import ConsumerConfig, DeliveryMode, GiveUp, UnknownEvents
    from wakuwaku.consumer import Consumer, Progress, StopReport
    from wakuwaku.deadletter import DeadLetter
    from wakuwaku.event import Codec, Event, EventType, Key, KeyType
    from wakuwaku.handler import Batch, Handler, HandlerBundle, Ignore, Topic, stub
    from wakuwaku.keyhash import KeyHash
    from wakuwaku.log.url import connect
    from wakuwaku.ordering import Ordering
    from wakuwaku.publisher import Publisher
    from wakuwaku.service import HandlerSet, Service, ServiceBuilder, Services

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
    "DeliveryMode",
    "ErrorClass",
    "Event",
    "EventType",
    "GiveUp",
    "HandleError",
    "Handler",
    "HandlerBundle",
    "HandlerSet",
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
    "Service",
    "ServiceBuilder",
    "Services",
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
    "Algebra": "wakuwaku.algebra",
    "Batch": "wakuwaku.handler",
    "Codec": "wakuwaku.event",
    "Consumer": "wakuwaku.consumer",
    "ConsumerConfig": "wakuwaku.config",
    "DeadLetter": "wakuwaku.deadletter",
    "DeliveryMode": "wakuwaku.config",
    "Event": "wakuwaku.event",
    "EventType": "wakuwaku.event",
    "GiveUp": "wakuwaku.config",
    "Handler": "wakuwaku.handler",
    "HandlerBundle": "wakuwaku.handler",
    "HandlerSet": "wakuwaku.service",
    "Ignore": "wakuwaku.handler",
    "Key": "wakuwaku.event",
    "KeyHash": "wakuwaku.keyhash",
    "KeyType": "wakuwaku.event",
    "Ordering": "wakuwaku.ordering",
    "Progress": "wakuwaku.consumer",
    "Publisher": "wakuwaku.publisher",
    "Service": "wakuwaku.service",
    "ServiceBuilder": "wakuwaku.service",
    "Services": "wakuwaku.service",
    "StopReport": "wakuwaku.consumer",
    "Topic": "wakuwaku.handler",
    "UnknownEvents": "wakuwaku.config",
    "connect": "wakuwaku.log.url",
    "stub": "wakuwaku.handler",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value
