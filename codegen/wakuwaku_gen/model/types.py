"""The types a field can have: a closed set of small frozen classes, one per kind of type.

Code that walks a type matches on these classes and ends in `assert_never`, so a new kind can't be forgotten anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "BoolType",
    "BytesType",
    "DateTimeType",
    "DateType",
    "DecimalType",
    "EnumRef",
    "FieldType",
    "FloatType",
    "IntType",
    "ListType",
    "MapType",
    "OptionalType",
    "SetType",
    "StrType",
    "StructRef",
    "TimeDeltaType",
    "TimeType",
    "TupleType",
    "TypeName",
    "UnionRef",
    "UuidType",
]


@dataclass(frozen=True, slots=True)
class TypeName:
    """Name a declared type: its namespace and its own name. No Python name is made from it outside of `model`."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}.{self.name}"


@dataclass(frozen=True, slots=True)
class BoolType:
    """A truth value."""


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer of a declared width; `int` is `i64`."""

    bits: int
    signed: bool


@dataclass(frozen=True, slots=True)
class FloatType:
    """A 64-bit float."""


@dataclass(frozen=True, slots=True)
class StrType:
    """A text."""


@dataclass(frozen=True, slots=True)
class BytesType:
    """A byte string."""


@dataclass(frozen=True, slots=True)
class UuidType:
    """A UUID."""


@dataclass(frozen=True, slots=True)
class DecimalType:
    """An exact decimal number; text on the wire."""


@dataclass(frozen=True, slots=True)
class DateTimeType:
    """An instant (aware, UTC) or a local date and time (naive)."""

    aware: bool


@dataclass(frozen=True, slots=True)
class DateType:
    """A calendar day."""


@dataclass(frozen=True, slots=True)
class TimeType:
    """A local time of day."""


@dataclass(frozen=True, slots=True)
class TimeDeltaType:
    """A span of time."""


@dataclass(frozen=True, slots=True)
class ListType:
    """A sequence of one type; a tuple in Python, so that events stay frozen."""

    item: FieldType


@dataclass(frozen=True, slots=True)
class SetType:
    """A set of one type; a frozenset in Python."""

    item: FieldType


@dataclass(frozen=True, slots=True)
class MapType:
    """A mapping; the key is a str, an integer, an enum or a UUID."""

    key: FieldType
    value: FieldType


@dataclass(frozen=True, slots=True)
class TupleType:
    """A fixed number of values, each of its own type."""

    items: tuple[FieldType, ...]


@dataclass(frozen=True, slots=True)
class OptionalType:
    """A value or None."""

    item: FieldType


@dataclass(frozen=True, slots=True)
class EnumRef:
    """A declared enum."""

    target: TypeName


@dataclass(frozen=True, slots=True)
class StructRef:
    """A declared struct."""

    target: TypeName


@dataclass(frozen=True, slots=True)
class UnionRef:
    """A declared union of structs."""

    target: TypeName


FieldType: TypeAlias = (
    BoolType
    | IntType
    | FloatType
    | StrType
    | BytesType
    | UuidType
    | DecimalType
    | DateTimeType
    | DateType
    | TimeType
    | TimeDeltaType
    | ListType
    | SetType
    | MapType
    | TupleType
    | OptionalType
    | EnumRef
    | StructRef
    | UnionRef
)
