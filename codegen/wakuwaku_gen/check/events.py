"""WK2xx: keys, topics, events and tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wakuwaku_gen.check.rule import Finding, Rule
from wakuwaku_gen.diagnostics import Note
from wakuwaku_gen.model.schema import EventModel, KeyModel, NamespaceModel, SchemaModel

__all__ = ["RULES"]

_EVENT: Final = '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n'


def _equal_tags(model: SchemaModel) -> Iterator[Finding]:
    for namespace in model.namespaces:
        for topic in namespace.topics:
            seen: dict[int, EventModel] = {}
            for event in sorted(topic.events, key=lambda event: event.span):
                first = seen.setdefault(event.tag, event)
                if first is not event:
                    message = f"tag {event.tag} of topic {topic.name!r} is that of {first.id.name!r}"
                    note = Note(first.places["tag"], "the first one")
                    free = max(one.tag for one in topic.events) + 1
                    yield Finding(event.places["tag"], message, f"the next free tag is {free}", (note,))


def _one_topic(model: SchemaModel) -> Iterator[Finding]:
    seen: dict[str, KeyModel] = {}
    keys = (key for namespace in model.namespaces for key in namespace.keys)
    for key in sorted(keys, key=lambda key: key.span):
        first = seen.setdefault(key.topic, key)
        if first is not key:
            message = f"the topic {key.topic!r} belongs to {str(first.id)!r}"
            note = Note(first.places["topic"], "the first one")
            yield Finding(key.places["topic"], message, "give the key a topic of its own", (note,))


def _reserved_tags(model: SchemaModel) -> Iterator[Finding]:
    for namespace in model.namespaces:
        events = _events_by_key(namespace)
        for reserved in namespace.reserved:
            tags = set(reserved.tags)
            for event in events.get(reserved.key.name, ()):
                if event.tag in tags:
                    message = f"tag {event.tag} is reserved: an event that is gone had it"
                    note = Note(reserved.span, "reserved here")
                    yield Finding(event.places["tag"], message, "take a new tag", (note,))


def _reserved_names(model: SchemaModel) -> Iterator[Finding]:
    for namespace in model.namespaces:
        events = _events_by_key(namespace)
        for reserved in namespace.reserved:
            names = set(reserved.names)
            note = Note(reserved.span, "reserved here")
            for event in events.get(reserved.key.name, ()):
                named = [(event.id.name, event.span), *((field.name, field.span) for field in event.fields)]
                for name, span in named:
                    if name in names:
                        yield Finding(span, f"the name {name!r} is reserved", "take a new name", (note,))


def _events_by_key(namespace: NamespaceModel) -> dict[str, tuple[EventModel, ...]]:
    return {topic.key.name: topic.events for topic in namespace.topics}


RULES: Final = (
    Rule(
        "WK201",
        "equal tags on a topic",
        "The tag tells a reader which event a record is.",
        _EVENT + '[event.OrderPaid]\ntag = 1\nkey = "OrderKey"',
        _EVENT + '[event.OrderPaid]\ntag = 2\nkey = "OrderKey"',
        check=_equal_tags,
    ),
    Rule(
        "WK202",
        "reserved tag",
        "Old records still carry the tag; a new event under it would be read wrongly.",
        _EVENT + "[reserved.OrderKey]\ntags = [1]",
        _EVENT + "[reserved.OrderKey]\ntags = [7]",
        check=_reserved_tags,
    ),
    Rule(
        "WK203",
        "reserved name",
        "An event or a field that is gone left its name behind, in records and in the code of others.",
        _EVENT + '[reserved.OrderKey]\nnames = ["OrderPlaced"]',
        _EVENT + '[reserved.OrderKey]\nnames = ["OrderShipped"]',
        check=_reserved_names,
    ),
    Rule(
        "WK204",
        "two keys on a topic",
        "A key type owns its topic, so that equal keys meet on one partition.",
        '[key.CartKey]\ntopic = "carts"\nfields.id = "u64"\n[key.BasketKey]\ntopic = "carts"\nfields.id = "u64"',
        '[key.CartKey]\ntopic = "carts"\nfields.id = "u64"\n[key.BasketKey]\ntopic = "baskets"\nfields.id = "u64"',
        check=_one_topic,
    ),
    Rule(
        "WK205",
        "unknown key type",
        "An event goes to the topic of its key, which its own namespace declares.",
        '[event.OrderPlaced]\ntag = 1\nkey = "OrderKy"\n[key.OrderKey]\ntopic = "orders"\nfields.id = "u64"',
        _EVENT,
    ),
    Rule(
        "WK206",
        "field of a key that can't be hashed",
        "The hash is the same in every language: integers, bool, str, bytes, UUID and enums only.",
        '[key.CartKey]\ntopic = "carts"\nfields.id = "float"',
        '[key.CartKey]\ntopic = "carts"\nfields.id = "u64"',
    ),
    Rule(
        "WK207",
        "key without fields",
        "A key with nothing in it would put all events into one order.",
        '[key.CartKey]\ntopic = "carts"\n[key.CartKey.fields]',
        '[key.CartKey]\ntopic = "carts"\n[key.CartKey.fields]\nid = "u64"',
    ),
    Rule(
        "WK208",
        "field of the key repeated",
        "An event has the fields of its key already.",
        '[key.CartKey]\ntopic = "carts"\nfields.id = "u64"\n'
        '[event.CartFilled]\ntag = 1\nkey = "CartKey"\nfields.id = "u64"',
        '[key.CartKey]\ntopic = "carts"\nfields.id = "u64"\n'
        '[event.CartFilled]\ntag = 1\nkey = "CartKey"\nfields.items = "u32"',
    ),
)
