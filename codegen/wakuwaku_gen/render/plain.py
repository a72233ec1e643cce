"""Field types as annotations without constraints, for signatures."""

from __future__ import annotations

from typing import Protocol, assert_never

from wakuwaku_gen.model.types import (
    BoolType,
    BytesType,
    DateTimeType,
    DateType,
    DecimalType,
    EnumRef,
    FieldType,
    FloatType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StrType,
    StructRef,
    TimeDeltaType,
    TimeType,
    TupleType,
    TypeName,
    UnionRef,
    UuidType,
)
from wakuwaku_gen.render.layout import Code, Either, subscript

__all__ = ["Names", "plain_type"]


class Names(Protocol):
    """Know how a module calls what it imports, and note that it is used."""

    def use(self, dotted: str) -> str:
        """Return how the module calls a name of the standard library, given as `Scope` calls it."""
        ...

    def reference(self, target: TypeName) -> str:
        """Return how the module calls a declared type."""
        ...


def plain_type(of: FieldType, names: Names) -> Code:  # noqa: C901, PLR0911, PLR0912 - one case per kind
    """Return a type as a signature has it."""
    match of:
        case BoolType():
            return names.use("_builtins.bool")
        case IntType():
            return names.use("_builtins.int")
        case FloatType():
            return names.use("_builtins.float")
        case StrType():
            return names.use("_builtins.str")
        case BytesType():
            return names.use("_builtins.bytes")
        case UuidType():
            return names.use("_uuid.UUID")
        case DecimalType():
            return names.use("_decimal.Decimal")
        case DateTimeType():
            return names.use("_datetime")
        case DateType():
            return names.use("_date")
        case TimeType():
            return names.use("_time")
        case TimeDeltaType():
            return names.use("_timedelta")
        case ListType():
            return subscript(names.use("_builtins.tuple"), plain_type(of.item, names), "...")
        case SetType():
            return subscript(names.use("_builtins.frozenset"), plain_type(of.item, names))
        case MapType():
            key, value = plain_type(of.key, names), plain_type(of.value, names)
            return subscript(names.use("_abc.Mapping"), key, value)
        case TupleType():
            return subscript(names.use("_builtins.tuple"), *(plain_type(item, names) for item in of.items))
        case OptionalType():
            return Either(plain_type(of.item, names))
        case EnumRef() | StructRef() | UnionRef():
            return names.reference(of.target)
        case _:
            assert_never(of)
