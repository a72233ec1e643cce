"""Enums and unions."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.compat.rules.rule import CompatRule

__all__ = ["RULES"]

_HEAD: Final = '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n'
_CURRENCY: Final = _HEAD + 'fields.currency = "Currency"\n[enum.Currency]\n'
_TWO: Final = _CURRENCY + 'values = ["EUR", "USD"]'
_PAYMENT: Final = (
    _HEAD
    + 'fields.payment = "Payment"\n[struct.Card]\nfields.number = "str"\n[struct.Cash]\nfields.till = "u8"\n'
    + "[union.Payment]\n"
)
_CARD: Final = _HEAD + 'fields.payment = "{}"\n[struct.Card]\nfields.number = "str"\n'

RULES: Final = (
    CompatRule(
        "ENUM_VALUE_ADDED",
        "enum value added",
        "Readers of older versions refuse a value they do not know, unless the enum was open there.",
        _TWO,
        _CURRENCY + 'values = ["EUR", "USD", "JPY"]',
        ".EEW",
    ),
    CompatRule(
        "ENUM_VALUE_REMOVED",
        "enum value removed",
        "Records that hold it stay in the log.",
        _TWO,
        _CURRENCY + 'values = ["EUR"]',
        "E..E",
    ),
    CompatRule(
        "ENUM_MEMBER_RENAMED",
        "enum member renamed, value kept",
        "The value is on the wire, the name is not.",
        _TWO,
        _CURRENCY + 'values = { EURO = "EUR", USD = "USD" }',
        "...E",
    ),
    CompatRule(
        "ENUM_WIRE_VALUE_CHANGED",
        "value of an enum member changed",
        "Old records hold the old value, old readers know no other.",
        _TWO,
        _CURRENCY + 'values = { EUR = "EURO", USD = "USD" }',
        "EEE.",
    ),
    CompatRule(
        "ENUM_VALUE_REASSIGNED",
        "value given to another member",
        "Everything is read, and means something else.",
        _CURRENCY + 'values = { EUR = "E", USD = "U" }',
        _CURRENCY + 'values = { EUR = "U", USD = "E" }',
        "EEEW",
    ),
    CompatRule(
        "ENUM_OPENED",
        "enum opened",
        "It keeps values it does not know, and sends them on to readers that refuse them.",
        _TWO,
        _CURRENCY + 'values = ["EUR", "USD"]\nopen = true',
        ".EEW",
    ),
    CompatRule(
        "ENUM_CLOSED",
        "enum closed",
        "Records may hold values that were not known.",
        _CURRENCY + 'values = ["EUR", "USD"]\nopen = true',
        _TWO,
        "E..W",
    ),
    CompatRule(
        "ENUM_BASE_CHANGED",
        "enum of texts became one of integers, or the other way round",
        "No reader takes one for the other.",
        _TWO,
        _CURRENCY + "values = { EUR = 1, USD = 2 }",
        "EEEE",
    ),
    CompatRule(
        "UNION_VARIANT_ADDED",
        "variant added",
        "Readers of older versions refuse a tag they do not know.",
        _PAYMENT + 'variants = ["Card"]',
        _PAYMENT + 'variants = ["Card", "Cash"]',
        ".EEW",
    ),
    CompatRule(
        "UNION_VARIANT_REMOVED",
        "variant removed",
        "Records that hold it stay in the log.",
        _PAYMENT + 'variants = ["Card", "Cash"]',
        _PAYMENT + 'variants = ["Card"]',
        "E..E",
    ),
    CompatRule(
        "UNION_TAG_VALUE_CHANGED",
        "tag of a variant changed",
        "A struct that a union holds carries its name on the wire, so there its name may not change.",
        _PAYMENT + 'variants = ["Card", "Cash"]',
        _PAYMENT.replace("struct.Cash", "struct.Coins") + 'variants = ["Card", "Coins"]',
        "EEEE",
    ),
    CompatRule(
        "UNION_TAG_FIELD_CHANGED",
        "field in the place of a tag",
        "A struct had a field under the name that unions keep their tags in.",
        _CARD.format("Card") + 'fields.kind = { type = "str", wire = "type" }',
        _CARD.format("Card") + '[union.Payment]\nvariants = ["Card"]\n[reserved.OrderKey]\nnames = ["Card.kind"]',
        "E...",
    ),
    CompatRule(
        "STRUCT_TO_UNION",
        "struct became a union",
        "A struct that no union held was written without a tag, which a union requires.",
        _CARD.format("Card"),
        _CARD.format("Payment") + '[struct.Cash]\nfields.till = "u8"\n[union.Payment]\nvariants = ["Card", "Cash"]',
        "EEEE",
    ),
    CompatRule(
        "UNION_TO_STRUCT",
        "union became a struct",
        "Records with its other variants stay in the log.",
        _PAYMENT + 'variants = ["Card", "Cash"]',
        _PAYMENT.replace('"Payment"', '"Card"') + 'variants = ["Card", "Cash"]',
        "E..E",
    ),
)
