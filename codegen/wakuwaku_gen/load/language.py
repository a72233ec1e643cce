"""The tables and keys the language has, as data.

The loader walks this table, and editors get their JSON Schema from it. Adding a key here makes it legal; the model then
gives it a meaning. The order of keys is the one in which `wakuwaku fmt` writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = [
    "COMBINE_RULES",
    "CONSTRAINTS",
    "ROOT",
    "Anything",
    "Flag",
    "Integer",
    "Key",
    "Named",
    "Number",
    "OneOf",
    "Record",
    "Sequence",
    "Shape",
    "Text",
]


@dataclass(frozen=True, slots=True)
class Text:
    """Expect a string; one of `choices` unless that is empty."""

    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Integer:
    """Expect an integer from `low` to `high`, both included; None means no bound."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """Expect an integer or a float."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Expect a boolean."""


@dataclass(frozen=True, slots=True)
class Anything:
    """Expect any value; the model checks it against a field's type."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """Expect an array."""

    item: Shape


@dataclass(frozen=True, slots=True)
class Named:
    """Expect a table whose keys the user chooses; `what` says what they name."""

    what: str
    item: Shape


@dataclass(frozen=True, slots=True)
class OneOf:
    """Expect one of several shapes, told apart by their kind."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """Expect a table with fixed keys; `name` is what messages call it, with its article."""

    name: str
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """Declare a key of a record; `default` is what its absence means, None when that is nothing in particular."""

    name: str
    shape: Shape
    doc: str
    required: bool = False
    default: str | int | bool | None = None


Shape: TypeAlias = Text | Integer | Number | Flag | Anything | Sequence | Named | OneOf | Record

U32: Final = 2**32 - 1
_LONGEST: Final = 2**63 - 1  # msgspec keeps lengths in 64 bits

COMBINE_RULES: Final = (
    *("sum", "product", "min", "max", "first", "last", "concat", "union", "intersection"),
    *("merge", "any", "all", "keep", "custom"),
)

_DOC: Final = Key("doc", Text(), "What it is, for the reader of the generated code.")
_ALLOW: Final = Key(
    "allow", Named("a rule", Text()), 'Rules that may be broken here, each with the reason: { WK120 = "why" }.'
)
_STABILITY: Final = Key(
    "stability",
    Text(("stable", "draft")),
    "Whether released versions bind it; a draft may still change in any way.",
    default="stable",
)

CONSTRAINTS: Final = (
    Key("gt", Number(), "The value is greater than this."),
    Key("ge", Number(), "The value is at least this."),
    Key("lt", Number(), "The value is less than this."),
    Key("le", Number(), "The value is at most this."),
    Key("multiple_of", Number(), "The value is a multiple of this."),
    Key("min_length", Integer(low=0, high=_LONGEST), "The least number of characters, bytes or items."),
    Key("max_length", Integer(low=0, high=_LONGEST), "The greatest number of characters, bytes or items."),
    Key("pattern", Text(), "A regular expression that is found in the text."),
)

_TYPED: Final = (
    Key("type", Text(), 'The type, such as "u64".', required=True),
    Key("wire", Text(), "The name on the wire, when it differs."),
    *CONSTRAINTS,
)
_DEFAULTED: Final = (
    Key("default", Anything(), "The value when none is given."),
    Key("required", Flag(), "Whether a nullable field must be given.", default=False),
)
_COMPARED: Final = Key("compare", Flag(), "Whether the field counts when two events are compared.", default=True)
_KEY_FIELD: Final = Record("a field of a key", (*_TYPED, _DOC, _ALLOW))
_STRUCT_FIELD: Final = Record("a field of a struct", (*_TYPED, *_DEFAULTED, _DOC, _ALLOW))
_EVENT_FIELD: Final = Record("a field of an event", (*_TYPED, *_DEFAULTED, _COMPARED, _DOC, _ALLOW))


def _fields(record: Record, *, required: bool = False) -> Key:
    return Key("fields", Named("a field", OneOf((Text(), record))), "The fields: name and type.", required=required)


_KEY: Final = Record(
    "a key",
    (
        Key("topic", Text(), "The topic this key type owns.", required=True),
        _DOC,
        Key("hash", Text(("xxh3", "rust")), 'How keys are hashed; "rust" for topics shared with Rust.', default="xxh3"),
        Key("partitions", Integer(1, 1000), "How many partitions the topic is created with.", default=1),
        _ALLOW,
        _fields(_KEY_FIELD, required=True),
    ),
)
_MEMBER: Final = Record(
    "an enum member", (Key("value", OneOf((Text(), Integer())), "The value on the wire.", required=True), _DOC)
)
_ENUM: Final = Record(
    "an enum",
    (
        _DOC,
        Key(
            "values",
            OneOf((Sequence(Text()), Named("a member", OneOf((Text(), Integer(), _MEMBER))))),
            'The members: ["EUR", "USD"], or { EURO = "EUR" }, or { LOW = 1 }.',
            required=True,
        ),
        Key("open", Flag(), "Whether values it does not know are kept instead of refused.", default=False),
        _STABILITY,
        _ALLOW,
    ),
)
_STRUCT: Final = Record("a struct", (_DOC, _STABILITY, _ALLOW, _fields(_STRUCT_FIELD)))
_UNION: Final = Record(
    "a union", (_DOC, Key("variants", Sequence(Text()), "The structs it may be.", required=True), _STABILITY, _ALLOW)
)
_EVENT: Final = Record(
    "an event",
    (
        Key("tag", Integer(0, U32), "Its number on the topic; never used for another event.", required=True),
        Key("key", Text(), "The key type whose topic it goes to.", required=True),
        Key(
            "algebra",
            OneOf((Text(), Sequence(Text()))),
            "The law it obeys, or a list of laws.",
            default="non_associative",
        ),
        Key("ordering", Text(), "The fence it is: relaxed, acquire, release or acq_rel.", default="relaxed"),
        Key("max_batch", Integer(1, U32), "How many events a handler gets at once, at most.", default=1),
        _DOC,
        Key("deprecated", Text(), "Why not to use it any more, and what instead."),
        _STABILITY,
        _ALLOW,
        _fields(_EVENT_FIELD),
        Key("combine", Named("a field", Text(COMBINE_RULES)), "How two neighbours become one, field by field."),
    ),
)
_RESERVED: Final = Record(
    "a tombstone",
    (
        Key("tags", Sequence(Integer(0, U32)), "Tags that may not come back."),
        Key("names", Sequence(Text()), "Names of events and fields that may not come back."),
    ),
)

ROOT: Final = Record(
    "a schema file",
    (
        Key("wakuwaku", Integer(1, 1), "The version of the language: 1.", required=True),
        Key("namespace", Text(), "The namespace; it becomes the package.", required=True),
        _DOC,
        Key("key", Named("a key", _KEY), "Key types: [key.OrderKey]."),
        Key("enum", Named("an enum", _ENUM), "Enums: [enum.Currency]."),
        Key("struct", Named("a struct", _STRUCT), "Structs: [struct.Line]."),
        Key("union", Named("a union", _UNION), "Unions of structs: [union.Payment]."),
        Key("event", Named("an event", _EVENT), "Events: [event.OrderPlaced]."),
        Key("reserved", Named("a key", _RESERVED), "Tombstones per key type: [reserved.OrderKey]."),
    ),
)
