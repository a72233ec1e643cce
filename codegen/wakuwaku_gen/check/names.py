"""WK1xx: names and types."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.check.rule import Rule

__all__ = ["RULES"]

RULES: Final = (
    Rule(
        "WK101",
        "type name not in PascalCase",
        "Types become classes; their names are ASCII and in PascalCase, never renamed behind your back.",
        '[struct.order_line]\nfields.sku = "str"',
        '[struct.OrderLine]\nfields.sku = "str"',
    ),
    Rule(
        "WK102",
        "unknown type",
        "A field's type is one of the language or one the schema declares.",
        '[struct.Line]\nfields.currency = "Currrency"\n[enum.Currency]\nvalues = ["EUR"]',
        '[struct.Line]\nfields.currency = "Currency"\n[enum.Currency]\nvalues = ["EUR"]',
    ),
    Rule(
        "WK103",
        "field name not in snake_case",
        "Fields become attributes; their names are ASCII and in snake_case, never renamed behind your back.",
        '[struct.Line]\nfields.stockKeepingUnit = "str"',
        '[struct.Line]\nfields.sku = { type = "str", wire = "stockKeepingUnit" }',
    ),
    Rule(
        "WK104",
        "keyword as a name",
        "Python has the word for itself; the wire can have it.",
        '[struct.Seat]\nfields.class = "str"',
        '[struct.Seat]\nfields.class_ = { type = "str", wire = "class" }',
    ),
    Rule(
        "WK105",
        "reserved name",
        "The classes and modules that are generated use the name themselves.",
        '[struct.Line]\nfields.key = "str"',
        '[struct.Line]\nfields.key_ = { type = "str", wire = "key" }',
    ),
    Rule(
        "WK106",
        "namespace not usable",
        "A namespace becomes a package: snake_case names joined by dots, none that hides another package.",
        'namespace = "Shop"',
        'namespace = "shop"',
    ),
    Rule(
        "WK107",
        "topic name not usable",
        "A topic's name is one that logs accept and Python names can be made from.",
        '[key.CartKey]\ntopic = "my carts"\nfields.id = "u64"',
        '[key.CartKey]\ntopic = "my-carts"\nfields.id = "u64"',
    ),
    Rule(
        "WK108",
        "enum member not usable",
        "Members become attributes of an enum class; `title`, for one, is a method of every string.",
        '[enum.Field]\nvalues = ["title"]',
        '[enum.Field]\nvalues = { TITLE = "title" }',
    ),
    Rule(
        "WK109",
        "declared twice",
        "All types of a namespace live in one module.",
        '[struct.Line]\n[enum.Line]\nvalues = ["ONE"]',
        '[struct.Line]\n[enum.LineKind]\nvalues = ["ONE"]',
    ),
    Rule(
        "WK110",
        "names differ only in letter case",
        "Readers mix them up, and so do file systems.",
        "[struct.Http]\n[struct.HTTP]",
        "[struct.Http]\n[struct.HttpHeader]",
    ),
    Rule(
        "WK111",
        "generated names meet",
        "Names made from others, such as a handler's, must not take a name that is there already.",
        '[struct.OrderHandler]\n[event.Order]\ntag = 1\nkey = "OrderKey"',
        '[struct.OrderAgent]\n[event.Order]\ntag = 1\nkey = "OrderKey"',
    ),
    Rule(
        "WK112",
        "equal names on the wire",
        "One of two fields with one name on the wire would be lost.",
        '[struct.Line]\nfields.sku = "str"\nfields.code = { type = "str", wire = "sku" }',
        '[struct.Line]\nfields.sku = "str"\nfields.code = "str"',
    ),
    Rule(
        "WK113",
        "not a type",
        "Types are written as Python annotations.",
        '[struct.Line]\nfields.note = "str?"',
        '[struct.Line]\nfields.note = "str | None"',
    ),
    Rule(
        "WK114",
        "wrong parameters of a type",
        "A collection says what it holds, and nothing else takes parameters.",
        '[struct.Order]\nfields.lines = "list"',
        '[struct.Order]\nfields.lines = "list[str]"',
    ),
    Rule(
        "WK115",
        "type not possible here",
        "Not every type can be a key, an item of a set, or one of several.",
        '[struct.Order]\nfields.amount = "int | str"',
        '[struct.Order]\nfields.amount = "int | None"',
    ),
    Rule(
        "WK116",
        "values of an enum of no one kind",
        "The values are all texts or all 64-bit integers, and there is at least one.",
        '[enum.Level]\nvalues = { LOW = 1, HIGH = "high" }',
        "[enum.Level]\nvalues = { LOW = 1, HIGH = 2 }",
    ),
    Rule(
        "WK117",
        "equal values in an enum",
        "Two members with one value are one member under two names.",
        "[enum.Level]\nvalues = { LOW = 1, SMALL = 1 }",
        "[enum.Level]\nvalues = { LOW = 1, MEDIUM = 2 }",
    ),
    Rule(
        "WK118",
        "variants the wire can't tell apart",
        "A union's variants are structs with different names.",
        '[enum.Kind]\nvalues = ["A"]\n[union.Payment]\nvariants = ["Kind"]',
        '[struct.Card]\n[union.Payment]\nvariants = ["Card"]',
    ),
    Rule(
        "WK119",
        "struct that can't be built",
        "A struct that needs itself has no finite value.",
        '[struct.Node]\nfields.next = "Node"',
        '[struct.Node]\nfields.next = "Node | None"',
    ),
)
