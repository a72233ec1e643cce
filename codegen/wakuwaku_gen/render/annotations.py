"""Field types as annotations that msgspec enforces when it decodes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, assert_never

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
from wakuwaku_gen.render.catalog import references
from wakuwaku_gen.render.layout import Code, Either, assignment, call, flat, keyword, subscript
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import literal

__all__ = ["INT64_MAX", "INT64_MIN", "UINT64_MAX", "Annotations", "Bounds", "bounds_of"]

INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1
UINT64_MAX: Final = 2**64 - 1
_NONE: Final = Constraints()


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the greatest integer a field may hold, both included."""

    low: int
    high: int

    def arguments(self) -> list[Code]:
        """Return the arguments for `msgspec.Meta`; the ends of what MessagePack can hold need none.

        It knows bounds within int64 only: for others it gets the nearest of these, and `checks` does the rest.
        """
        least = min(self.low, INT64_MAX)
        low: list[Code] = [keyword("ge", literal(least))] if least > INT64_MIN else []
        high: list[Code] = [keyword("le", literal(self.high))] if self.high <= INT64_MAX else []
        return low + high


def bounds_of(of: IntType, limits: Constraints = _NONE) -> Bounds:
    """Return the range of an integer of its width within the field's own limits."""
    low, high = (-(2 ** (of.bits - 1)), 2 ** (of.bits - 1) - 1) if of.signed else (0, 2**of.bits - 1)
    lows = [low]
    highs = [high]
    if limits.ge is not None:
        lows.append(math.ceil(limits.ge))
    if limits.gt is not None:
        lows.append(math.floor(limits.gt) + 1)
    if limits.le is not None:
        highs.append(math.floor(limits.le))
    if limits.lt is not None:
        highs.append(math.ceil(limits.lt) - 1)
    return Bounds(max(lows), min(highs))


class Annotations:
    """Write annotations for the fields of one module, and the aliases they share."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._aliases: dict[str, str] = {}

    def aliases(self) -> list[str]:
        """Return the definitions of the aliases used so far, by name."""
        return [self._aliases[name] for name in sorted(self._aliases, key=_by_kind_and_width)]

    def annotation(self, of: FieldType, limits: Constraints) -> Code:
        """Return a field's annotation; it is a string when it names what does not exist yet at that line."""
        code = self._code(of, limits)
        late = any(self._scope.is_late(target) for target in references(of))
        return literal(flat(code)) if late else code

    def _code(self, of: FieldType, limits: Constraints) -> Code:  # noqa: C901, PLR0911, PLR0912 - one case per kind
        use = self._scope.use
        match of:
            case BoolType():
                return use("_builtins.bool")
            case IntType():
                return self._integer(of, limits)
            case FloatType():
                return self._annotated(use("_builtins.float"), _numeric(limits))
            case StrType():
                return self._annotated(use("_builtins.str"), _lengths(limits) + _pattern(limits))
            case BytesType():
                return self._annotated(use("_builtins.bytes"), _lengths(limits))
            case UuidType():
                return use("_uuid.UUID")
            case DecimalType():
                return use("_decimal.Decimal")
            case DateTimeType(aware=aware):
                return self._zoned("_AwareDateTime" if aware else "_NaiveDateTime", "_datetime", aware=aware)
            case DateType():
                return use("_date")
            case TimeType():
                return self._zoned("_NaiveTime", "_time", aware=False)
            case TimeDeltaType():
                return use("_timedelta")
            case ListType():
                items = subscript(use("_builtins.tuple"), self._code(of.item, _NONE), "...")
                return self._annotated(items, _lengths(limits))
            case SetType():
                return self._annotated(
                    subscript(use("_builtins.frozenset"), self._code(of.item, _NONE)), _lengths(limits)
                )
            case MapType():
                key, value = self._code(of.key, _NONE), self._code(of.value, _NONE)
                return self._annotated(subscript(use("_abc.Mapping"), key, value), _lengths(limits))
            case TupleType():
                return subscript(use("_builtins.tuple"), *(self._code(item, _NONE) for item in of.items))
            case OptionalType():
                return Either(self._code(of.item, limits))
            case EnumRef() | StructRef() | UnionRef():
                return self._scope.reference(of.target)
            case _:
                assert_never(of)

    def _annotated(self, code: Code, arguments: list[Code]) -> Code:
        if not arguments:
            return code
        meta = call(self._scope.use("_msgspec.Meta"), *arguments)
        return subscript(self._scope.use("_typing.Annotated"), code, meta)

    def _alias(self, name: str, code: Code) -> str:
        if name not in self._aliases:
            self._aliases[name] = assignment(name, self._scope.use("_typing.TypeAlias"), code)
        return name

    def _zoned(self, alias: str, name: str, *, aware: bool) -> str:
        return self._alias(alias, self._annotated(self._scope.use(name), [keyword("tz", literal(aware))]))

    def _integer(self, of: IntType, limits: Constraints) -> Code:
        bounds = bounds_of(of, limits)
        base = self._scope.use("_builtins.int")
        if bounds == bounds_of(of) and limits.multiple_of is None:
            alias = f"_{'I' if of.signed else 'U'}{of.bits}"
            return self._alias(alias, self._annotated(base, bounds.arguments()))
        return self._annotated(base, bounds.arguments() + _multiple(limits))


def _numeric(limits: Constraints) -> list[Code]:
    named = {"gt": limits.gt, "ge": limits.ge, "lt": limits.lt, "le": limits.le}
    bounds: list[Code] = [keyword(name, literal(limit)) for name, limit in named.items() if limit is not None]
    return bounds + _multiple(limits)


def _multiple(limits: Constraints) -> list[Code]:
    step = limits.multiple_of
    if step is None or (isinstance(step, int) and step > INT64_MAX):
        return []
    return [keyword("multiple_of", literal(step))]


def _lengths(limits: Constraints) -> list[Code]:
    named = {"min_length": limits.min_length, "max_length": limits.max_length}
    return [keyword(name, literal(limit)) for name, limit in named.items() if limit is not None]


def _pattern(limits: Constraints) -> list[Code]:
    return [] if limits.pattern is None else [keyword("pattern", literal(limits.pattern))]


def _by_kind_and_width(alias: str) -> tuple[str, int]:
    name = alias.rstrip("0123456789")
    return (name, int(alias[len(name) :] or 0))
