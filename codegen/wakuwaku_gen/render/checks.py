"""Bounds that msgspec can't check, so `__post_init__` does, and decoding refuses what it refuses.

These are the bounds of decimals, and integers beyond 64 bits with a sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from wakuwaku_gen.model.schema import EventModel, FieldModel
from wakuwaku_gen.model.types import DecimalType, FieldType, IntType, OptionalType
from wakuwaku_gen.render.annotations import INT64_MAX, UINT64_MAX, bounds_of
from wakuwaku_gen.render.layout import call, statement
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import identifier, literal

__all__ = ["FieldChecks", "can_outgrow", "field_checks"]

_BODY: Final = 8
#: Of each bound: what refuses a value, and how msgspec words the bounds it checks itself.
_REFUSALS: Final = {
    "gt": ("{value} <= {limit}", "Expected `{kind}` > {shown}"),
    "ge": ("{value} < {limit}", "Expected `{kind}` >= {shown}"),
    "lt": ("{value} >= {limit}", "Expected `{kind}` < {shown}"),
    "le": ("{value} > {limit}", "Expected `{kind}` <= {shown}"),
    "multiple_of": ("{value} % {limit} != 0", "Expected `{kind}` that's a multiple of {shown}"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """Refuse a value: a condition as it stands after `if`, and the statement that raises."""

    condition: str
    refusal: str


@dataclass(frozen=True, slots=True)
class FieldChecks:
    """Fetch a field's value, and refuse it by each of the checks."""

    fetch: str
    checks: Sequence[Check]


def field_checks(fields: Sequence[FieldModel], scope: Scope) -> list[FieldChecks]:
    """Return the checks of those fields that need any, which most do not."""
    checked = [field for field in fields if list(_unchecked(field))]
    return [_checks(field, f"value_{number}", scope) for number, field in enumerate(checked, start=1)]


def _checks(field: FieldModel, value: str, scope: Scope) -> FieldChecks:
    kind = "Decimal" if isinstance(_held(field), DecimalType) else "int"
    given = f"{value} is not None and " if isinstance(field.type, OptionalType) else ""
    checks: list[Check] = []
    if kind == "Decimal":
        # NaN can't be compared and infinity has no remainder, so a bounded field holds finite numbers only.
        message = f"Expected a finite `Decimal` - at `$.{field.wire}`"
        checks.append(Check(f"{given}not {value}.is_finite()", _refusal(message, scope)))
    for name, limit in _unchecked(field):
        refused, wording = _REFUSALS[name]
        number = literal(limit)
        if not isinstance(limit, int):
            number = f"{scope.use('_decimal.Decimal')}({literal(repr(limit))})"
        message = f"{wording.format(kind=kind, shown=limit)} - at `$.{field.wire}`"
        checks.append(Check(given + refused.format(value=value, limit=number), _refusal(message, scope)))
    return FieldChecks(f"{value} = self.{identifier(field.name)}", checks)


def _refusal(message: str, scope: Scope) -> str:
    return statement("raise ", call(scope.use("_builtins.ValueError"), literal(message)), indent=_BODY + 4)


def can_outgrow(event: EventModel) -> bool:
    """Tell whether what two events combine to may break a bound that is checked when an event is made."""
    grow = ("sum", "product", "custom")
    return any(event.combine.get(field.name) in grow and list(_unchecked(field)) for field in event.fields)


def _unchecked(field: FieldModel) -> Iterator[tuple[str, int | float]]:
    held = _held(field)
    limits = field.constraints
    if isinstance(held, DecimalType):
        for name in _REFUSALS:
            limit: int | float | None = getattr(limits, name)
            if limit is not None:
                yield name, limit
    elif isinstance(held, IntType):
        bounds = bounds_of(held, limits)
        if bounds.low > INT64_MAX:
            yield "ge", bounds.low
        if INT64_MAX < bounds.high < UINT64_MAX:
            yield "le", bounds.high
        if limits.multiple_of is not None and limits.multiple_of > INT64_MAX:
            yield "multiple_of", limits.multiple_of


def _held(field: FieldModel) -> FieldType:
    return field.type.item if isinstance(field.type, OptionalType) else field.type
