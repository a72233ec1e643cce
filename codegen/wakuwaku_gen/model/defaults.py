"""Turn defaults as they are written into values of the field's type."""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import math
import re
import uuid
from collections.abc import Mapping
from decimal import Decimal
from typing import Final, assert_never

from wakuwaku_gen.diagnostics import Diagnostics, Span, did_you_mean
from wakuwaku_gen.load.nodes import Array, Node, Plain, Scalar, Table, describe
from wakuwaku_gen.model.constraints import UNCONSTRAINED, bounds, violated
from wakuwaku_gen.model.fields import FieldDraft
from wakuwaku_gen.model.schema import Constraints, EnumModel, FieldModel, Value
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

__all__ = ["Defaults"]

_DECIMAL: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DURATION: Final = re.compile(
    r"(-?)P(?=[0-9T])(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]{1,6})?)S)?)?"
)


class _UnfitError(Exception):
    """Say that a value does not fit, and where."""

    def __init__(self, span: Span, message: str, help_: str | None = None, rule: str = "WK301") -> None:
        super().__init__(message)
        self.span, self.message, self.help, self.rule = span, message, help_, rule


class Defaults:
    """Finish fields: check their defaults against type and constraints, and build the values."""

    def __init__(
        self,
        enums: Mapping[TypeName, EnumModel],
        structs: Mapping[TypeName, tuple[FieldDraft, ...]],
        diagnostics: Diagnostics,
    ) -> None:
        self._enums = enums
        self._structs = structs
        self._diagnostics = diagnostics

    def finish(self, draft: FieldDraft) -> FieldModel:
        """Return the field with its default; one that does not fit is reported."""
        value: Value = None
        if draft.default is not None:
            try:
                value = self._checked(draft.default, draft.type, draft.constraints)
            except _UnfitError as error:
                self._diagnostics.error(error.rule, error.span, error.message, error.help)
        return FieldModel(
            name=draft.name,
            wire=draft.wire,
            type=draft.type,
            constraints=draft.constraints,
            has_default=draft.optional,
            default=value,
            compare=draft.compare,
            doc=draft.doc,
            span=draft.span,
        )

    def _checked(self, node: Node, type_: FieldType, constraints: Constraints) -> Value:
        value = self._value(node, type_)
        broken = None if constraints is UNCONSTRAINED else violated(value, constraints)
        if broken is not None:
            raise _UnfitError(node.span, f"the default breaks the field's own {broken}", None, "WK302")
        return value

    def _value(self, node: Node, type_: FieldType) -> Value:  # noqa: PLR0911 - one case per kind of type
        match type_:
            case OptionalType(item):
                return self._value(node, item)
            case ListType(item):
                return tuple(self._value(child, item) for child in _items(node))
            case SetType(item):
                return self._set(node, item)
            case TupleType(types):
                items = _items(node)
                if len(items) != len(types):
                    raise _UnfitError(node.span, f"the tuple holds {len(types)} values, not {len(items)}")
                return tuple(self._value(child, item) for child, item in zip(items, types, strict=True))
            case MapType(key, item):
                return self._map(node, key, item)
            case EnumRef(target):
                return self._member(node, target)
            case StructRef(target):
                return self._struct(node, target)
            case UnionRef():
                message = "a union has no default"
                raise _UnfitError(node.span, message, "make the field nullable: `T | None`")
            case _:
                return _scalar(node, type_)

    def _set(self, node: Node, item: FieldType) -> Value:
        values: list[Value] = []
        for child in _items(node):
            value = self._value(child, item)
            if value in values:
                raise _UnfitError(child.span, "the set holds this value already", "remove it")
            values.append(value)
        return tuple(values)

    def _map(self, node: Node, key: FieldType, item: FieldType) -> Value:
        if not isinstance(node, Table):
            raise _UnfitError(node.span, f"expected a table, found {describe(node)}")
        values: dict[object, Value] = {}
        for name, child in node.entries.items():
            at: Plain = int(name) if isinstance(key, IntType) and re.fullmatch("-?[0-9]{1,20}", name) else name
            made = self._value(Scalar(at, child.key, child.key), key)
            if made in values:
                raise _UnfitError(child.key, "the dict has this key already", "remove it")
            values[made] = self._value(child, item)
        return values

    def _member(self, node: Node, target: TypeName) -> Value:
        enum = self._enums.get(target)
        if enum is None or not enum.members:
            return None  # reported where it is declared
        by_name = {member.name: member.value for member in enum.members}
        name = node.value if isinstance(node, Scalar) else None
        if isinstance(name, str) and name in by_name:
            return by_name[name]
        meant = [member.name for member in enum.members if member.value == name]
        help_ = f"name the member: {meant[0]!r}" if meant else did_you_mean(str(name), by_name)
        message = f"{name!r} is no member of {target.name}" if isinstance(node, Scalar) else None
        raise _UnfitError(node.span, message or f"expected a member of {target.name}, found {describe(node)}", help_)

    def _struct(self, node: Node, target: TypeName) -> Value:
        if not isinstance(node, Table):
            raise _UnfitError(node.span, f"expected a table with the fields of {target.name}, found {describe(node)}")
        drafts = {draft.name: draft for draft in self._structs.get(target, ())}
        for name, child in node.entries.items():
            if name not in drafts:
                raise _UnfitError(child.key, f"{target.name} has no field {name!r}", did_you_mean(name, drafts))
        missing = [draft.name for draft in drafts.values() if not draft.optional and draft.name not in node.entries]
        if missing:
            raise _UnfitError(node.span, f"{target.name} needs {', '.join(map(repr, missing))}")
        return {
            name: self._checked(child, drafts[name].type, drafts[name].constraints)
            for name, child in node.entries.items()
        }


def _items(node: Node) -> list[Node]:
    if not isinstance(node, Array):
        raise _UnfitError(node.span, f"expected an array, found {describe(node)}")
    return node.items


_Atom = (
    BoolType
    | IntType
    | FloatType
    | StrType
    | BytesType
    | UuidType
    | DecimalType
    | DateTimeType
    | DateType
    | TimeType
    | TimeDeltaType
)


def _scalar(node: Node, type_: _Atom) -> Value:  # noqa: C901, PLR0911, PLR0912 - one case per scalar
    value = node.value if isinstance(node, Scalar) else None
    match type_, value:
        case BoolType(), bool():
            return value
        case IntType(), int() if not isinstance(value, bool):
            low, high = bounds(type_)
            if not low <= value <= high:
                raise _UnfitError(node.span, f"{value} is out of range", f"it is {low} to {high}")
            return value
        case FloatType(), int() | float() if not isinstance(value, bool):
            return _float(value, node.span)
        case StrType(), str():
            return value
        case BytesType(), str():
            return _bytes(value, node.span)
        case UuidType(), str() if _UUID.fullmatch(value):
            return uuid.UUID(value)
        case DecimalType(), str() if _DECIMAL.fullmatch(value):
            return Decimal(value)
        case DecimalType(), int() if not isinstance(value, bool):
            return Decimal(value)
        case DateTimeType(aware=True), dt.datetime() if value.tzinfo is not None:
            return _utc(value, node.span)
        case DateTimeType(aware=False), dt.datetime() if value.tzinfo is None:
            return value
        case DateType(), dt.date() if not isinstance(value, dt.datetime):
            return value
        case TimeType(), dt.time():
            return value
        case TimeDeltaType(), str() if _DURATION.fullmatch(value):
            return _duration(value, node.span)
        case _:
            expected, help_ = _expected(type_)
            found = describe(node) if expected.split(" of ")[0] != describe(node) else repr(value)
            raise _UnfitError(node.span, f"expected {expected}, found {found}", help_)


def _float(value: float, span: Span) -> float:
    try:
        made = float(value)
    except OverflowError:
        made = math.inf
    if not math.isfinite(made):
        raise _UnfitError(span, "a default is a finite number")
    return made


def _bytes(value: str, span: Span) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise _UnfitError(span, "bytes are written as base64", 'such as "aGVsbG8="') from None


def _utc(value: dt.datetime, span: Span) -> dt.datetime:
    try:
        return value.astimezone(dt.UTC)
    except OverflowError:
        raise _UnfitError(span, "the instant does not exist in UTC between the years 1 and 9999") from None


def _duration(value: str, span: Span) -> dt.timedelta:
    match_ = _DURATION.fullmatch(value)
    sign, days, hours, minutes, seconds = match_.groups(default="0") if match_ else ("", "0", "0", "0", "0")
    whole, _, fraction = seconds.partition(".")
    try:
        made = dt.timedelta(int(days), int(whole), int(fraction.ljust(6, "0")), 0, int(minutes), int(hours))
    except (OverflowError, ValueError):
        raise _UnfitError(span, "the span of time is too long") from None
    return -made if sign == "-" else made


def _expected(type_: _Atom) -> tuple[str, str | None]:  # noqa: C901, PLR0911 - one answer per scalar
    match type_:
        case BoolType():
            return "a boolean", None
        case IntType():
            return "an integer", None
        case FloatType():
            return "a float", None
        case StrType():
            return "a string", None
        case BytesType():
            return "a string of base64", None
        case UuidType():
            return "a string of a UUID", 'such as "6ba7b810-9dad-11d1-80b4-00c04fd430c8"'
        case DecimalType():
            return "a string of a decimal number", 'write it in quotes, such as "9.99", so that it stays exact'
        case DateTimeType(aware=True):
            return "a date and time with an offset", "such as 2024-01-31T12:00:00Z, without quotes"
        case DateTimeType():
            return "a date and time without an offset", "such as 2024-01-31T12:00:00, without quotes"
        case DateType():
            return "a date", "such as 2024-01-31, without quotes"
        case TimeType():
            return "a time", "such as 12:00:00, without quotes"
        case TimeDeltaType():
            return "a string of an ISO 8601 duration", 'such as "P1DT12H" or "PT0.5S"'
    assert_never(type_)
