"""Types and values as plain data, read back: the other half of `model.digest`."""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias, cast
from uuid import UUID

from wakuwaku_gen.model.annotation import SCALARS
from wakuwaku_gen.model.types import (
    EnumRef,
    FieldType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StructRef,
    TupleType,
    TypeName,
    UnionRef,
)

__all__ = ["Kinds", "parse_type", "parse_value"]

#: Of what kind each declared type is.
Kinds: TypeAlias = Mapping[str, Literal["enum", "struct", "union"]]
_REFERENCES: Final[Mapping[str, Callable[[TypeName], FieldType]]] = {
    "enum": EnumRef,
    "struct": StructRef,
    "union": UnionRef,
}


def parse_type(text: str, kinds: Kinds) -> FieldType:
    """Return the type that `spell` wrote; raises `ValueError` when it is none."""
    try:
        return _type(ast.parse(text, mode="eval").body, kinds)
    except (SyntaxError, KeyError, TypeError) as error:
        raise ValueError(f"no type: {text!r}") from error


def _type(tree: ast.expr, kinds: Kinds) -> FieldType:
    match tree:
        case ast.Name(id=name) if name in SCALARS:
            return SCALARS[name]
        case ast.Name() | ast.Attribute():
            name = ast.unparse(tree)
            namespace, _, own = name.rpartition(".")
            return _REFERENCES[kinds[name]](TypeName(namespace, own))
        case ast.BinOp(left=left, op=ast.BitOr()):
            return OptionalType(_type(left, kinds))
        case ast.Subscript(value=ast.Name(id=name), slice=inside):
            items = [_type(one, kinds) for one in (inside.elts if isinstance(inside, ast.Tuple) else [inside])]
            return _container(name, items)
        case _:
            raise TypeError("no type")


def _container(name: str, items: list[FieldType]) -> FieldType:
    match name, items:
        case "list", [item]:
            return ListType(item)
        case "set", [item]:
            return SetType(item)
        case "dict", [key, value]:
            return MapType(key, value)
        case "tuple", _:
            return TupleType(tuple(items))
        case _:
            raise TypeError("no container")


_VALUES: Final[Mapping[str, Callable[[Any], object]]] = {
    "float": float,
    "bytes": bytes.fromhex,
    "datetime": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "timedelta": lambda parts: dt.timedelta(*parts),
    "Decimal": Decimal,
    "UUID": UUID,
    "dict": lambda pairs: {parse_value(key): parse_value(value) for key, value in pairs},
}


def parse_value(data: object) -> object:
    """Return the default that `namespace_data` wrote; raises `ValueError` when it is none."""
    if isinstance(data, Mapping):
        ((kind, value),) = cast("Mapping[str, object]", data).items()
        return _VALUES[kind](cast("Any", value))
    if isinstance(data, list):
        return tuple(parse_value(item) for item in cast("Sequence[object]", data))
    return data
