"""Draw records of a version as plain payloads, from its declarations alone: nothing of the checker decides here."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from wakuwaku_gen.compat.catalogue import TAG_FIELD, Catalogue, Record
from wakuwaku_gen.compat.payload import payload
from wakuwaku_gen.model.constraints import UNCONSTRAINED, bounds, violated
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
    UnionRef,
    UuidType,
)

__all__ = ["records"]

_DEEPEST = 3


def records(held: Catalogue, record: Record, depth: int = 0) -> st.SearchStrategy[Any]:
    """Draw payloads of a record."""
    if depth > _DEEPEST:
        return st.just(payload(held, record))
    fields = {field.wire: values(held, field.type, field.constraints, depth) for field in record.fields}
    tag = {} if record.tag is None else {TAG_FIELD: st.just(record.tag)}
    return st.fixed_dictionaries({**tag, **fields})


def values(held: Catalogue, of: FieldType, limits: Constraints, depth: int) -> st.SearchStrategy[Any]:  # noqa: C901, PLR0911, PLR0912
    """Draw plain values of a type."""
    sizes: dict[str, Any] = {"min_size": limits.min_length or 0, "max_size": limits.max_length}
    least = limits.min_length or 0
    few: dict[str, Any] = {
        "min_size": least,
        "max_size": least
        if depth >= _DEEPEST
        else min(99 if limits.max_length is None else limits.max_length, max(4, least)),
    }
    match of:
        case BoolType():
            return st.booleans()
        case IntType():
            return _integers(of, limits)
        case FloatType():
            return _floats(limits)
        case DecimalType():
            return _decimals(limits)
        case StrType() if limits.pattern is not None:
            return st.from_regex(limits.pattern).filter(lambda one: violated(one, limits) is None)
        case StrType():
            return st.text(**sizes)
        case BytesType():
            return st.binary(**sizes)
        case UuidType():
            return st.uuids().map(str)
        case DateTimeType(aware=True):
            return st.datetimes(timezones=st.just(dt.UTC))
        case DateTimeType():
            return st.datetimes().map(dt.datetime.isoformat)
        case DateType():
            return st.dates().map(dt.date.isoformat)
        case TimeType():
            return st.times().map(dt.time.isoformat)
        case TimeDeltaType():
            return st.timedeltas()
        case EnumRef(target):
            enum = held.enum(target)
            known = st.sampled_from([member.value for member in enum.members])
            free: st.SearchStrategy[Any] = st.text() if enum.base == "str" else st.integers(-(2**63), 2**63 - 1)
            return known | free if enum.open else known
        case ListType(item):
            return st.lists(values(held, item, UNCONSTRAINED, depth + 1), **few)
        case SetType(item):
            return st.lists(values(held, item, UNCONSTRAINED, depth + 1), unique_by=_same, **few)
        case MapType(key, value):
            keys = values(held, key, UNCONSTRAINED, depth + 1)
            return st.dictionaries(keys, values(held, value, UNCONSTRAINED, depth + 1), **few)
        case TupleType(items):
            return st.tuples(*(values(held, item, UNCONSTRAINED, depth) for item in items)).map(list)
        case OptionalType(item):
            return st.none() | values(held, item, limits, depth) if depth < _DEEPEST else st.none()
        case StructRef(target):
            return st.deferred(lambda: records(held, held.record(target), depth + 1))
        case UnionRef():
            choices = held.variants(of)
            return st.deferred(lambda: st.one_of([records(held, one, depth + 1) for one in choices]))


def _same(value: object) -> object:
    """Return what makes two members of a set one after they were decoded."""
    return UUID(value) if isinstance(value, str) and re.fullmatch(r"[0-9a-f-]{36}", value) else value


def _integers(of: IntType, limits: Constraints) -> st.SearchStrategy[int]:
    low, high = bounds(of)
    low = max(low, *(end for end in (limits.ge, None if limits.gt is None else limits.gt + 1) if end is not None), low)  # type: ignore[assignment]
    high = min(
        high, *(end for end in (limits.le, None if limits.lt is None else limits.lt - 1) if end is not None), high
    )  # type: ignore[assignment]
    step = int(limits.multiple_of or 1)
    return st.integers(-(-low // step), high // step).map(lambda one: one * step)


def _reals(limits: Constraints) -> st.SearchStrategy[Fraction]:
    """Draw multiples of the step, or of a fine one, near the bounds."""
    step = Fraction(str(limits.multiple_of)) if limits.multiple_of is not None else Fraction(1, 64)
    ends = [Fraction(str(end)) for end in (limits.gt, limits.ge, limits.lt, limits.le) if end is not None] or [
        Fraction(0)
    ]
    near = st.sampled_from(ends).flatmap(
        lambda end: st.integers(-400, 400).map(lambda count: (int(end / step) + count) * step)
    )
    far = st.integers(-(10**9), 10**9).map(lambda count: count * step)
    return near | far


def _floats(limits: Constraints) -> st.SearchStrategy[float]:
    drawn: st.SearchStrategy[float] = _reals(limits).map(float)
    if limits == UNCONSTRAINED:
        drawn = drawn | st.floats()
    return drawn.filter(lambda one: violated(one, limits) is None if limits != UNCONSTRAINED else True)


def _decimals(limits: Constraints) -> st.SearchStrategy[str]:
    made = _reals(limits).map(lambda one: Decimal(one.numerator) / Decimal(one.denominator))
    if limits == UNCONSTRAINED:
        made = made | st.decimals().filter(lambda one: not one.is_snan())  # which no set can hold
    return made.filter(lambda one: limits == UNCONSTRAINED or violated(one, limits) is None).map(str)
