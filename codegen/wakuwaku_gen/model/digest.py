"""The resolved schema as plain data, and its digest.

Docs count, since generated code holds them. Comments, places, file names and the order of declarations do not; the
order of fields does, since keys hash in it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import TypeAlias, assert_never, cast
from uuid import UUID

from wakuwaku_gen.model.constraints import UNCONSTRAINED
from wakuwaku_gen.model.schema import (
    Constraints,
    EnumModel,
    EventModel,
    FieldModel,
    KeyModel,
    NamespaceModel,
    ReservedModel,
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

__all__ = ["TypeModel", "constraints_data", "digests", "namespace_data", "spell", "value_data"]

TypeModel: TypeAlias = EnumModel | StructModel | UnionModel

_SIMPLE: dict[type, str] = {
    BoolType: "bool",
    FloatType: "float",
    StrType: "str",
    BytesType: "bytes",
    UuidType: "UUID",
    DecimalType: "Decimal",
    DateType: "date",
    TimeType: "time",
    TimeDeltaType: "timedelta",
}


def spell(type_: FieldType) -> str:  # noqa: PLR0911 - one case per kind of type
    """Return a type as the schema language writes it, with full names of declared types."""
    match type_:
        case IntType(bits, signed):
            return f"{'i' if signed else 'u'}{bits}"
        case DateTimeType(aware):
            return "datetime" if aware else "naive_datetime"
        case ListType(item):
            return f"list[{spell(item)}]"
        case SetType(item):
            return f"set[{spell(item)}]"
        case MapType(key, value):
            return f"dict[{spell(key)}, {spell(value)}]"
        case TupleType(items):
            return f"tuple[{', '.join(map(spell, items))}]"
        case OptionalType(item):
            return f"{spell(item)} | None"
        case EnumRef(target) | StructRef(target) | UnionRef(target):
            return str(target)
        case _:
            return _SIMPLE[type(type_)]


def value_data(value: object) -> object:  # noqa: PLR0911 - one case per kind of value
    """Return a default as plain data, ready for JSON."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return {"float": repr(value)}
        case bytes():
            return {"bytes": value.hex()}
        case dt.datetime() | dt.date() | dt.time():
            return {type(value).__name__: value.isoformat()}
        case dt.timedelta():
            return {"timedelta": [value.days, value.seconds, value.microseconds]}
        case Decimal() | UUID():
            return {type(value).__name__: str(value)}
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return {"dict": sorted(([value_data(key), value_data(item)] for key, item in pairs), key=json.dumps)}
        case tuple():
            return [value_data(item) for item in cast("tuple[object, ...]", value)]
        case _:
            raise TypeError(f"a default of type {type(value).__name__}")


def constraints_data(constraints: Constraints) -> dict[str, object]:
    """Return the constraints there are, as plain data."""
    if constraints is UNCONSTRAINED:  # as those of most fields
        return {}
    values = {name: getattr(constraints, name) for name in Constraints.__slots__}
    return {name: value for name, value in values.items() if value is not None}


def _field(field: FieldModel) -> dict[str, object]:
    data: dict[str, object] = {"name": field.name, "type": spell(field.type)}
    if field.wire != field.name:
        data["wire"] = field.wire
    if constraints := constraints_data(field.constraints):
        data["constraints"] = constraints
    if field.has_default:
        data["default"] = value_data(field.default)
    if not field.compare:
        data["compare"] = False
    if field.doc:
        data["doc"] = field.doc
    return data


def _fields(fields: Iterable[FieldModel]) -> list[dict[str, object]]:
    return [_field(field) for field in fields]


def _type(model: TypeModel) -> dict[str, object]:
    match model:
        case EnumModel():
            members = [{"name": member.name, "value": member.value, "doc": member.doc} for member in model.members]
            return {"kind": "enum", "doc": model.doc, "open": model.open, "members": members, **_stability(model)}
        case StructModel():
            fields = _fields(model.fields)
            return {"kind": "struct", "doc": model.doc, "tagged": model.tagged, "fields": fields, **_stability(model)}
        case UnionModel():
            variants = [str(variant) for variant in model.variants]
            return {"kind": "union", "doc": model.doc, "variants": variants, **_stability(model)}
    assert_never(model)


def _stability(model: TypeModel | EventModel) -> dict[str, object]:
    return {"draft": True} if model.draft else {}


def _key(key: KeyModel) -> dict[str, object]:
    return {
        "doc": key.doc,
        "topic": key.topic,
        "hash": key.hash,
        "partitions": key.partitions,
        "fields": _fields(key.fields),
    }


def _event(event: EventModel) -> dict[str, object]:
    return {
        "doc": event.doc,
        "tag": event.tag,
        "key": event.key.name,
        "algebra": event.algebra,
        "ordering": event.ordering,
        "max_batch": event.max_batch,
        "deprecated": event.deprecated,
        "combine": dict(event.combine),
        "fields": _fields(event.fields),
        **_stability(event),
    }


def _reserved(reserved: Iterable[ReservedModel]) -> dict[str, object]:
    tags: dict[str, set[int]] = {}
    names: dict[str, set[str]] = {}
    for one in reserved:
        tags.setdefault(one.key.name, set()).update(one.tags)
        names.setdefault(one.key.name, set()).update(one.names)
    return {key: {"tags": sorted(tags[key]), "names": sorted(names[key])} for key in sorted(tags)}


def namespace_data(namespace: NamespaceModel) -> dict[str, object]:
    """Return a resolved namespace as plain data, ready for JSON; the same for every order of its declarations."""
    return {
        "wakuwaku": 1,
        "namespace": namespace.name,
        "doc": namespace.doc,
        "types": {model.id.name: _type(model) for model in sorted(_types(namespace), key=lambda model: model.id.name)},
        "keys": {key.id.name: _key(key) for key in sorted(namespace.keys, key=lambda key: key.id.name)},
        "events": {event.id.name: _event(event) for event in sorted(namespace.events, key=lambda one: one.id.name)},
        "reserved": _reserved(namespace.reserved),
    }


def _types(namespace: NamespaceModel) -> Iterator[TypeModel]:
    yield from namespace.enums
    yield from namespace.structs
    yield from namespace.unions


def digests(namespaces: Iterable[NamespaceModel]) -> dict[str, str]:
    """Return the digest of each namespace: SHA-256, in hex, of its data and that of all foreign types it reaches."""
    namespaces = tuple(namespaces)
    types = {model.id: model for namespace in namespaces for model in _types(namespace)}
    return {namespace.name: _digest(namespace, types) for namespace in namespaces}


def _digest(namespace: NamespaceModel, types: Mapping[TypeName, TypeModel]) -> str:
    foreign = {name for name in _reached(namespace, types) if name.namespace != namespace.name}
    data = {
        "own": namespace_data(namespace),
        "foreign": {str(name): _type(types[name]) for name in sorted(foreign, key=str)},
    }
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _reached(namespace: NamespaceModel, types: Mapping[TypeName, TypeModel]) -> set[TypeName]:
    owners: list[tuple[FieldModel, ...]] = [key.fields for key in namespace.keys]
    owners += [event.fields for event in namespace.events]
    owners += [struct.fields for struct in namespace.structs]
    pending = [target for fields in owners for field in fields for target in _targets(field.type)]
    pending.extend(variant for union in namespace.unions for variant in union.variants)
    reached: set[TypeName] = set()
    while pending:
        name = pending.pop()
        if name in reached or name not in types:
            continue
        reached.add(name)
        model = types[name]
        if isinstance(model, StructModel):
            pending.extend(target for field in model.fields for target in _targets(field.type))
        elif isinstance(model, UnionModel):
            pending.extend(model.variants)
    return reached


def _targets(type_: FieldType) -> Iterator[TypeName]:
    match type_:
        case EnumRef(target) | StructRef(target) | UnionRef(target):
            yield target
        case ListType(item) | SetType(item) | OptionalType(item):
            yield from _targets(item)
        case MapType(key, value):
            yield from _targets(key)
            yield from _targets(value)
        case TupleType(items):
            for item in items:
                yield from _targets(item)
        case _:
            pass
