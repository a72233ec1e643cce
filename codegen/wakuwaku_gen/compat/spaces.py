"""What a scalar writes and what a scalar reads, as plain values of the wire.

A value of the wire is a bool, int, float, str, bytes or (for the timestamp extension) an aware datetime. `takes` tells
whether a type reads one. `writes` returns those that decide whether one type reads all that another writes: the ends of
every range, values just beyond, the neighbours of every step. Between two such values nothing changes, so a reader that
takes all of them takes everything; patterns alone escape that, and `undecided` tells when.

The facts are msgspec's, in its strict mode; the tests measure them again.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Final, Literal, TypeAlias, assert_never
from uuid import UUID

import msgspec

from wakuwaku_gen.compat.catalogue import Catalogue
from wakuwaku_gen.compat.texts import LONGEST, lengths, texts
from wakuwaku_gen.model.constraints import UNCONSTRAINED, bounds, violated
from wakuwaku_gen.model.schema import Constraints
from wakuwaku_gen.model.types import (
    BoolType,
    BytesType,
    DateTimeType,
    DateType,
    DecimalType,
    EnumRef,
    FloatType,
    IntType,
    StrType,
    TimeDeltaType,
    TimeType,
    UuidType,
)

__all__ = ["SCALARS", "Plain", "Refusal", "Scalar", "rewritten", "takes", "undecided", "whole_ends", "writes"]

Scalar: TypeAlias = (
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
    | EnumRef
)
#: The classes of scalars, for `isinstance`.
SCALARS: Final = (
    BoolType,
    IntType,
    FloatType,
    StrType,
    BytesType,
    UuidType,
    DecimalType,
    DateTimeType,
    DateType,
    TimeType,
    TimeDeltaType,
    EnumRef,
)
#: A value as it stands on the wire.
Plain: TypeAlias = bool | int | float | str | bytes | dt.datetime
#: Why a reader refuses a value: it is of another kind, no member of an enum, not of the form a text has to have, or
#: outside of a constraint.
Refusal: TypeAlias = Literal["kind", "member", "form", "range", "step", "length", "pattern"]

#: Integers MessagePack can hold.
_LEAST, _MOST = -(2**63), 2**64 - 1
#: Beyond this a float does not hold every integer.
_EXACT: Final = 2**53
#: Neighbours among which there is one that a float does not hold, or that is no multiple of another step.
_FEW: Final = 12
#: More integers than most enums have members.
_MANY: Final = 300
#: The texts that kinds without constraints are written as: a plain one, the shortest and the longest.
_FORMS: Final[dict[type, tuple[str, ...]]] = {
    UuidType: ("00000000-0000-0000-0000-000000000000", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    DateTimeType: ("2024-01-31T12:00:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59.000001"),
    DateType: ("2024-01-31", "0001-01-01", "9999-12-31"),
    TimeType: ("00:00:00", "12:30:00", "23:59:59.000001"),
    TimeDeltaType: ("P0D", "PT1S", "-P1DT0.000001S", "P999999999DT86399.999999S"),
}
_INSTANT: Final = dt.datetime(2024, 1, 31, 12, tzinfo=dt.UTC)
_FORMED: Final[dict[type, type[object]]] = {
    UuidType: UUID,
    DateTimeType: dt.datetime,
    DateType: dt.date,
    TimeType: dt.time,
    TimeDeltaType: dt.timedelta,
}
_REASONS: Final[dict[str, Refusal]] = {
    "multiple_of": "step",
    "min_length": "length",
    "max_length": "length",
    "pattern": "pattern",
}


# Reading


def takes(type_: Scalar, limits: Constraints, held: Catalogue, value: Plain) -> Refusal | None:  # noqa: C901, PLR0911
    """Return why a type refuses a value of the wire, or None when it reads it; `held` declares the type."""
    match type_:
        case BoolType():
            return None if isinstance(value, bool) else "kind"
        case IntType():
            if isinstance(value, bool) or not isinstance(value, int):
                return "kind"
            least, most = bounds(type_)
            return _broken(value, limits) if least <= value <= most else "range"
        case FloatType():
            if isinstance(value, bool) or not isinstance(value, int | float):
                return "kind"
            return _broken(float(value), limits)
        case StrType():
            return _broken(value, limits) if isinstance(value, str) else "kind"
        case BytesType():
            return _broken(value, limits) if isinstance(value, bytes) else "kind"
        case DecimalType():
            return _takes_decimal(limits, value)
        case EnumRef():
            return _takes_member(type_, held, value)
        case UuidType() | DateTimeType() | DateType() | TimeType() | TimeDeltaType():
            return _takes_form(type_, value)
    assert_never(type_)


def _takes_decimal(limits: Constraints, value: Plain) -> Refusal | None:
    if isinstance(value, bool | bytes | dt.datetime):
        return "kind"
    try:
        number = msgspec.convert(value, Decimal) if isinstance(value, str) else Decimal(repr(value))
    except msgspec.ValidationError:
        return "form"
    if limits == UNCONSTRAINED:
        return None
    return _broken(number, limits) if number.is_finite() else "range"


def _takes_member(type_: EnumRef, held: Catalogue, value: Plain) -> Refusal | None:
    enum = held.enum(type_.target)
    fitting = isinstance(value, str) if enum.base == "str" else isinstance(value, int) and not isinstance(value, bool)
    if not fitting:
        return "kind"
    return None if enum.open or any(member.value == value for member in enum.members) else "member"


def _takes_form(type_: UuidType | DateTimeType | DateType | TimeType | TimeDeltaType, value: Plain) -> Refusal | None:
    if isinstance(value, dt.datetime) and isinstance(type_, DateTimeType):
        return None if type_.aware else "kind"
    if isinstance(value, bytes) and isinstance(type_, UuidType):
        return None if len(value) == 16 else "form"
    if not isinstance(value, str):
        return "kind"
    try:
        made: object = msgspec.convert(value, _FORMED[type(type_)])
    except msgspec.ValidationError:
        return "form"
    zoned = isinstance(made, dt.datetime | dt.time) and made.tzinfo is not None
    return None if zoned == (isinstance(type_, DateTimeType) and type_.aware) else "form"


def _broken(value: float | Decimal | str | bytes, limits: Constraints) -> Refusal | None:
    if limits == UNCONSTRAINED:
        return None
    try:
        broken = violated(value, limits)
    except (ArithmeticError, ValueError):  # no remainder: of an infinite number, or one too large for its step
        return "step"
    return None if broken is None else _REASONS.get(broken.partition(" ")[0], "range")


def rewritten(type_: Scalar, value: Plain) -> Plain:
    """Return what a type that read a value of the wire writes of it."""
    match type_:
        case FloatType():
            return float(value) if isinstance(value, int) else value
        case DecimalType():
            return str(msgspec.convert(value, Decimal) if isinstance(value, str) else Decimal(repr(value)))
        case UuidType() if isinstance(value, bytes):
            return str(UUID(bytes=value))
        case UuidType() | DateType() | TimeType() | TimeDeltaType() if isinstance(value, str):
            text: str = msgspec.to_builtins(msgspec.convert(value, _FORMED[type(type_)]))
            return text
        case _:
            return value


# Writing


def writes(
    type_: Scalar, limits: Constraints, held: Catalogue, against: Constraints, *, members: bool = True
) -> Iterator[Plain]:
    """Return the values of a type that decide whether a reader with the constraints `against` reads all of them.

    Small and plain values come first. `held` declares the type. All of them are values the type itself reads. `members`
    tells whether the reader may be an enum, which takes more values to find one it does not have.
    """
    for value in _critical(type_, limits, held, against, _MANY if members else _FEW):
        if takes(type_, limits, held, value) is None:
            yield rewritten(type_, value)  # as its codec writes it: zeros behind a zero become an exponent


def _critical(  # noqa: C901 - one case per kind
    type_: Scalar, limits: Constraints, held: Catalogue, against: Constraints, count: int
) -> Iterator[Plain]:
    match type_:
        case BoolType():
            yield from (False, True)
        case IntType():
            yield from _integers(bounds(type_), limits, against, count)
        case FloatType():
            yield from (float(point) for point in _points(limits, against, lambda end: Fraction(float(end))))
            yield from (math.nan, math.inf, -math.inf, 1e300, -1e300)
        case DecimalType():
            yield from _decimals(limits, against)
        case StrType():
            yield from texts(limits, against)
        case BytesType():
            yield from map(bytes, (0, *lengths(limits, against), 16))
        case DateTimeType(aware=True):
            yield _INSTANT
        case EnumRef(target):
            enum = held.enum(target)
            yield from (member.value for member in enum.members)
            if enum.open and enum.base == "str":
                yield from texts(UNCONSTRAINED, against)
            elif enum.open:
                yield from _integers((_LEAST, _MOST), UNCONSTRAINED, against, count)
        case UuidType() | DateTimeType() | DateType() | TimeType() | TimeDeltaType():
            yield from _FORMS[type(type_)]
        case _:
            assert_never(type_)


def undecided(writer: Scalar, limits: Constraints, held: Catalogue, against: Constraints) -> bool:
    """Tell whether no number of examples shows that every text a type writes has the pattern a reader asks for."""
    free = isinstance(writer, StrType) or (isinstance(writer, EnumRef) and held.enum(writer.target).open)
    return against.pattern is not None and against.pattern != limits.pattern and free


# Numbers


def whole_ends(type_: IntType, limits: Constraints) -> tuple[int, int]:
    """Return the least and the greatest integer a field may hold, both included."""
    return _narrowed(bounds(type_), limits)


def _narrowed(width: tuple[int, int], limits: Constraints) -> tuple[int, int]:
    least, most = width
    lows = [least, *([math.ceil(limits.ge)] if limits.ge is not None else [])]
    highs = [most, *([math.floor(limits.le)] if limits.le is not None else [])]
    lows += [math.floor(limits.gt) + 1] if limits.gt is not None else []
    highs += [math.ceil(limits.lt) - 1] if limits.lt is not None else []
    return max(lows), min(highs)


def _integers(width: tuple[int, int], limits: Constraints, against: Constraints, count: int) -> Iterator[int]:
    """Return integers: the simplest, those at every end, the first `count` and the last multiples of a step."""
    step = int(limits.multiple_of or 1)
    low, high = _narrowed(width, limits)
    first, last = -(-low // step) * step, high // step * step
    yield from (0, 1, -1, 2, first, first + step, last, last - step)
    ends = [end for of in (limits, against) for end in (of.gt, of.ge, of.lt, of.le) if end is not None]
    edges = [edge for bits in (8, 16, 32, 64) for edge in (-(2 ** (bits - 1)), 2 ** (bits - 1), 2**bits)]
    for end in dict.fromkeys((*map(math.floor, ends), *edges)):
        yield from (end // step * step + times * step for times in (-1, 0, 1, 2))
    yield from (first + times * step for times in range(count))
    if max(abs(first), abs(last)) > _EXACT:  # where a float is not every integer
        yield from (last - times * step for times in range(2, _FEW))


def _points(limits: Constraints, against: Constraints, exact: Callable[[float], Fraction]) -> Iterator[Fraction]:
    """Return numbers near every end and step; `exact` tells what number a constraint is for the type."""
    ends = [exact(end) for of in (limits, against) for end in (of.gt, of.ge, of.lt, of.le) if end is not None]
    steps = [exact(of.multiple_of) for of in (limits, against) if of.multiple_of is not None]
    yield from map(Fraction, ("0", "1", "-1", "0.5", "2", "-0.5"))
    for end in ends:
        yield end
        yield from (end + sign * Fraction(1, 2**power) for power in (0, 10, 30) for sign in (1, -1))
        near = float(end)
        yield from map(Fraction, (math.nextafter(near, math.inf), math.nextafter(near, -math.inf)))
    for step, anchor in itertools.product(steps, (Fraction(0), *ends)):
        base = math.floor(anchor / step)
        yield from ((base + count) * step for count in (0, 1, -1, 2, -2, 3))
        yield from (sign * step * 2**power for power in range(8) for sign in (1, -1))
    for low, high in itertools.permutations(ends, 2):
        yield from (low + (high - low) * Fraction(part, 8) for part in (4, 1, 3, 7) if low < high)


def _decimals(limits: Constraints, against: Constraints) -> Iterator[str]:
    """Return decimals as texts; for a reader of texts, some with more digits than it allows: zeros change no value."""
    points = list(dict.fromkeys(_points(limits, against, lambda end: Fraction(repr(end)))))
    with localcontext(prec=400):
        numbers = [Decimal(point.numerator) / Decimal(point.denominator) for point in points]
    yield from map(str, numbers)
    yield from ("NaN", "Infinity", "-Infinity", "1E+25", "-1E+25")
    if against.max_length is not None and against.max_length < LONGEST:
        for number in numbers:
            plain = f"{number:f}"
            yield f"{plain}{'' if '.' in plain else '.'}{'0' * (against.max_length + 1)}"
