"""Field types as JSON Schema (draft 7, as AsyncAPI wants it)."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import assert_never, cast
from uuid import UUID

from wakuwaku_gen.model.schema import TAG_FIELD, Constraints, EnumModel, FieldModel, SchemaModel, StructModel
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
from wakuwaku_gen.render.annotations import bounds_of
from wakuwaku_gen.render.catalog import Catalog

__all__ = ["JsonTypes"]

_NONE = Constraints()
_Json = dict[str, object]


class JsonTypes:
    """Write the types of a schema, with references to those that are declared."""

    def __init__(self, schema: SchemaModel) -> None:
        self._catalog = Catalog(schema)

    def declared(self) -> _Json:
        """Return all enums, structs and unions by their full names, sorted."""
        catalog = self._catalog
        made: dict[TypeName, _Json] = {name: self._enum(enum) for name, enum in catalog.enums.items()}
        made |= {name: self._struct(struct) for name, struct in catalog.structs.items()}
        made |= {
            name: _described({"oneOf": [_reference(variant) for variant in union.variants]}, union.doc)
            for name, union in catalog.unions.items()
        }
        return {str(name): made[name] for name in sorted(made, key=str)}

    def record(self, fields: Sequence[FieldModel]) -> _Json:
        """Return an object with these fields, by their names on the wire."""
        required = [field.wire for field in fields if not field.has_default]
        made: _Json = {"type": "object", "properties": {field.wire: self._field(field) for field in fields}}
        return made | ({"required": required} if required else {})

    def _field(self, field: FieldModel) -> _Json:
        made = _described(self._of(field.type, field.constraints), field.doc)
        if field.has_default:
            made = {**made, "default": self._value(field.type, field.default)}
        # In draft 7 nothing counts beside a reference.
        return {"allOf": [{"$ref": made.pop("$ref")}], **made} if "$ref" in made and len(made) > 1 else made

    def _enum(self, enum: EnumModel) -> _Json:
        values = [member.value for member in enum.members]
        kind = "string" if enum.base == "str" else "integer"
        made: _Json = {"type": kind, "examples": values} if enum.open else {"type": kind, "enum": values}
        names = [member.name for member in enum.members]
        return _described({**made, "x-wakuwaku": {"members": names, "open": enum.open}}, enum.doc)

    def _struct(self, struct: StructModel) -> _Json:
        made = self.record(struct.fields)
        if struct.tagged:
            properties = cast("_Json", made["properties"])
            required = cast("list[str]", made.get("required", []))
            made["properties"] = {TAG_FIELD: {"const": struct.id.name}, **properties}
            made["required"] = [TAG_FIELD, *required]
        return _described(made, struct.doc)

    def _of(self, of: FieldType, limits: Constraints = _NONE) -> _Json:  # noqa: C901, PLR0911, PLR0912 - one case per kind
        match of:
            case BoolType():
                return {"type": "boolean"}
            case IntType():
                bounds = bounds_of(of, limits)
                step = {} if limits.multiple_of is None else {"multipleOf": limits.multiple_of}
                return {"type": "integer", "minimum": bounds.low, "maximum": bounds.high, **step}
            case FloatType():
                return {"type": "number", **_bounds(limits)}
            case StrType():
                pattern = {} if limits.pattern is None else {"pattern": limits.pattern}
                return {"type": "string", **_lengths(limits, "Length"), **pattern}
            case BytesType():
                return {"type": "string", "contentEncoding": "base64"}
            case UuidType():
                return {"type": "string", "format": "uuid"}
            case DecimalType():
                named = {f"x-{name}": value for name, value in _bounds(limits).items()}
                return {"type": "string", "format": "decimal", **named}
            case DateTimeType(aware=aware):
                return {"type": "string", "format": "date-time" if aware else "naive-date-time"}
            case DateType():
                return {"type": "string", "format": "date"}
            case TimeType():
                return {"type": "string", "format": "naive-time"}
            case TimeDeltaType():
                return {"type": "string", "format": "duration"}
            case ListType(item):
                return {"type": "array", "items": self._of(item), **_lengths(limits, "Items")}
            case SetType(item):
                return {"type": "array", "items": self._of(item), "uniqueItems": True, **_lengths(limits, "Items")}
            case MapType(key, value):
                names = {"propertyNames": self._of(key)} if isinstance(key, StrType | EnumRef | UuidType) else {}
                values: _Json = {"additionalProperties": self._of(value)}
                return {"type": "object", **values, **names, **_lengths(limits, "Properties")}
            case TupleType(items):
                count = len(items)
                return {"type": "array", "items": list(map(self._of, items)), "minItems": count, "maxItems": count}
            case OptionalType(item):
                return {"oneOf": [self._of(item, limits), {"type": "null"}]}
            case EnumRef(target) | StructRef(target) | UnionRef(target):
                return _reference(target)
            case _:
                assert_never(of)

    def _value(self, of: FieldType, value: object) -> object:  # noqa: PLR0911 - one case per kind of value
        match of, value:
            case OptionalType(item), _ if value is not None:
                return self._value(item, value)
            case ListType(item) | SetType(item), tuple():
                return [self._value(item, one) for one in cast("tuple[object, ...]", value)]
            case TupleType(items), tuple():
                pairs = zip(items, cast("tuple[object, ...]", value), strict=True)
                return [self._value(item, one) for item, one in pairs]
            case MapType(key, item), Mapping():
                entries = cast("Mapping[object, object]", value).items()
                return {str(self._value(key, name)): self._value(item, one) for name, one in entries}
            case StructRef(target), Mapping():
                fields = {field.name: field for field in self._catalog.structs[target].fields}
                given = cast("Mapping[str, object]", value).items()
                return {fields[name].wire: self._value(fields[name].type, one) for name, one in given}
            case _, bytes():
                return base64.b64encode(value).decode()
            case _, dt.datetime() | dt.date() | dt.time():
                return value.isoformat()
            case _, dt.timedelta():
                return _duration(value)
            case _, Decimal() | UUID():
                return str(value)
            case _:
                return value


def _reference(target: TypeName) -> _Json:
    return {"$ref": f"#/components/schemas/{target}"}


def _described(made: _Json, doc: str) -> _Json:
    return {**made, "description": doc} if doc.strip() else made


def _bounds(limits: Constraints) -> dict[str, object]:
    named = {
        "exclusiveMinimum": limits.gt,
        "minimum": limits.ge,
        "exclusiveMaximum": limits.lt,
        "maximum": limits.le,
        "multipleOf": limits.multiple_of,
    }
    return {name: limit for name, limit in named.items() if limit is not None}


def _lengths(limits: Constraints, what: str) -> dict[str, object]:
    named = {f"min{what}": limits.min_length, f"max{what}": limits.max_length}
    return {name: limit for name, limit in named.items() if limit is not None}


def _duration(span: dt.timedelta) -> str:
    sign, span = ("-", -span) if span < dt.timedelta(0) else ("", span)
    seconds = f"{span.seconds}.{span.microseconds:06}".rstrip("0").rstrip(".")
    return f"{sign}P{span.days}DT{seconds}S"
