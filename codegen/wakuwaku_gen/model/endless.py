"""Defaults that would go on for ever: one holds a struct that takes the same default again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias, cast

from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.model.cycles import components
from wakuwaku_gen.model.schema import FieldModel, Value
from wakuwaku_gen.model.types import FieldType, ListType, MapType, OptionalType, StructRef, TupleType, TypeName

__all__ = ["check_endless"]

#: A struct, and one of its fields that has a default.
_Place: TypeAlias = tuple[TypeName, str]


def check_endless(
    structs: Mapping[TypeName, tuple[FieldModel, ...]], stuck: Collection[TypeName], diagnostics: Diagnostics
) -> None:
    """Report defaults whose value never ends, at the field, but for those of types that are `stuck` anyway."""
    spans = {
        (name, field.name): field.span
        for name, fields in structs.items()
        for field in fields
        if field.has_default and field.default is not None
    }
    graph: dict[_Place, list[_Place]] = {}
    for name, fields in structs.items():
        for field in fields:
            if (name, field.name) in spans:
                taken = _taken(field.type, field.default, structs)
                graph[name, field.name] = [place for place in taken if place in spans]
    for ring in components(graph):
        if (len(ring) > 1 or ring[0] in graph[ring[0]]) and not any(owner in stuck for owner, _ in ring):
            owner, field_name = min(ring, key=lambda place: spans[place])
            message = f"the default of {field_name!r} never ends: it holds another {owner.name!r} with that default"
            help_ = f"give {field_name!r} in the default, or leave the default out"
            diagnostics.error("WK119", spans[owner, field_name], message, help_)


def _taken(  # noqa: C901 - one case per kind of type
    of: FieldType, value: Value, structs: Mapping[TypeName, tuple[FieldModel, ...]]
) -> Iterator[_Place]:
    """Return the defaults that building a value takes, as it leaves their fields out."""
    match of, value:
        case OptionalType(item), _ if value is not None:
            yield from _taken(item, value, structs)
        case ListType(item), tuple():
            for one in cast("tuple[Value, ...]", value):
                yield from _taken(item, one, structs)
        case TupleType(items), tuple():
            for item, one in zip(items, cast("tuple[Value, ...]", value), strict=True):
                yield from _taken(item, one, structs)
        case MapType(value=item), Mapping():
            for one in cast("Iterable[Value]", value.values()):
                yield from _taken(item, one, structs)
        case StructRef(target), Mapping():
            given = cast("Mapping[str, Value]", value)
            for field in structs.get(target, ()):
                if field.name in given:
                    yield from _taken(field.type, given[field.name], structs)
                else:
                    yield target, field.name
        case _:
            return
