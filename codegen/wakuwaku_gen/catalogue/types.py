"""Types, constraints and defaults as people read them."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeAlias, cast
from uuid import UUID

from wakuwaku_gen.catalogue.markdown import code, text
from wakuwaku_gen.model.digest import spell
from wakuwaku_gen.model.schema import Constraints, FieldModel
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

__all__ = ["LinkTo", "constraints_text", "default_text", "type_text"]

#: Makes a link to a declared type.
LinkTo: TypeAlias = Callable[[TypeName], str]


def type_text(of: FieldType, link_to: LinkTo) -> str:  # noqa: PLR0911 - one case per kind
    """Return a type as the schema writes it, with links to what is declared."""
    match of:
        case ListType(item):
            return f"list{text('[')}{type_text(item, link_to)}{text(']')}"
        case SetType(item):
            return f"set{text('[')}{type_text(item, link_to)}{text(']')}"
        case MapType(key, value):
            return f"dict{text('[')}{type_text(key, link_to)}, {type_text(value, link_to)}{text(']')}"
        case TupleType(items):
            return f"tuple{text('[')}{', '.join(type_text(item, link_to) for item in items)}{text(']')}"
        case OptionalType(item):
            return f"{type_text(item, link_to)} or None"
        case EnumRef(target) | StructRef(target) | UnionRef(target):
            return link_to(target)
        case _:
            return code(spell(of))


def constraints_text(limits: Constraints) -> str:
    """Return constraints as a list such as `ge 1, le 9`."""
    given = ((name, getattr(limits, name)) for name in Constraints.__slots__)
    return ", ".join(f"{code(name)} {code(str(value))}" for name, value in given if value is not None)


def default_text(field: FieldModel) -> str:
    """Return a field's default, or that it must be given."""
    return code(_plain(field.default)) if field.has_default else "required"


def _plain(value: object) -> str:  # noqa: PLR0911 - one case per kind of value
    match value:
        case None:
            return "None"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bytes():
            return value.hex() or "no bytes"
        case bool() | int() | float() | Decimal() | UUID():
            return str(value)
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case tuple():
            return f"[{', '.join(map(_plain, cast('tuple[object, ...]', value)))}]"
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return f"{{{', '.join(f'{_plain(name)}: {_plain(item)}' for name, item in pairs)}}}"
        case _:
            return str(value)
