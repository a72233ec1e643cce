"""WK4xx: laws, fences and combine rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wakuwaku_gen.check.rule import Finding, Rule
from wakuwaku_gen.diagnostics import Severity
from wakuwaku_gen.model.algebra import COMMUTING
from wakuwaku_gen.model.schema import SchemaModel
from wakuwaku_gen.model.types import FloatType

__all__ = ["RULES"]


def _event(laws: str, rest: str = "") -> str:
    return f'[event.Paid]\ntag = 1\nkey = "OrderKey"\n{laws}\n{rest}'.rstrip()


_OTHER: Final = '[event.Refunded]\ntag = 2\nkey = "OrderKey"'


def _float_sums(model: SchemaModel) -> Iterator[Finding]:
    for namespace in model.namespaces:
        for event in namespace.events:
            types = {field.name: field.type for field in event.fields}
            for name, rule in event.combine.items():
                if rule in {"sum", "product"} and isinstance(types[name], FloatType):
                    message = f"the {rule} of floats depends on how the events are grouped"
                    help_ = "use Decimal, or an integer of a smaller unit"
                    yield Finding(event.places[f"combine.{name}"], message, help_, owner=event.id, field=name)


def _all_commute(model: SchemaModel) -> Iterator[Finding]:
    for namespace in model.namespaces:
        for event in namespace.events:
            if event.combine and COMMUTING.issuperset(event.combine.values()) and event.ordering != "relaxed":
                message = f"all combine rules of {event.id.name!r} commute"
                help_ = f"if the order of its events does not matter either, {event.ordering!r} can go"
                yield Finding(event.places.get("ordering", event.span), message, help_, owner=event.id)


RULES: Final = (
    Rule(
        "WK401",
        "unknown algebra",
        "The algebra is a law, or a list of laws.",
        _event('algebra = "idempotant"'),
        _event('algebra = "idempotent"'),
    ),
    Rule(
        "WK402",
        "laws that do not go together",
        "Of the laws, only `idempotent` and `commutative` are joined.",
        _event('algebra = ["associative", "idempotent"]'),
        _event('algebra = ["idempotent", "commutative"]'),
    ),
    Rule(
        "WK403",
        "fences in conflict",
        "A fence among the laws is short for `ordering`, so the two say the same.",
        _event('algebra = ["idempotent", "acquire"]\nordering = "release"'),
        _event('algebra = "idempotent"\nordering = "acquire"', _OTHER),
    ),
    Rule(
        "WK404",
        "unknown ordering",
        "The ordering is relaxed, acquire, release or acq_rel.",
        _event('ordering = "aquire"'),
        _event('ordering = "acquire"', _OTHER),
    ),
    Rule(
        "WK405",
        "missing combine rule",
        "Two neighbours become one only if every field knows how.",
        _event('algebra = "associative"\nfields.cents = "i64"'),
        _event('algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "sum"'),
    ),
    Rule(
        "WK406",
        "combine rules without their law",
        "Only associative events are combined.",
        _event('fields.cents = "i64"\ncombine.cents = "sum"'),
        _event('algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "sum"'),
    ),
    Rule(
        "WK407",
        "combine rule for no field",
        "A rule belongs to one of the event's own fields.",
        _event('algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "sum"\ncombine.cent = "sum"'),
        _event('algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "sum"'),
    ),
    Rule(
        "WK408",
        "combine rule for another type",
        "A rule works on some types only: `concat` on texts, bytes and lists, say.",
        _event('algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "concat"'),
        _event('algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "sum"'),
    ),
    Rule(
        "WK450",
        "sum of floats",
        "Rounding makes the result depend on the grouping, so the event is not quite associative.",
        _event('algebra = "associative"\nfields.amount = "float"\ncombine.amount = "sum"'),
        _event('algebra = "associative"\nfields.amount = "Decimal"\ncombine.amount = "sum"'),
        Severity.WARNING,
        _float_sums,
    ),
    Rule(
        "WK451",
        "all combine rules commute",
        "An event that can be combined in any order seldom needs a fence.",
        _event('algebra = "associative"\nordering = "acquire"\nfields.cents = "i64"\ncombine.cents = "sum"', _OTHER),
        _event('algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "sum"'),
        Severity.HINT,
        _all_commute,
    ),
)
