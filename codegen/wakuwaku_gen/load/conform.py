"""Check a raw table against the language's table of keys.

What does not conform is reported and replaced by `Broken`, so that the stages behind meet only what the table promises.
"""

from __future__ import annotations

from typing import assert_never

from wakuwaku_gen.diagnostics import Diagnostics, did_you_mean
from wakuwaku_gen.load.language import (
    ROOT,
    Anything,
    Flag,
    Integer,
    Named,
    Number,
    OneOf,
    Record,
    Sequence,
    Shape,
    Text,
)
from wakuwaku_gen.load.nodes import Array, Broken, Node, Scalar, Table, describe

__all__ = ["conform"]


def conform(root: Table, diagnostics: Diagnostics) -> bool:
    """Check a schema file; return False when it is in another version of the language, of which nothing is known."""
    version = root.entries.get("wakuwaku")
    if isinstance(version, Scalar) and type(version.value) is int and version.value != 1:
        message = f"language version {version.value} is not known; this generator knows version 1"
        diagnostics.error("WK013", version.span, message, "write `wakuwaku = 1`, or update the generator")
        return False
    _Conform(diagnostics).record(root, ROOT)
    return True


class _Conform:
    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics

    def record(self, table: Table, record: Record) -> None:
        keys = {key.name: key for key in record.keys}
        for name, node in table.entries.items():
            key = keys.get(name)
            if key is None:
                help_ = did_you_mean(name, keys) or _belongs(name) or f"{record.name} has {', '.join(keys)}"
                self._diagnostics.error("WK010", node.key, f"unknown key {name!r} in {record.name}", help_)
            else:
                table.entries[name] = self.node(node, key.shape)
        for key in record.keys:
            if key.required and key.name not in table.entries:
                message = f"{record.name} needs the key {key.name!r}"
                self._diagnostics.error("WK012", table.span, message, f"{key.name}: {key.doc}")

    def node(self, node: Node, shape: Shape) -> Node:
        """Return the node, or what stands for it when it has the wrong kind or value."""
        fitting = next((one for one in _choices(shape) if _fits(node, one)), None)
        if fitting is None:
            return self._broken("WK011", node, f"expected {_expected(shape)}, found {describe(node)}")
        shape = fitting
        if isinstance(node, Scalar):
            return self.scalar(node, shape)
        match node, shape:
            case Table(), Record():
                self.record(node, shape)
            case Table(entries), Named(item=item):
                for name, child in entries.items():
                    entries[name] = self.node(child, item)
            case Array(items), Sequence(item=item):
                node.items = [self.node(child, item) for child in items]
            case _:
                pass
        return node

    def scalar(self, node: Scalar, shape: Shape) -> Node:
        match node.value, shape:
            case str(value), Text(choices) if choices and value not in choices:
                help_ = did_you_mean(value, choices) or f"it is one of {', '.join(choices)}"
                return self._broken("WK014", node, f"unknown value {value!r}", help_)
            case int(value), Integer(low, high) if not _within(value, low, high):
                return self._broken("WK015", node, f"{value} is out of range", f"it is {_range(low, high)}")
            case _:
                return node

    def _broken(self, rule: str, node: Node, message: str, help_: str | None = None) -> Broken:
        self._diagnostics.error(rule, node.span, message, help_)
        return Broken(node.span, node.key)


def _choices(shape: Shape) -> tuple[Shape, ...]:
    return shape.shapes if isinstance(shape, OneOf) else (shape,)


def _fits(node: Node, shape: Shape) -> bool:  # noqa: PLR0911 - one answer per kind of shape
    value = node.value if isinstance(node, Scalar) else None
    match shape:
        case Text():
            return isinstance(value, str)
        case Integer():
            return type(value) is int
        case Number():
            return type(value) in {int, float}
        case Flag():
            return isinstance(value, bool)
        case Anything():
            return True
        case Sequence():
            return isinstance(node, Array)
        case Record() | Named():
            return isinstance(node, Table)
        case OneOf(shapes):
            return any(_fits(node, one) for one in shapes)
    assert_never(shape)


def _expected(shape: Shape) -> str:  # noqa: PLR0911 - one answer per kind of shape
    match shape:
        case Text():
            return "a string"
        case Integer():
            return "an integer"
        case Number():
            return "a number"
        case Flag():
            return "true or false"
        case Anything():
            return "a value"
        case Sequence(item):
            return f"an array with {_expected(item)} in each place"
        case Record(name):
            return f"a table ({name})"
        case Named(what):
            return f"a table with the name of {what} before each `=`"
        case OneOf(shapes):
            return " or ".join(_expected(one) for one in shapes)
    assert_never(shape)


def _within(value: int, low: int | None, high: int | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _range(low: int | None, high: int | None) -> str:
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if low is None else f"{low} to {high}"


def _records(shape: Shape) -> list[Record]:
    match shape:
        case Record(keys=keys):
            return [shape, *(record for key in keys for record in _records(key.shape))]
        case Named(item=item) | Sequence(item=item):
            return _records(item)
        case OneOf(shapes):
            return [record for one in shapes for record in _records(one)]
        case _:
            return []


def _belongs(name: str) -> str | None:
    """Return the help line for a key that stands in the wrong table."""
    owners = [record.name for record in _records(ROOT) if name in {key.name for key in record.keys}]
    return f"{name!r} belongs to {' or '.join(dict.fromkeys(owners))}" if owners else None
