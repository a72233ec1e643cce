"""Combine rules as the expressions of a `combine` method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from wakuwaku_gen.model.schema import CombineRule, EventModel
from wakuwaku_gen.render.layout import BREAK_AT, Brackets, Code, call, keyword, statement, tuple_of, width
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import identifier

__all__ = ["apart_condition", "combined"]

_OPERATORS: Final = {
    "sum": "+",
    "product": "*",
    "concat": "+",
    "union": "|",
    "intersection": "&",
    "any": "or",
    "all": "and",
}
_BODY: Final = 8


def combined(event: EventModel, scope: Scope) -> str:
    """Return the expression that builds the one event out of `self` and `later`, as it stands after `return`."""
    arguments: list[Code] = []
    for field in event.fields:
        rule = event.combine.get(field.name, "keep")
        arguments.append(keyword(identifier(field.name), _expression(rule, field.name, scope)))
    # Always one argument a line: adding a field then changes one line.
    return "\n".join(
        [
            "self.__class__(",
            *(f"{' ' * _BODY}    {statement('', argument, ',', indent=_BODY + 4)}" for argument in arguments),
            f"{' ' * _BODY})",
        ]
    )


def apart_condition(event: EventModel) -> str:
    """Return the condition under which two events stay apart, as it stands after `if`."""
    same = [field.name for field in event.fields if event.combine.get(field.name, "keep") == "keep"]
    line = " or ".join(f"self.{name} != later.{name}" for name in same)
    if width(f"{' ' * _BODY}if {line}:") <= BREAK_AT:
        return line
    pairs: Sequence[Code] = [f"self.{name} == later.{name}" for name in same]
    return statement("not ", call("all", tuple_of(tuple(pairs))), indent=_BODY)


def _expression(rule: CombineRule, name: str, scope: Scope) -> Code:
    left, right = f"self.{name}", f"later.{name}"
    match rule:
        case "first" | "keep":
            return left
        case "last":
            return right
        case "min" | "max":
            return call(rule, left, right)
        case "merge":
            return Brackets("{", (f"**{left}", f"**{right}"), "}")
        case "sum" | "product" | "concat" | "union" | "intersection" | "any" | "all":
            short = f"{left} {_OPERATORS[rule]} {right}"
            fits = width(f"{' ' * _BODY}    {name}={short},") <= BREAK_AT
            return short if fits else _as_call(rule, left, right, scope)
        case "custom":
            raise ValueError("custom rules are refused before rendering")
        case _:
            assert_never(rule)


def _as_call(rule: CombineRule, left: str, right: str, scope: Scope) -> Code:
    # Of the same meaning as the operator, for names that are too long for one line: calls can be broken.
    match rule:
        case "union" | "intersection":
            return call(f"{left}.{rule}", right)
        case "any" | "all":
            return call(rule, tuple_of((left, right)))
        case "product":
            return call(scope.use("_operator.mul"), left, right)
        case _:
            return call(scope.use("_operator.add"), left, right)
