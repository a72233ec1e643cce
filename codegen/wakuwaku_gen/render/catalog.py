"""Look declared types up by name, across namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import assert_never

from wakuwaku_gen.model.cycles import components
from wakuwaku_gen.model.schema import (
    EnumModel,
    KeyModel,
    NamespaceModel,
    SchemaModel,
    StructModel,
    UnionModel,
)
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

__all__ = ["Catalog", "references"]


class Catalog:
    """Hold what all namespaces declare, by name."""

    def __init__(self, schema: SchemaModel) -> None:
        self.namespaces = {namespace.name: namespace for namespace in schema.namespaces}
        self.enums: dict[TypeName, EnumModel] = {}
        self.structs: dict[TypeName, StructModel] = {}
        self.unions: dict[TypeName, UnionModel] = {}
        self.keys: dict[TypeName, KeyModel] = {}
        for namespace in schema.namespaces:
            self.enums |= {enum.id: enum for enum in namespace.enums}
            self.structs |= {struct.id: struct for struct in namespace.structs}
            self.unions |= {union.id: union for union in namespace.unions}
            self.keys |= {key.id: key for key in namespace.keys}
        self._needs = {namespace.name: _needed(namespace) for namespace in schema.namespaces}
        self._reached: dict[str, frozenset[str]] = {}

    def reaches(self, start: str, end: str) -> bool:
        """Tell whether the modules of namespace `start` import those of `end`, directly or not."""
        if start not in self._reached:
            seen: set[str] = set()
            waiting = [start]
            while waiting:
                more = self._needs.get(waiting.pop(), frozenset()) - seen
                seen |= more
                waiting += more
            self._reached[start] = frozenset(seen)
        return end in self._reached[start]

    def joins(self, owner: TypeName, target: TypeName) -> bool:
        """Tell whether a value of `owner` holds one of `target` that can hold one of `owner` again."""
        return owner in self._rings and self._rings[owner] == self._rings.get(target)

    @cached_property
    def _rings(self) -> dict[TypeName, int]:
        graph: dict[TypeName, list[TypeName]] = {name: [] for name in self.enums}
        for name, struct in self.structs.items():
            graph[name] = [target for field in struct.fields for target in references(field.type)]
        graph |= {name: list(union.variants) for name, union in self.unions.items()}
        return {
            name: number
            for number, ring in enumerate(components(graph))
            for name in ring
            if len(ring) > 1 or name in graph[name]
        }


def references(of: FieldType) -> Iterator[TypeName]:
    """Yield the declared types that a field type names."""
    match of:
        case EnumRef() | StructRef() | UnionRef():
            yield of.target
        case ListType() | SetType() | OptionalType():
            yield from references(of.item)
        case MapType():
            yield from references(of.key)
            yield from references(of.value)
        case TupleType():
            for item in of.items:
                yield from references(item)
        case (
            BoolType()
            | IntType()
            | FloatType()
            | StrType()
            | BytesType()
            | UuidType()
            | DecimalType()
            | DateTimeType()
            | DateType()
            | TimeType()
            | TimeDeltaType()
        ):
            return
        case _:
            assert_never(of)


def _needed(namespace: NamespaceModel) -> frozenset[str]:
    owners = [owner.fields for owner in namespace.structs] + [owner.fields for owner in namespace.events]
    found = {target.namespace for fields in owners for field in fields for target in references(field.type)}
    found |= {variant.namespace for union in namespace.unions for variant in union.variants}
    return frozenset(found - {namespace.name})
