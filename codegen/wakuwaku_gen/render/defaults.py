"""Default values as expressions of the field's real type, never shared when they could change."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import cast
from uuid import UUID

from wakuwaku_gen.model.types import (
    EnumRef,
    FieldType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StructRef,
    TupleType,
)
from wakuwaku_gen.render.catalog import references
from wakuwaku_gen.render.layout import Brackets, Code, call, flat, keyword, mapping, prefixed, tuple_of
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import identifier, literal

__all__ = ["default_argument", "value_code"]


def default_argument(of: FieldType, value: object, scope: Scope) -> tuple[str, Code]:
    """Return `default` or `default_factory`, and what follows it.

    A factory makes values that hold a mapping, and those whose types do not exist yet at that line.
    """
    code = value_code(of, value, scope)
    held = of.item if isinstance(of, OptionalType) else of
    if value in (None, ()) or (isinstance(held, MapType) and not value):
        return "default", code  # msgspec makes a new mapping of an empty one
    late = any(map(scope.is_late, references(of)))
    if isinstance(held, StructRef) and not value and (late or _holds_mapping(of, scope)):
        name = scope.reference(held.target)
        # Linters would have the plain call inlined, which is too early for a class that does not exist yet.
        return "default_factory", f"lambda: {name}(*())" if late else name
    if late or _holds_mapping(of, scope):
        return "default_factory", prefixed("lambda: ", code)
    return "default", code


def value_code(of: FieldType, value: object, scope: Scope) -> Code:  # noqa: PLR0911 - one case per kind
    """Return the expression that builds a checked value of a type."""
    match of, value:
        case _, None:
            return literal(None)
        case OptionalType(), _:
            return value_code(of.item, value, scope)
        case EnumRef(), str() | int():
            return _enum_code(of, value, scope)
        case ListType(), tuple():
            return tuple_of(tuple(value_code(of.item, item, scope) for item in cast("tuple[object, ...]", value)))
        case TupleType(), tuple():
            items = zip(of.items, cast("tuple[object, ...]", value), strict=True)
            return tuple_of(tuple(value_code(kind, item, scope) for kind, item in items))
        case SetType(), tuple():
            items_code = tuple(value_code(of.item, item, scope) for item in cast("tuple[object, ...]", value))
            built = [Brackets("{", items_code, "}")] if items_code else []
            return call(scope.use("_builtins.frozenset"), *built)
        case MapType(), Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return mapping(
                tuple((_inline(of.key, key, scope), value_code(of.value, item, scope)) for key, item in pairs)
            )
        case StructRef(), Mapping():
            fields = {field.name: field for field in scope.catalog.structs[of.target].fields}
            pairs = cast("Mapping[str, object]", value).items()
            given = (keyword(identifier(name), value_code(fields[name].type, item, scope)) for name, item in pairs)
            return call(scope.reference(of.target), *given)
        case _:
            return _scalar_code(value, scope)


def _scalar_code(value: object, scope: Scope) -> Code:
    match value:
        case bool() | int() | float() | str() | bytes():
            return literal(value)
        case Decimal():
            return call(scope.use("_decimal.Decimal"), literal(str(value)))
        case UUID():
            return call(scope.use("_uuid.UUID"), literal(str(value)))
        case dt.datetime() | dt.date() | dt.time():
            kind = type(value).__name__
            return call(scope.use(f"_{kind}.fromisoformat"), literal(value.isoformat()))
        case dt.timedelta():
            parts = {"days": value.days, "seconds": value.seconds, "microseconds": value.microseconds}
            given = (keyword(name, literal(part)) for name, part in parts.items() if part)
            return call(scope.use("_timedelta"), *given)
        case _:
            raise TypeError(f"no expression for a default of type {type(value).__name__}")


def _enum_code(of: EnumRef, value: str | int, scope: Scope) -> Code:
    name = scope.reference(of.target)
    for member in scope.catalog.enums[of.target].members:
        if member.value == value:
            return f"{name}.{identifier(member.name)}"
    return call(name, literal(value))


def _inline(of: FieldType, value: object, scope: Scope) -> str:
    return flat(value_code(of, value, scope))


def _holds_mapping(of: FieldType, scope: Scope, seen: frozenset[object] = frozenset()) -> bool:
    match of:
        case MapType():
            return True
        case ListType() | SetType() | OptionalType():
            return _holds_mapping(of.item, scope, seen)
        case TupleType():
            return any(_holds_mapping(item, scope, seen) for item in of.items)
        case StructRef() if of.target not in seen:
            inner = seen | {of.target}
            return any(_holds_mapping(field.type, scope, inner) for field in scope.catalog.structs[of.target].fields)
        case _:
            return False
