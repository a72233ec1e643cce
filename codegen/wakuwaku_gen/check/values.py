"""WK3xx: defaults and constraints."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.check.rule import Rule

__all__ = ["RULES"]

RULES: Final = (
    Rule(
        "WK301",
        "default of another type",
        "A default is a value of the field's type.",
        '[struct.Line]\nfields.quantity = { type = "u8", default = 300 }',
        '[struct.Line]\nfields.quantity = { type = "u8", default = 30 }',
    ),
    Rule(
        "WK302",
        "default against a constraint",
        "A value that readers would refuse is no default.",
        '[struct.Line]\nfields.quantity = { type = "u8", ge = 1, default = 0 }',
        '[struct.Line]\nfields.quantity = { type = "u8", ge = 1, default = 1 }',
    ),
    Rule(
        "WK303",
        "constraint of another type",
        "Bounds restrict numbers, lengths restrict texts and collections, a pattern restricts texts.",
        '[struct.Line]\nfields.quantity = { type = "u8", min_length = 1 }',
        '[struct.Line]\nfields.quantity = { type = "u8", ge = 1 }',
    ),
    Rule(
        "WK304",
        "constraint without sense",
        "The value of a constraint can be checked: a finite number, a regular expression.",
        '[struct.Line]\nfields.sku = { type = "str", pattern = "(" }',
        "[struct.Line]\nfields.sku = { type = \"str\", pattern = '^[A-Z]' }",
    ),
    Rule(
        "WK305",
        "constraints in conflict",
        "Some value obeys all constraints, and no side has two bounds.",
        '[struct.Line]\nfields.quantity = { type = "u8", ge = 9, le = 1 }',
        '[struct.Line]\nfields.quantity = { type = "u8", ge = 1, le = 9 }',
    ),
    Rule(
        "WK306",
        "required in conflict with the default",
        "A field is required or it has a default: a nullable one has None unless it is required.",
        '[struct.Line]\nfields.quantity = { type = "u8", default = 1, required = true }',
        '[struct.Line]\nfields.note = { type = "str | None", required = true }',
    ),
)
