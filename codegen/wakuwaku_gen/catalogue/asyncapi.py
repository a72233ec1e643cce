"""The schema as an AsyncAPI 3 document, for the tools of that world.

A topic is a channel, an event a message, an event's fields its payload as JSON Schema. On the wire a payload is a
MessagePack map; where JSON has no such type, the schema says what a value looks like in JSON: bytes as base64, decimals
as text. What AsyncAPI has no word for, such as tags and fences, stands under `x-wakuwaku`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

from wakuwaku_gen.catalogue.json_types import JsonTypes
from wakuwaku_gen.model.schema import EventModel, FieldModel, KeyModel, NamespaceModel, SchemaModel, TopicModel

__all__ = ["asyncapi_document"]

_CONTENT: Final = "application/msgpack"


def asyncapi_document(schema: SchemaModel, *, title: str, version: str | None = None) -> dict[str, object]:
    """Return a schema as an AsyncAPI 3.0 document, ready for JSON; the same model gives the same document.

    Without a version it gets the first digits of a hash over all that the schema says.
    """
    types = JsonTypes(schema)
    messages: dict[str, object] = {}
    channels: dict[str, object] = {}
    operations: dict[str, object] = {}
    for namespace in schema.namespaces:
        keys = {key.id: key for key in namespace.keys}
        for topic in namespace.topics:
            channels[topic.name] = _channel(topic, keys[topic.key], namespace)
            operations |= _operations(topic)
            messages |= {str(event.id): _message(event, types) for event in topic.events}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": title, "version": _version(schema) if version is None else version},
        "defaultContentType": _CONTENT,
        "channels": channels,
        "operations": operations,
        "components": {"messages": messages, "schemas": types.declared()},
    }


def _version(schema: SchemaModel) -> str:
    digests = "".join(namespace.digest for namespace in schema.namespaces)
    return hashlib.sha256(digests.encode()).hexdigest()[:12]


def _channel(topic: TopicModel, key: KeyModel, namespace: NamespaceModel) -> dict[str, object]:
    return {
        "address": topic.name,
        **_described(key.doc),
        "messages": {event.id.name: {"$ref": f"#/components/messages/{event.id}"} for event in topic.events},
        "x-wakuwaku": {
            "namespace": namespace.name,
            "key": key.id.name,
            "fields": [field.wire for field in key.fields],
            "hash": key.hash,
            "partitions": key.partitions,
        },
    }


def _operations(topic: TopicModel) -> dict[str, object]:
    if not topic.events:
        return {}
    channel = {"$ref": f"#/channels/{topic.name}"}
    return {
        f"publish-{topic.name}": {"action": "send", "channel": channel},
        f"consume-{topic.name}": {"action": "receive", "channel": channel},
    }


def _message(event: EventModel, types: JsonTypes) -> dict[str, object]:
    about: dict[str, object] = {
        "tag": event.tag,
        "algebra": event.algebra,
        "ordering": event.ordering,
        "max_batch": event.max_batch,
    }
    if event.combine:
        about["combine"] = {_wire(event.fields, name): rule for name, rule in event.combine.items()}
    message: dict[str, object] = {
        "name": event.id.name,
        "title": event.id.name,
        **_described(event.doc),
        "contentType": _CONTENT,
        "payload": types.record(event.fields),
    }
    if event.deprecated is not None:
        about["deprecated"] = event.deprecated
        message["tags"] = [{"name": "deprecated"}]
    return {**message, "x-wakuwaku": about}


def _wire(fields: Sequence[FieldModel], name: str) -> str:
    return next(field.wire for field in fields if field.name == name)


def _described(doc: str) -> Mapping[str, object]:
    return {"description": doc} if doc.strip() else {}
