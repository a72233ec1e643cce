"""The upper half of each hundred: what is legal, and most likely not meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wakuwaku_gen.check.rule import Finding, Rule
from wakuwaku_gen.diagnostics import Severity, Span
from wakuwaku_gen.model.schema import EventModel, FieldModel, NamespaceModel, SchemaModel, TopicModel
from wakuwaku_gen.model.types import (
    DateTimeType,
    FieldType,
    FloatType,
    IntType,
    OptionalType,
    StrType,
    TypeName,
    UuidType,
)

__all__ = ["RULES"]

_EVENT: Final = '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n'
_PAID: Final = '[event.OrderPaid]\ntag = 2\nkey = "OrderKey"\n'

#: Names of fields that a sender fills anew whenever it sends, by what they hold. A domain time such as `placed_at`
#: stays the same however often the fact is told, and so does an order's own id.
_FRESH_IDS: Final = re.compile(
    r"id|uuid|guid|nonce|(event|message|msg|record|request|span|trace|correlation|causation)_(id|uuid)|traceparent"
)
_FRESH_TIMES: Final = re.compile(
    r"now|ts|timestamp|((sent|emitted|published|produced|created|generated|enqueued|received)_(at|on|time))|event_time"
)


def _events(model: SchemaModel) -> Iterator[EventModel]:
    return (event for namespace in model.namespaces for event in namespace.events)


def _topics(model: SchemaModel) -> Iterator[tuple[NamespaceModel, TopicModel]]:
    return ((namespace, topic) for namespace in model.namespaces for topic in namespace.topics)


def _undocumented(model: SchemaModel) -> Iterator[Finding]:
    for namespace in model.namespaces:
        declared: list[tuple[TypeName, str, Span]] = [
            *((one.id, one.doc, one.span) for one in namespace.keys),
            *((one.id, one.doc, one.span) for one in namespace.enums),
            *((one.id, one.doc, one.span) for one in namespace.structs),
            *((one.id, one.doc, one.span) for one in namespace.unions),
            *((one.id, one.doc, one.span) for one in namespace.events),
        ]
        for id_, doc, span in declared:
            if not doc.strip():
                yield Finding(span, f"{id_.name!r} has no doc", 'say in a sentence what it is: doc = "…"', owner=id_)


def _skipped_tags(model: SchemaModel) -> Iterator[Finding]:
    for namespace, topic in _topics(model):
        gone = {tag for reserved in namespace.reserved if reserved.key == topic.key for tag in reserved.tags}
        last = 0
        for event in topic.events:
            skipped = sorted(set(range(last + 1, min(event.tag, last + 1 + _LONGEST_GAP))) - gone)
            if skipped:
                message = f"tag {event.tag} leaves out {_numbers(skipped)}"
                help_ = f"take {skipped[0]}, or reserve what events had that are gone: [reserved.{topic.key.name}]"
                yield Finding(event.places["tag"], message, help_, owner=event.id)
            last = max(last, event.tag)


_LONGEST_GAP: Final = 1000  # a tag is a u32, and nobody wants to read all numbers below one


def _numbers(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:3]))
    return shown if len(numbers) <= 3 else f"{shown} and more"


def _needless_fences(model: SchemaModel) -> Iterator[Finding]:
    for _, topic in _topics(model):
        if len(topic.events) == 1 and topic.events[0].ordering != "relaxed":
            (event,) = topic.events
            message = f"{event.id.name!r} is the only event of topic {topic.name!r}, so its fence has nothing to order"
            help_ = "remove it: events of one type and key keep their order anyway"
            yield Finding(_fence(event), message, help_, owner=event.id)


def _fence(event: EventModel) -> Span:
    return event.places.get("ordering", event.places.get("algebra", event.span))


def _unexplained(model: SchemaModel) -> Iterator[Finding]:
    for event in _events(model):
        if event.deprecated is not None and len(event.deprecated.split()) < 2:
            message = f"{event.id.name!r} is deprecated, and nobody learns why"
            help_ = (
                'say what to use instead, and until when it is sent: deprecated = "use OrderPlacedV2 from June 2027"'
            )
            yield Finding(event.places["deprecated"], message, help_, owner=event.id)


def _never_equal(model: SchemaModel) -> Iterator[Finding]:
    for namespace in model.namespaces:
        key_fields = {key.id: len(key.fields) for key in namespace.keys}
        for event in namespace.events:
            if event.algebra not in {"idempotent", "idempotent_commutative"}:
                continue
            for field in event.fields[key_fields[event.key] :]:
                if field.compare and (what := _fresh(field)):
                    message = f"{field.name!r} looks like {what}, so no two events would be equal and nothing collapses"
                    help_ = "leave it out of comparisons: `compare = false`"
                    yield Finding(field.span, message, help_, owner=event.id, field=field.name)


def _fresh(field: FieldModel) -> str | None:
    type_ = field.type.item if isinstance(field.type, OptionalType) else field.type
    if _holds_id(type_) and _FRESH_IDS.fullmatch(field.name):
        return "a fresh id"
    return "the time of sending" if _holds_time(type_) and _FRESH_TIMES.fullmatch(field.name) else None


def _holds_id(type_: FieldType) -> bool:
    return isinstance(type_, UuidType | StrType | IntType)


def _holds_time(type_: FieldType) -> bool:
    return isinstance(type_, DateTimeType | IntType | FloatType | StrType)


#: Combine rules that may leave two neighbours apart, so that a batch of several makes sense.
_APART: Final = frozenset({"keep", "custom"})


def _needless_batches(model: SchemaModel) -> Iterator[Finding]:
    for event in _events(model):
        if event.algebra == "associative" and event.max_batch > 1 and _APART.isdisjoint(event.combine.values()):
            message = f"{event.id.name!r} is associative: its handler gets one combined event, never {event.max_batch}"
            yield Finding(event.places["max_batch"], message, "remove `max_batch`", owner=event.id)


RULES: Final = (
    Rule(
        "WK150",
        "no doc",
        "The doc of a type becomes the docstring of its class and its line in the catalogue; others have only that.",
        '[struct.Line]\nfields.sku = "str"',
        '[struct.Line]\ndoc = "One article of an order."\nfields.sku = "str"',
        Severity.HINT,
        _undocumented,
    ),
    Rule(
        "WK250",
        "tag out of sequence",
        "Tags count up from 1, so a gap is a slip, or an event that went without leaving a tombstone.",
        _EVENT + '[event.OrderPaid]\ntag = 12\nkey = "OrderKey"',
        _EVENT + _PAID,
        Severity.WARNING,
        _skipped_tags,
    ),
    Rule(
        "WK251",
        "topic with one event and a fence",
        "A fence orders events of different types; those of one type and key keep their order without it.",
        _EVENT + 'ordering = "acquire"',
        _EVENT + 'ordering = "acquire"\n' + _PAID,
        Severity.WARNING,
        _needless_fences,
    ),
    Rule(
        "WK252",
        "deprecated without a reason",
        "Who meets a deprecated event wants to know what to use instead, and how long the old one is still sent.",
        _EVENT + 'deprecated = "yes"',
        _EVENT + 'deprecated = "use OrderConfirmed; sent until June 2027"',
        Severity.WARNING,
        _unexplained,
    ),
    Rule(
        "WK452",
        "idempotent event that is never equal to another",
        "Equal neighbours collapse; a field that is filled anew for each sending makes all of them different.",
        _EVENT + 'algebra = "idempotent"\nfields.total = "u64"\nfields.event_id = "UUID"',
        _EVENT
        + 'algebra = "idempotent"\nfields.event_id = { type = "UUID", compare = false }\nfields.placed_at = "datetime"',
        Severity.WARNING,
        _never_equal,
    ),
    Rule(
        "WK453",
        "associative event with a batch size",
        "Neighbours are combined before the handler sees them, so it gets one event at a time.",
        _EVENT + 'algebra = "associative"\nmax_batch = 100\nfields.cents = "i64"\ncombine.cents = "sum"',
        _EVENT + 'algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "sum"',
        Severity.WARNING,
        _needless_batches,
    ),
)
