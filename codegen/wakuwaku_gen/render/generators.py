"""Hypothesis strategies for field types, as expressions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, assert_never

from wakuwaku_gen.model.names import constant_name
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
from wakuwaku_gen.render.annotations import bounds_of
from wakuwaku_gen.render.catalog import references
from wakuwaku_gen.render.layout import Code, call, keyword
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import literal

__all__ = ["Generators"]

_NONE: Final = Constraints()
#: How far values go that nothing bounds: far enough for tests, near enough that a few of them add up exactly.
_FAR: Final = 10**15
#: How many multiples of a step are tried.
_COUNTS: Final = 1000


class Generators:
    """Write strategies for the fields of one module, and note which of the module's own functions they need."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.needed: set[str] = set()

    def declared(self, target: TypeName) -> Code:
        """Return the strategy of a declared type; one that does not exist yet is looked up when it is used."""
        name = self._scope.reference(target, "strategies", constant_name(target.name))
        if not self._scope.is_late(target):
            return name
        module, _, constant = name.rpartition(".")
        return call(self.need("_later"), f"vars({module})" if module else "globals()", literal(constant))

    def need(self, helper: str) -> str:
        """Note that the module needs a function of its own, and return its name."""
        self.needed.add(helper)
        return helper

    def field(self, of: FieldType, limits: Constraints, owner: TypeName) -> Code:
        """Return the strategy of a field of `owner`; what leads back to the owner is made seldom, so that it ends."""
        code = self._code(of, limits)
        if not any(self._scope.catalog.joins(owner, target) for target in references(of)):
            return code
        match of:
            case OptionalType():
                return call(self.need("_seldom"), self._st("none"), self._code(of.item, limits))
            case ListType() if not limits.min_length:
                return call(self.need("_seldom"), self._st("just", "()"), code)
            case MapType() if not limits.min_length:
                return call(
                    self.need("_seldom"),
                    self._st("dictionaries", self._st("none"), self._st("none"), "max_size=0"),
                    code,
                )
            case _:
                return code

    def _st(self, name: str, *arguments: Code) -> Code:
        return call(self._scope.use(f"_st.{name}"), *arguments)

    def _code(self, of: FieldType, limits: Constraints) -> Code:  # noqa: C901, PLR0911, PLR0912 - one case per kind
        match of:
            case BoolType():
                return self._st("booleans")
            case IntType():
                return self._integers(of, limits)
            case FloatType():
                return self._floats(limits)
            case StrType():
                return self._texts(limits)
            case BytesType():
                return self._st("binary", *_sizes(limits))
            case UuidType():
                return self._st("uuids")
            case DecimalType():
                return self._decimals(limits)
            case DateTimeType(aware=True):
                return self._st("datetimes", keyword("timezones", self._st("just", self._scope.use("_UTC"))))
            case DateTimeType():
                return self._st("datetimes")
            case DateType():
                return self._st("dates")
            case TimeType():
                return self._st("times")
            case TimeDeltaType():
                return call(self.need("_timedeltas"))
            case ListType():
                return call(self.need("_sequences"), self._code(of.item, _NONE), *_sizes(limits))
            case SetType():
                return self._st("frozensets", self._code(of.item, _NONE), *_sizes(limits))
            case MapType():
                key, value = self._code(of.key, _NONE), self._code(of.value, _NONE)
                return self._st("dictionaries", key, value, *_sizes(limits))
            case TupleType():
                return self._st("tuples", *(self._code(item, _NONE) for item in of.items))
            case OptionalType():
                return self._st("one_of", self._st("none"), self._code(of.item, limits))
            case EnumRef() | StructRef() | UnionRef():
                return self.declared(of.target)
            case _:
                assert_never(of)

    def _integers(self, of: IntType, limits: Constraints) -> Code:
        bounds = bounds_of(of, limits)
        if limits.multiple_of is None:
            return self._st("integers", literal(bounds.low), literal(bounds.high))
        step = int(limits.multiple_of)
        least, most = -(-bounds.low // step), bounds.high // step
        return call(self.need("_multiples"), literal(step), literal(least), literal(most))

    def _texts(self, limits: Constraints) -> Code:
        if limits.pattern is None:
            return self._st("text", *_sizes(limits))
        return call(self.need("_matching"), literal(limits.pattern), *_sizes(limits))

    def _floats(self, limits: Constraints) -> Code:
        low = limits.ge if limits.gt is None else limits.gt
        high = limits.le if limits.lt is None else limits.lt
        if limits.multiple_of is not None:
            step = float(limits.multiple_of)
            ends = tuple(None if end is None else Fraction(end) for end in (low, high))
            least, most = _counts(ends, limits, Fraction(step))
            return call(self.need("_steps"), literal(step), literal(least), literal(most))
        bounds: list[Code] = []
        if low is not None:
            bounds.append(keyword("min_value", literal(_inside(low, math.inf))))
            bounds += ["exclude_min=True"] if limits.gt == _inside(low, math.inf) else []
        if high is not None:
            bounds.append(keyword("max_value", literal(_inside(high, -math.inf))))
            bounds += ["exclude_max=True"] if limits.lt == _inside(high, -math.inf) else []
        finite: list[Code] = ["allow_nan=False", "allow_infinity=False"]
        return self._st("floats", *bounds, *finite)

    def _decimals(self, limits: Constraints) -> Code:
        low = limits.ge if limits.gt is None else limits.gt
        high = limits.le if limits.lt is None else limits.lt
        if limits.multiple_of is not None:
            ends = tuple(None if end is None else Fraction(repr(end)) for end in (low, high))
            counts = _counts(ends, limits, Fraction(repr(limits.multiple_of)))
            return call(self.need("_multiples"), self._decimal(limits.multiple_of), *map(literal, counts))
        if low is None:
            low = -_FAR if high is None else min(-_FAR, 2 * high)
        if high is None:
            high = max(_FAR, 2 * low)
        left_out = [self._decimal(limit) for limit in (limits.gt, limits.lt) if limit is not None]
        return call(self.need("_decimals"), self._decimal(low), self._decimal(high), *left_out)

    def _decimal(self, value: float) -> str:
        argument = literal(value) if isinstance(value, int) else literal(repr(value))
        return f"{self._scope.use('_decimal.Decimal')}({argument})"


def _sizes(limits: Constraints) -> list[Code]:
    named = {"min_size": limits.min_length, "max_size": limits.max_length}
    return [keyword(name, literal(limit)) for name, limit in named.items() if limit is not None]


def _inside(bound: float, inwards: float) -> float:
    """Return the float nearest to a bound that does not lie beyond it."""
    nearest = float(bound)
    beyond = nearest < bound if inwards > 0 else nearest > bound
    return math.nextafter(nearest, inwards) if beyond else nearest


def _counts(ends: tuple[Fraction | None, ...], limits: Constraints, step: Fraction) -> tuple[int, int]:
    """Return how often the step fits at least and at most; where nothing bounds it, as often as tests need."""
    low, high = ends
    least = most = None
    if low is not None:
        least = math.ceil(low / step)
        least += limits.gt is not None and least * step == low
    if high is not None:
        most = math.floor(high / step)
        most -= limits.lt is not None and most * step == high
    if least is None:
        least = -_COUNTS if most is None else min(0, most) - _COUNTS
    return least, max(0, least) + _COUNTS if most is None else most
