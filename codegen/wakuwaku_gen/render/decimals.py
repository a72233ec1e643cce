"""Bounds of Decimal fields. msgspec can't check them, so `__post_init__` does, and decoding refuses what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wakuwaku_gen.model.schema import FieldModel
from wakuwaku_gen.model.types import DecimalType, OptionalType
from wakuwaku_gen.render.layout import call, statement
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import identifier, literal

__all__ = ["Check", "decimal_checks"]

_BODY: Final = 8
#: Of each bound: what refuses a value, and how msgspec words the bounds it checks itself.
_REFUSALS: Final = {
    "gt": ("{value} <= {limit}", "Expected `Decimal` > {limit}"),
    "ge": ("{value} < {limit}", "Expected `Decimal` >= {limit}"),
    "lt": ("{value} >= {limit}", "Expected `Decimal` < {limit}"),
    "le": ("{value} > {limit}", "Expected `Decimal` <= {limit}"),
    "multiple_of": ("{value} % {limit} != 0", "Expected `Decimal` that's a multiple of {limit}"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """Refuse a value: fetch it, test a condition as it stands after `if`, and raise."""

    fetch: str
    condition: str
    refusal: str


def decimal_checks(field: FieldModel, scope: Scope) -> list[Check]:
    """Return the checks of a field that is a Decimal or an optional one; other fields have none."""
    nullable = isinstance(field.type, OptionalType)
    of = field.type.item if isinstance(field.type, OptionalType) else field.type
    if not isinstance(of, DecimalType):
        return []
    value = f"{identifier(field.name)}_"  # so that it hides no built-in function
    checks: list[Check] = []
    for name, (refused, wording) in _REFUSALS.items():
        limit: int | float | None = getattr(field.constraints, name)
        if limit is None:
            continue
        number = (
            literal(limit) if isinstance(limit, int) else f"{scope.use('_decimal.Decimal')}({literal(repr(limit))})"
        )
        # NaN can't be compared and infinity has no remainder, so a bounded field holds finite numbers only.
        condition = f"not {value}.is_finite() or {refused.format(value=value, limit=number)}"
        message = f"{wording.format(limit=limit)} - at `$.{field.wire}`"
        checks.append(
            Check(
                fetch=f"{value} = self.{field.name}",
                condition=f"{value} is not None and ({condition})" if nullable else condition,
                refusal=statement(
                    "raise ", call(scope.use("_builtins.ValueError"), literal(message)), indent=_BODY + 4
                ),
            )
        )
    return checks
