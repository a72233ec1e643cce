"""One version of a schema, looked up as compatibility needs it: events by topic and tag, types by name.

Who an event is, the wire tells by topic and tag; names of events, files and namespaces are not on it. So all namespaces
of a version are one catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from wakuwaku_gen.diagnostics import Span
from wakuwaku_gen.model.schema import (
    TAG_FIELD,
    EnumModel,
    EventModel,
    FieldModel,
    KeyModel,
    NamespaceModel,
    SchemaModel,
    StructModel,
    UnionModel,
)
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

__all__ = ["TAG_FIELD", "Address", "Catalogue", "Record", "Tombstones", "TypeModel", "catalogue_of", "references"]

TypeModel: TypeAlias = EnumModel | StructModel | UnionModel
#: What tells an event apart on the wire: its topic and its tag.
Address: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Record:
    """What is a map on the wire: the fields of an event or a struct, and the tag a struct of a union carries."""

    id: TypeName
    fields: tuple[FieldModel, ...]
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Tags and names of a topic that may not come back; `span` is the first place that says so."""

    tags: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()
    span: Span | None = None


@dataclass(frozen=True)
class Catalogue:
    """Hold one version of a schema.

    `keys` and `reserved` are by topic. `types` has enums, structs and unions; a type no event reaches may be missing.
    """

    events: Mapping[Address, EventModel] = field(default_factory=dict[Address, EventModel])
    keys: Mapping[str, KeyModel] = field(default_factory=dict[str, KeyModel])
    types: Mapping[TypeName, TypeModel] = field(default_factory=dict[TypeName, TypeModel])
    reserved: Mapping[str, Tombstones] = field(default_factory=dict[str, Tombstones])

    @cached_property
    def topics(self) -> Mapping[TypeName, str]:
        """The topic of each key type."""
        return {key.id: topic for topic, key in self.keys.items()}

    def enum(self, name: TypeName) -> EnumModel:
        """Return an enum."""
        model = self.types[name]
        if not isinstance(model, EnumModel):
            raise TypeError(f"{name} is no enum")
        return model

    def record(self, name: TypeName) -> Record:
        """Return a struct as the wire has it."""
        model = self.types[name]
        if not isinstance(model, StructModel):
            raise TypeError(f"{name} is no struct")
        return Record(name, model.fields, name.name if model.tagged else None)

    def variants(self, type_: StructRef | UnionRef) -> tuple[Record, ...]:
        """Return the structs a value of a type may be: one, or those of the union."""
        if isinstance(type_, StructRef):
            return (self.record(type_.target),)
        model = self.types[type_.target]
        if not isinstance(model, UnionModel):
            raise TypeError(f"{type_.target} is no union")
        return tuple(map(self.record, model.variants))

    def reached(self, fields: tuple[FieldModel, ...]) -> frozenset[TypeName]:
        """Return the declared types that fields hold, directly or inside others."""
        found: set[TypeName] = set()
        pending = [name for one in fields for name in references(one.type)]
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self._held(self.types[name]))
        return frozenset(found)

    def _held(self, model: TypeModel) -> Iterator[TypeName]:
        if isinstance(model, StructModel):
            for one in model.fields:
                yield from references(one.type)
        elif isinstance(model, UnionModel):
            yield from model.variants


def references(type_: FieldType) -> Iterator[TypeName]:
    """Return the declared types a type names."""
    match type_:
        case EnumRef(target) | StructRef(target) | UnionRef(target):
            yield target
        case ListType(item) | SetType(item) | OptionalType(item):
            yield from references(item)
        case MapType(key, value):
            yield from references(key)
            yield from references(value)
        case TupleType(items):
            for item in items:
                yield from references(item)
        case _:
            pass


def _types(namespace: NamespaceModel) -> Iterator[TypeModel]:
    yield from namespace.enums
    yield from namespace.structs
    yield from namespace.unions


def catalogue_of(schema: SchemaModel) -> Catalogue:
    """Return the catalogue of a bound model."""
    keys = {key.topic: key for namespace in schema.namespaces for key in namespace.keys}
    topics = {key.id: key.topic for key in keys.values()}
    reserved: dict[str, Tombstones] = {}
    for namespace in schema.namespaces:
        for one in namespace.reserved:
            before = reserved.get(topics[one.key], Tombstones())
            reserved[topics[one.key]] = Tombstones(
                before.tags | set(one.tags), before.names | set(one.names), before.span or one.span
            )
    return Catalogue(
        events={(topics[event.key], event.tag): event for namespace in schema.namespaces for event in namespace.events},
        keys=keys,
        types={model.id: model for namespace in schema.namespaces for model in _types(namespace)},
        reserved=reserved,
    )
