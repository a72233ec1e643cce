"""Read constraints, and check values against them."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sized
from decimal import Decimal
from typing import Any, Final, TypeAlias, cast

from wakuwaku_gen.diagnostics import Diagnostics, Note
from wakuwaku_gen.load.language import CONSTRAINTS
from wakuwaku_gen.load.nodes import Node, Scalar, Table
from wakuwaku_gen.model.schema import Constraints
from wakuwaku_gen.model.types import (
    BytesType,
    DecimalType,
    FieldType,
    FloatType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StrType,
)

__all__ = ["UNCONSTRAINED", "bounds", "read_constraints", "violated"]

UNCONSTRAINED: Final = Constraints()
_NAMES: Final = tuple(key.name for key in CONSTRAINTS)
_LENGTHS: Final = frozenset({"min_length", "max_length"})
_INT64: Final = (-(2**63), 2**63 - 1)
_Number: TypeAlias = int | float | Decimal


def bounds(type_: IntType) -> tuple[int, int]:
    """Return the least and the greatest integer of a width."""
    return (-(2 ** (type_.bits - 1)), 2 ** (type_.bits - 1) - 1) if type_.signed else (0, 2**type_.bits - 1)


def read_constraints(table: Table, type_: FieldType, diagnostics: Diagnostics) -> Constraints:
    """Return a field's constraints; those that do not fit its type, or each other, are reported and left out."""
    held = type_.item if isinstance(type_, OptionalType) else type_
    values: dict[str, Any] = {
        name: node.value
        for name in _NAMES
        if isinstance(node := table.entries.get(name), Scalar) and _sound(name, node, held, diagnostics)
    }
    if not values:
        return UNCONSTRAINED
    constraints = Constraints(**values)
    return constraints if _consistent(table, constraints, held, diagnostics) else UNCONSTRAINED


def _sound(name: str, node: Scalar, held: FieldType, diagnostics: Diagnostics) -> bool:
    fitting = _fitting(name)
    if not isinstance(held, fitting):
        what = "numbers" if IntType in fitting else "texts" if len(fitting) == 1 else "texts, bytes and collections"
        diagnostics.error("WK303", node.key, f"{name!r} restricts {what}, which this field is not", "remove it")
        return False
    problem = _pattern_problem(str(node.value)) if name == "pattern" else None
    if name not in _LENGTHS and name != "pattern":
        problem = _number_problem(name, cast("int | float", node.value), held)
    if problem is not None:
        diagnostics.error("WK304", node.span, problem)
    return problem is None


def _fitting(name: str) -> tuple[type, ...]:
    if name == "pattern":
        return (StrType,)
    if name in _LENGTHS:
        return (StrType, BytesType, ListType, SetType, MapType)
    return (IntType, FloatType, DecimalType)


def _number_problem(name: str, value: float, held: FieldType) -> str | None:
    whole = isinstance(value, int)
    least, most = bounds(held) if isinstance(held, IntType) and held.bits == 64 else _INT64
    if whole and not min(least, _INT64[0]) <= value <= most:
        return f"{name!r} does not fit into 64 bits"
    if not math.isfinite(value):
        return f"{name!r} needs a finite number"
    if not whole and isinstance(held, IntType):
        return f"{name!r} of an integer is an integer"
    return "'multiple_of' needs a number greater than 0" if name == "multiple_of" and value <= 0 else None


def _pattern_problem(pattern: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, FutureWarning, DeprecationWarning, RecursionError, OverflowError) as error:
        return f"not a regular expression: {error}"
    return None


def _consistent(table: Table, constraints: Constraints, held: FieldType, diagnostics: Diagnostics) -> bool:
    """Tell whether some value can obey all constraints; report it otherwise, at the second of the two in conflict."""
    for exclusive, inclusive in (("gt", "ge"), ("lt", "le")):
        if {exclusive, inclusive} <= table.entries.keys():
            return _conflict(table, exclusive, inclusive, "are two bounds on one side", diagnostics)
    low = "gt" if constraints.gt is not None else "ge"
    high = "lt" if constraints.lt is not None else "le"
    least, most = _range(constraints, held)
    if least > most or (least == most and {low, high} & {"gt", "lt"} and not isinstance(held, IntType)):
        return _conflict(table, low, high, "leave no value", diagnostics)
    if constraints.max_length is not None and (constraints.min_length or 0) > constraints.max_length:
        return _conflict(table, "min_length", "max_length", "leave no value", diagnostics)
    return True


def _range(constraints: Constraints, held: FieldType) -> tuple[float, float]:
    """Return the least and the greatest value that the bounds leave; of an integer, within its width."""
    given_low = constraints.ge if constraints.gt is None else constraints.gt
    given_high = constraints.le if constraints.lt is None else constraints.lt
    if not isinstance(held, IntType):
        return -math.inf if given_low is None else given_low, math.inf if given_high is None else given_high
    least, most = bounds(held)
    low = least if given_low is None else given_low + (constraints.gt is not None)
    high = most if given_high is None else given_high - (constraints.lt is not None)
    return max(least, low), min(most, high)


def _conflict(table: Table, one: str, other: str, message: str, diagnostics: Diagnostics) -> bool:
    given: list[Node] = sorted(
        (table.entries[name] for name in (one, other) if name in table.entries), key=lambda node: node.key
    )
    notes = [Note(node.key, "the other one") for node in given[:-1]]
    names = " and ".join(repr(name) for name in (one, other) if name in table.entries)
    if len(given) == 1:
        message = "leaves no value of this type"
    diagnostics.error("WK305", given[-1].key, f"{names} {message}", "change or remove one", notes=notes)
    return False


def violated(value: object, constraints: Constraints) -> str | None:
    """Return the constraint that a value of the field's type breaks, such as `ge = 1`, or None."""
    if isinstance(value, int | float | Decimal):
        return _violated_bound(value, constraints)
    if isinstance(value, Sized):
        if constraints.min_length is not None and len(value) < constraints.min_length:
            return f"min_length = {constraints.min_length}"
        if constraints.max_length is not None and len(value) > constraints.max_length:
            return f"max_length = {constraints.max_length}"
    if isinstance(value, str) and constraints.pattern is not None and not re.search(constraints.pattern, value):
        return f"pattern = {constraints.pattern!r}"
    return None


def _violated_bound(value: _Number, constraints: Constraints) -> str | None:
    if constraints.gt is not None and not value > constraints.gt:
        return f"gt = {constraints.gt}"
    if constraints.ge is not None and not value >= constraints.ge:
        return f"ge = {constraints.ge}"
    if constraints.lt is not None and not value < constraints.lt:
        return f"lt = {constraints.lt}"
    if constraints.le is not None and not value <= constraints.le:
        return f"le = {constraints.le}"
    step = constraints.multiple_of
    if step is not None and _remainder(value, step):
        return f"multiple_of = {step}"
    return None


def _remainder(value: _Number, step: float) -> float | Decimal:
    if isinstance(value, float):  # in the arithmetic of the decoder, where 0.3 is no multiple of 0.1
        return math.fmod(value, step)
    return Decimal(value) % Decimal(str(step))
