"""The smallest value a type can have, with one thing planted in it.

Values are plain: maps by wire name, lists, scalars as they stand on the wire. What is written of one is written by the
codec of its type, so a payload that is none of the type's is found out there.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final, TypeAlias, cast
from uuid import UUID

from wakuwaku_gen.compat.breaks import Place, Plant, Planted, Sized, Step
from wakuwaku_gen.compat.catalogue import TAG_FIELD, Catalogue, Record
from wakuwaku_gen.compat.spaces import SCALARS, Plain, Scalar, rewritten, takes, writes
from wakuwaku_gen.model.constraints import UNCONSTRAINED
from wakuwaku_gen.model.schema import Constraints
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

__all__ = ["Payload", "PayloadError", "default_payload", "payload"]

Payload: TypeAlias = object


class PayloadError(Exception):
    """Say that a type has no value with the thing planted where it should be."""


def payload(held: Catalogue, record: Record, place: Place = (), plant: Plant | None = None) -> Payload:
    """Return the smallest payload of a record with something planted at a place; raises `PayloadError`."""
    return _Builder(held).record(record, place, plant)


def default_payload(held: Catalogue, type_: FieldType, value: object) -> Payload:  # noqa: PLR0911 - one case per kind
    """Return the default of a field, which a model holds by names of fields, as a payload."""
    match type_, value:
        case _, None:
            return None
        case OptionalType(item), _:
            return default_payload(held, item, value)
        case ListType(item) | SetType(item), tuple():
            return [default_payload(held, item, one) for one in cast("tuple[object, ...]", value)]
        case TupleType(items), tuple():
            pairs = zip(items, cast("tuple[object, ...]", value), strict=True)
            return [default_payload(held, item, one) for item, one in pairs]
        case MapType(key, item), Mapping():
            entries = cast("Mapping[object, object]", value).items()
            return {_hashed(default_payload(held, key, one)): default_payload(held, item, two) for one, two in entries}
        case StructRef(target), Mapping():
            return _default_record(held, held.record(target), cast("Mapping[str, object]", value))
        case _:
            return value


def _hashed(key: Payload) -> Payload:
    return str(key) if isinstance(key, UUID) else key


def _default_record(held: Catalogue, record: Record, given: Mapping[str, object]) -> dict[str, Payload]:
    made: dict[str, Payload] = {} if record.tag is None else {TAG_FIELD: record.tag}
    for field in record.fields:
        if field.name in given or field.has_default:
            value = given.get(field.name, field.default)
            made[field.wire] = default_payload(held, field.type, value)
    return made


class _Builder:
    def __init__(self, held: Catalogue) -> None:
        self._held = held
        self._inside: list[TypeName] = []  # the structs that are being built, which a smallest value does not repeat

    def record(self, record: Record, place: Place, plant: Plant | None) -> dict[str, Payload]:
        step, rest = (place[0], place[1:]) if place else (None, ())
        made: dict[str, Payload] = {} if record.tag is None else {TAG_FIELD: record.tag}
        names = {field.wire for field in record.fields} | ({TAG_FIELD} if record.tag is not None else set[str]())
        if step is not None and step.kind == "field" and step.name not in names:
            raise PayloadError(f"{record.id} has no field {step.name!r}")
        smallest = not place and plant is None
        if smallest and record.id in self._inside:
            raise PayloadError(f"{record.id} holds itself")
        if smallest:
            self._inside.append(record.id)
        try:
            for field in record.fields:
                if step is not None and step.kind == "field" and step.name == field.wire:
                    made[field.wire] = self.value(field.type, field.constraints, rest, plant)
                else:
                    made[field.wire] = self.smallest(field.type, field.constraints)
        finally:
            if smallest:
                self._inside.pop()
        return made

    def smallest(self, type_: FieldType, limits: Constraints) -> Payload:
        return self.value(type_, limits, (), None)

    def value(  # noqa: PLR0911 - one case per kind
        self, type_: FieldType, limits: Constraints, place: Place, plant: Plant | None
    ) -> Payload:
        if not place and isinstance(plant, Planted):
            return plant.value
        if isinstance(type_, OptionalType):
            return self.value(type_.item, limits, place, plant) if place or plant else None
        if isinstance(type_, SCALARS):
            return self._first(type_, limits)
        size = plant.size if not place and isinstance(plant, Sized) else limits.min_length or 0
        match type_:
            case ListType() | SetType():
                return self._array(type_, size, place, plant)
            case TupleType(items):
                at = place[0].index if place else None
                return [
                    self.value(item, UNCONSTRAINED, *((place[1:], plant) if index == at else ((), None)))
                    for index, item in enumerate(items)
                ]
            case MapType():
                return self._map(type_, size, place, plant)
            case StructRef(target):
                inside = place[1:] if place and place[0].kind == "variant" else place  # a way seen from a union
                return self.record(self._held.record(target), inside, plant)
            case UnionRef():
                return self._union(type_, place, plant)

    def _first(self, type_: Scalar, limits: Constraints) -> Payload:
        value = next(self.scalars(type_, limits), None)
        if value is None:
            raise PayloadError("no value obeys the constraints")
        return value

    def scalars(self, type_: Scalar, limits: Constraints) -> Iterator[Payload]:
        """Return different values of a scalar, simple ones first; texts of one value count as one."""
        seen: set[object] = set()
        more = (_another(type_, number) for number in range(1, 10_000))
        for value in itertools.chain(writes(type_, limits, self._held, UNCONSTRAINED), more):
            if value is None or takes(type_, limits, self._held, value) is not None:
                continue
            same = Decimal(str(value)) if isinstance(type_, DecimalType) else rewritten(type_, value)
            if _equals_itself(same) and same not in seen:
                seen.add(same)
                yield value

    def _array(self, type_: ListType | SetType, size: int, place: Place, plant: Plant | None) -> list[Payload]:
        planted: list[Payload] = []
        at = 0
        if place:
            at = place[0].index
            size = max(size, at + 1)
            planted = [self.value(type_.item, UNCONSTRAINED, place[1:], plant)]
        if isinstance(type_, ListType):
            rest = [self.smallest(type_.item, UNCONSTRAINED) for _ in range(size - len(planted))]
        else:
            rest = self._different(type_.item, size - len(planted), planted)
        return [*rest[:at], *planted, *rest[at:]]

    def _different(self, type_: FieldType, count: int, apart: list[Payload]) -> list[Payload]:
        if count == 0:
            return []
        if not isinstance(type_, SCALARS):
            raise PayloadError("a set or a map has scalars only")
        found = list(itertools.islice((one for one in self.scalars(type_, UNCONSTRAINED) if one not in apart), count))
        if len(found) < count:
            raise PayloadError("there are not so many different values")
        return found

    def _map(self, type_: MapType, size: int, place: Place, plant: Plant | None) -> dict[Payload, Payload]:
        step = place[0] if place else Step("value")
        if place:
            size = max(size, 1)
        given: list[Payload] = []
        if step.kind == "key":
            given = [self.value(type_.key, UNCONSTRAINED, place[1:], plant)]
        elif step.kind == "entry":
            given = [step.name]
        keys = [*given, *self._different(type_.key, size - len(given), given)]
        planted = [self.value(type_.value, UNCONSTRAINED, place[1:], plant)] if place and step.kind != "key" else []
        rest = [self.smallest(type_.value, UNCONSTRAINED) for _ in keys[len(planted) :]]
        return dict(zip(keys, [*planted, *rest], strict=True))

    def _union(self, type_: UnionRef, place: Place, plant: Plant | None) -> Payload:
        choices = self._held.variants(type_)
        if place and place[0].kind == "variant":
            (chosen,) = (record for record in choices if record.id == place[0].variant)
            return self.record(chosen, place[1:], plant)
        for record in choices:
            try:
                return self.record(record, place, plant)
            except PayloadError:
                continue
        raise PayloadError("no variant has a smallest value")


def _equals_itself(value: object) -> bool:
    """Tell whether a value is no NaN, of which there is never one twice."""
    return not (isinstance(value, float | Decimal) and math.isnan(value))


_DAY: Final = dt.datetime(2024, 1, 31, tzinfo=dt.UTC)


def _another(type_: Scalar, number: int) -> Plain | None:  # noqa: C901, PLR0911 - one case per kind
    """Return one of endlessly many values of a kind; None for kinds that have few."""
    match type_:
        case StrType() | EnumRef():
            return f"a{number}"
        case BytesType():
            return number.to_bytes(4, "big")
        case FloatType():
            return float(number)
        case DecimalType():
            return str(number)
        case UuidType():
            return str(UUID(int=number))
        case DateTimeType(aware=True):
            return _DAY + dt.timedelta(seconds=number)
        case DateTimeType():
            return (_DAY + dt.timedelta(seconds=number)).replace(tzinfo=None).isoformat()
        case DateType():
            return (_DAY + dt.timedelta(days=number)).date().isoformat()
        case TimeType():
            return (_DAY + dt.timedelta(seconds=number % 86_400)).time().isoformat()
        case TimeDeltaType():
            return f"PT{number}S"
        case BoolType() | IntType():
            return None
