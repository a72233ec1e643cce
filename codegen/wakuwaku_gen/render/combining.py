"""Combine rules as the body of a `combine` method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from wakuwaku_gen.model.schema import CombineRule, EventModel, FieldModel
from wakuwaku_gen.model.types import EnumRef
from wakuwaku_gen.render.checks import can_outgrow
from wakuwaku_gen.render.layout import BREAK_AT, Brackets, Code, call, item, keyword, statement, tuple_of, width
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import identifier

__all__ = ["Combining", "combiner_loader", "combining", "hook_name"]

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
_STEP: Final = 4


@dataclass(frozen=True, slots=True)
class Combining:
    """Hold a `combine` method: when to stay apart, lines before the event is made, and how it is made of two.

    `guarded` tells that two events also stay apart when the one they make would break its own bounds.
    """

    apart: str
    before: Sequence[str]
    made: str
    guarded: bool


def combining(event: EventModel, scope: Scope) -> Combining:
    """Return the `combine` method of an associative event."""
    guarded = can_outgrow(event)
    indent = _BODY + _STEP if guarded else _BODY
    if guarded:
        scope.use("_contextlib.suppress")
        scope.use("_builtins.ValueError")
    before: list[str] = []
    if event.custom:
        before.append(f"rules = {combiner_loader(event)}()")
        before += (
            statement(f"made_{number} = ", call(f"rules.{hook_name(field.name)}", "self", "later"), indent=_BODY)
            for number, field in enumerate(event.custom, start=1)
        )
    apart, made = _apart(event, scope), _made(event, scope, indent)
    if "later" not in f"{apart}{before}{made}":
        before.append("del later  # it can't differ in anything that counts")
    return Combining(apart, before, made, guarded)


def combiner_loader(event: EventModel) -> str:
    """Return the name of the function of events.py that returns an event's combiner."""
    return f"_{identifier(event.names.combiner_module)}"


def hook_name(field: str) -> str:
    """Return the name of the method that combines a field by hand."""
    return f"combine_{identifier(field)}"


def _made(event: EventModel, scope: Scope, indent: int) -> str:
    by_hand = {field.name: f"made_{number}" for number, field in enumerate(event.custom, start=1)}
    arguments: list[Code] = []
    for field in event.fields:
        rule = event.combine.get(field.name, "keep")
        value = by_hand.get(field.name)
        arguments.append(keyword(identifier(field.name), value or _expression(rule, field.name, scope, indent)))
    # Always one argument a line: adding a field then changes one line.
    pad = " " * indent
    lines = (f"{pad}    {item(argument, indent=indent + _STEP)}" for argument in arguments)
    return "\n".join(["self.__class__(", *lines, f"{pad})"])


def _apart(event: EventModel, scope: Scope) -> str:
    kept = [field for field in event.fields if event.combine.get(field.name, "keep") == "keep"]
    same = [name for field in kept if (name := _compared(field, scope)) is not None]
    line = " or ".join(f"self.{name} != later.{name}" for name in same)
    if width(f"{' ' * _BODY}if {line}:") <= BREAK_AT:
        return line
    pairs = [_equal(f"self.{name}", f"later.{name}", scope) for name in same]
    return statement("not ", call("all", tuple_of(tuple(pairs))), indent=_BODY)


def _compared(field: FieldModel, scope: Scope) -> str | None:
    """Return what of a field to compare; None when it can't differ, which type checkers would point out."""
    enum = scope.catalog.enums[field.type.target] if isinstance(field.type, EnumRef) else None
    if enum is None or len(enum.members) > 1:
        return identifier(field.name)
    return f"{identifier(field.name)}.value" if enum.open else None


def _equal(left: str, right: str, scope: Scope) -> Code:
    short = f"{left} == {right}"
    fits = width(f"{' ' * (_BODY + 2 * _STEP)}{short},") <= BREAK_AT
    return short if fits else call(scope.use("_operator.eq"), left, right)


def _expression(rule: CombineRule, name: str, scope: Scope, indent: int) -> Code:
    left, right = f"self.{name}", f"later.{name}"
    match rule:
        case "first" | "keep" | "custom":  # what is combined by hand never gets here
            return left
        case "last":
            return right
        case "min" | "max":
            return call(rule, left, right)
        case "merge":
            return Brackets("{", (f"**{left}", f"**{right}"), "}")
        case "sum" | "product" | "concat" | "union" | "intersection" | "any" | "all":
            short = f"{left} {_OPERATORS[rule]} {right}"
            fits = width(f"{' ' * indent}    {name}={short},") <= BREAK_AT
            return short if fits else _as_call(rule, left, right, scope)
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
