"""Fields and their types."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.compat.rules.rule import CompatRule

__all__ = ["RULES"]

_HEAD: Final = '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n'
_FIELDS: Final = _HEAD + "[event.OrderPlaced.fields]\n"
_TOTAL: Final = _FIELDS + 'total = "u64"\n'

RULES: Final = (
    CompatRule(
        "FIELD_ADDED_REQUIRED",
        "required field added",
        "Records from before it lack the field, and a reader that requires it refuses them.",
        _TOTAL,
        _TOTAL + 'note = "str"',
        "E.EE",
    ),
    CompatRule(
        "FIELD_ADDED_DEFAULT",
        "field with a default added",
        "Old records say the default. An old consumer that folds the event sends it on without the field.",
        _TOTAL,
        _TOTAL + 'note = { type = "str", default = "" }',
        "..W.",
    ),
    CompatRule(
        "FIELD_REMOVED_REQUIRED",
        "required field removed",
        "Readers of older versions require it.",
        _TOTAL + 'note = "str"',
        _TOTAL + '[reserved.OrderKey]\nnames = ["note"]',
        ".EEE",
    ),
    CompatRule(
        "FIELD_REMOVED_DEFAULT",
        "field with a default removed",
        "Readers of older versions see the default in every record, for ever.",
        _TOTAL + 'note = "str | None"',
        _TOTAL + '[reserved.OrderKey]\nnames = ["note"]',
        ".W.E",
    ),
    CompatRule(
        "FIELD_REMOVED_NOT_RESERVED",
        "removed name is not reserved",
        "The name could come back as another thing, and old records would be read as that.",
        _TOTAL + 'note = "str | None"',
        _TOTAL,
        "EE..",
    ),
    CompatRule(
        "RESERVED_REMOVED",
        "tombstone of a name removed",
        "Records that hold the name stay in the log, so it stays taken.",
        _TOTAL + '[reserved.OrderKey]\nnames = ["note"]',
        _TOTAL,
        "EE..",
    ),
    CompatRule(
        "RESERVED_USED",
        "removed name came back as another thing",
        "The last version did not have the field; an older one had, as something else, and its records are in the log.",
        (_TOTAL + 'note = "str | None"', _TOTAL),
        _TOTAL + 'note = "u32 | None"',
        "EEEE",
    ),
    CompatRule(
        "FIELD_WIRE_NAME_CHANGED",
        "name on the wire changed",
        "To readers that is one field gone and another one come; with defaults on both sides nothing fails and every"
        " value is lost.",
        _TOTAL,
        _FIELDS + 'total = { type = "u64", wire = "sum" }',
        "EEE.",
    ),
    CompatRule(
        "FIELD_PY_NAME_CHANGED",
        "field renamed, name on the wire kept",
        "The safe way to rename: records do not change, code does.",
        _TOTAL,
        _FIELDS + 'total_cents = { type = "u64", wire = "total" }',
        "...E",
    ),
    CompatRule(
        "FIELD_RENAME_SUSPECTED",
        "field renamed, most likely",
        "One field went and one like it came. Without its old name on the wire no record survives that.",
        _FIELDS + 'name = "str"',
        _FIELDS + 'full_name = "str"',
        "EEEE",
    ),
    CompatRule(
        "FIELD_BECAME_REQUIRED",
        "default dropped",
        "The last version wrote the field always; versions from before it did not.",
        (_TOTAL, _TOTAL + 'note = { type = "str", default = "" }'),
        _TOTAL + 'note = "str"',
        "E.EE",
    ),
    CompatRule(
        "FIELD_BECAME_DEFAULTED",
        "default added",
        "Every writer goes on writing the field.",
        _TOTAL,
        _FIELDS + 'total = { type = "u64", default = 0 }',
        "....",
    ),
    CompatRule(
        "FIELD_DEFAULT_CHANGED",
        "default changed",
        "Records from before the field are read again with another meaning.",
        _FIELDS + 'rate = { type = "u64", default = 1 }',
        _FIELDS + 'rate = { type = "u64", default = 2 }',
        "W..W",
    ),
    CompatRule(
        "FIELD_BECAME_NULLABLE",
        "field became nullable",
        "Readers of older versions refuse a null.",
        _FIELDS + 'note = "str"',
        _FIELDS + 'note = { type = "str | None", required = true }',
        ".EEW",
    ),
    CompatRule(
        "FIELD_BECAME_NON_NULLABLE",
        "field is no longer nullable",
        "Records that hold a null stay in the log.",
        _FIELDS + 'note = { type = "str | None", required = true }',
        _FIELDS + 'note = "str"',
        "E..W",
    ),
    CompatRule(
        "FIELD_TYPE_CHANGED",
        "type changed",
        "Readers are strict: an integer is read as a float or a decimal, texts of all kinds as a str; nothing else"
        " changes kinds.",
        _TOTAL,
        _FIELDS + 'total = "Decimal"',
        ".EEE",
    ),
    CompatRule(
        "INT_WIDENED",
        "integer widened",
        "The wire has no widths; readers check them.",
        _FIELDS + 'count = "u16"',
        _FIELDS + 'count = "u32"',
        ".EE.",
    ),
    CompatRule(
        "INT_NARROWED",
        "integer narrowed",
        "Larger values stay in the log.",
        _FIELDS + 'count = "u32"',
        _FIELDS + 'count = "u16"',
        "E...",
    ),
    CompatRule(
        "INT_SHIFTED",
        "integers of another range",
        "Neither range holds the other, as with a change of sign.",
        _FIELDS + 'count = "u8"',
        _FIELDS + 'count = "i8"',
        "EEE.",
    ),
    CompatRule(
        "CONSTRAINT_TIGHTENED",
        "constraint tightened",
        "Constraints hold when a record is read: what older versions allowed stays in the log.",
        _FIELDS + 'note = "str"',
        _FIELDS + 'note = { type = "str", min_length = 2 }',
        "E...",
    ),
    CompatRule(
        "CONSTRAINT_LOOSENED",
        "constraint loosened or removed",
        "Readers of older versions still hold new records to the old constraint.",
        _FIELDS + 'note = { type = "str", max_length = 2 }',
        _FIELDS + 'note = { type = "str", max_length = 5 }',
        ".EE.",
    ),
    CompatRule(
        "CONSTRAINT_INCOMPARABLE",
        "constraint changed both ways",
        "Each version allows what the other one refuses; of two patterns a warning says that no example tells.",
        _FIELDS + 'note = { type = "str", pattern = "^[a-z]+$" }',
        _FIELDS + 'note = { type = "str", pattern = "^[0-9]+$" }',
        "EEE.",
    ),
)
