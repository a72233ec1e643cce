"""Codecs of a version, made while the checker runs: what the generated codecs of that version read and write.

The generator never imports the runtime, so it can't import what it generates. These types have the annotations,
defaults, tags and extra checks of the generated ones; tests hold the two side by side, value by value.
"""

from __future__ import annotations

import datetime as dt
import enum
import itertools
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import ModuleType
from typing import Annotated, Any, Final, Self, Union, cast
from uuid import UUID

import msgspec

from wakuwaku_gen.compat.catalogue import Catalogue, Record, references
from wakuwaku_gen.compat.payload import default_payload
from wakuwaku_gen.compat.spaces import whole_ends
from wakuwaku_gen.model.constraints import UNCONSTRAINED, violated
from wakuwaku_gen.model.schema import Constraints, EnumModel, FieldModel
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

__all__ = ["Codecs", "DecodeError"]

#: What a codec raises for bytes it can't read; arithmetic fails at the remainder of a decimal too large for its step.
DecodeError: Final = (msgspec.DecodeError, ValueError, ArithmeticError, RecursionError)
_INT64: Final = (-(2**63), 2**63 - 1)
_PLAIN: Final[Mapping[type, Any]] = {
    BoolType: bool,
    UuidType: UUID,
    DecimalType: Decimal,
    DateType: dt.date,
    TimeType: Annotated[dt.time, msgspec.Meta(tz=False)],
    TimeDeltaType: dt.timedelta,
}
#: What annotations are made of while the program runs, which no type checker could follow.
_TUPLE: Final[Any] = tuple
_SET: Final[Any] = frozenset
_MAPPING: Final[Any] = Mapping
_UNION: Final[Any] = Union
_numbers = itertools.count()


class Codecs:
    """Read and write the records of one version as its generated code does.

    Sets have no order, so two runs may write one in two ways; with `ordered` it stays in the order it came in.
    """

    def __init__(self, held: Catalogue, *, ordered: bool = False) -> None:
        self._held = held
        self._types: dict[TypeName, Any] = {}
        self._late: dict[str, tuple[FieldType, Constraints]] = {}
        self._module = ModuleType(f"{__name__}_{next(_numbers)}")
        self._decoders: dict[TypeName, msgspec.msgpack.Decoder[Any]] = {}
        self._ordered = ordered
        self._encoder = msgspec.msgpack.Encoder()

    def decode(self, record: Record, data: bytes) -> Any:
        """Read the bytes of a record; raises one of `DecodeError`."""
        return self._decoder(record).decode(data)

    def rewrite(self, record: Record, payload: object) -> bytes:
        """Return what the codec writes of a plain payload; raises one of `DecodeError` when it is none of its own."""
        return self._encoder.encode(self.decode(record, self._encoder.encode(payload)))

    def relay(self, record: Record, data: bytes) -> bytes:
        """Read bytes and write them again, as a consumer does that folds events; raises one of `DecodeError`."""
        return self._encoder.encode(self.decode(record, data))

    def _decoder(self, record: Record) -> msgspec.msgpack.Decoder[Any]:
        decoder = self._decoders.get(record.id)
        if decoder is None:
            name = self._module.__name__
            sys.modules[name] = self._module  # where msgspec looks for the types of fields
            try:
                made = self._struct(record)
                while self._late:
                    late, (type_, limits) = self._late.popitem()
                    setattr(self._module, late, self._annotation(type_, limits))
                decoder = self._decoders[record.id] = msgspec.msgpack.Decoder(made)
            finally:
                del sys.modules[name]
        return decoder

    # types

    def _struct(self, record: Record) -> Any:
        known = self._types.get(record.id)
        if known is not None:
            return known
        fields = [(f"f_{field.name}", self._now_or_late(field), self._option(field)) for field in record.fields]
        check = _checks(record)
        self._types[record.id] = made = msgspec.defstruct(
            record.id.name,
            fields,
            frozen=True,
            kw_only=True,
            tag=record.tag,
            module=self._module.__name__,
            namespace={} if check is None else {"__post_init__": check},
        )
        return made

    def _now_or_late(self, field: FieldModel) -> Any:
        """Return an annotation; a name that gets its meaning later for one of structs, which may not exist yet."""
        if all(isinstance(self._held.types[name], EnumModel) for name in references(field.type)):
            return self._annotation(field.type, field.constraints)
        name = f"late_{next(_numbers)}"
        self._late[name] = (field.type, field.constraints)
        return name

    def _option(self, field: FieldModel) -> Any:
        if not field.has_default:
            return msgspec.field(name=field.wire)
        plain = self._encoder.encode(default_payload(self._held, field.type, field.default))

        def make() -> Any:
            return msgspec.msgpack.decode(plain, type=self._annotation(field.type, UNCONSTRAINED))

        return msgspec.field(name=field.wire, default_factory=make)

    def _enum(self, model: EnumModel) -> Any:
        known = self._types.get(model.id)
        if known is None:
            members = {f"m_{member.name}": member.value for member in model.members}
            known = self._types[model.id] = _BASES[model.base, model.open](model.id.name, members)
        return known

    def _annotation(self, of: FieldType, limits: Constraints) -> Any:  # noqa: C901, PLR0911, PLR0912 - one case per kind
        match of:
            case IntType():
                return _annotated(int, **_integer(of, limits))
            case FloatType():
                return _annotated(float, **_given(limits, "gt", "ge", "lt", "le", "multiple_of"))
            case StrType():
                return _annotated(str, **_given(limits, "min_length", "max_length", "pattern"))
            case BytesType():
                return _annotated(bytes, **_given(limits, "min_length", "max_length"))
            case DateTimeType(aware=aware):
                return Annotated[dt.datetime, msgspec.Meta(tz=aware)]
            case SetType(item) if not self._ordered:
                return _annotated(
                    _SET[self._annotation(item, UNCONSTRAINED)], **_given(limits, "min_length", "max_length")
                )
            case ListType(item) | SetType(item):
                return _annotated(
                    _TUPLE[self._annotation(item, UNCONSTRAINED), ...], **_given(limits, "min_length", "max_length")
                )
            case MapType(key, value):
                inside = (self._annotation(key, UNCONSTRAINED), self._annotation(value, UNCONSTRAINED))
                return _annotated(_MAPPING[inside], **_given(limits, "min_length", "max_length"))
            case TupleType(items):
                return _TUPLE[tuple(self._annotation(item, UNCONSTRAINED) for item in items)]
            case OptionalType(item):
                return self._annotation(item, limits) | None
            case EnumRef(target):
                return self._enum(self._held.enum(target))
            case StructRef() | UnionRef():
                return _UNION[tuple(map(self._struct, self._held.variants(of)))]
            case _:
                return _PLAIN[type(of)]


# Parts of a class


def _kept(cls: Any, base: Any, value: object) -> Any:
    """Keep a value the enum does not know, so that it is sent on unchanged."""
    if not isinstance(value, base):
        return None
    member = base.__new__(cls, value)
    member._name_ = str(value)
    member._value_ = value
    return member


class _OpenStr(enum.StrEnum):
    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cast("Self | None", _kept(cls, str, value))


class _OpenInt(enum.IntEnum):
    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cast("Self | None", _kept(cls, int, value))


_BASES: Final[Mapping[tuple[str, bool], Any]] = {
    ("str", False): enum.StrEnum,
    ("int", False): enum.IntEnum,
    ("str", True): _OpenStr,
    ("int", True): _OpenInt,
}


def _annotated(of: Any, **limits: object) -> Any:
    return Annotated[of, msgspec.Meta(**cast("Any", limits))] if limits else of


def _given(limits: Constraints, *names: str) -> dict[str, object]:
    return {name: value for name in names if (value := getattr(limits, name)) is not None}


def _integer(of: IntType, limits: Constraints) -> dict[str, object]:
    """Return what msgspec can check of an integer: it knows bounds within 64 bits with a sign."""
    least, most = whole_ends(of, limits)
    given: dict[str, object] = {}
    if least > _INT64[0]:
        given["ge"] = min(least, _INT64[1])
    if most <= _INT64[1]:
        given["le"] = most
    if limits.multiple_of is not None and limits.multiple_of <= _INT64[1]:
        given["multiple_of"] = limits.multiple_of
    return given


def _held(type_: FieldType) -> FieldType:
    return type_.item if isinstance(type_, OptionalType) else type_


def _checks(record: Record) -> Callable[[Any], None] | None:
    """Return the check of what msgspec does not: bounds of decimals, and integers beyond 64 bits with a sign."""
    checked = [
        (f"f_{field.name}", field.wire, _held(field.type), field.constraints)
        for field in record.fields
        if isinstance(_held(field.type), DecimalType | IntType) and field.constraints != UNCONSTRAINED
    ]

    def check(self: Any) -> None:
        for name, wire, type_, limits in checked:
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(type_, DecimalType) and not value.is_finite():
                raise ValueError(f"Expected a finite `Decimal` - at `$.{wire}`")
            broken = violated(value, limits)
            if broken is not None:
                raise ValueError(f"Expected a value with {broken} - at `$.{wire}`")

    return check if checked else None
