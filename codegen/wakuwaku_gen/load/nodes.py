"""The values of a TOML file together with their places."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TypeAlias

from wakuwaku_gen.diagnostics import Span

__all__ = ["Array", "Broken", "Node", "Plain", "Scalar", "Table", "describe", "plain", "within"]

#: What a TOML scalar is in Python.
Plain: TypeAlias = str | int | float | bool | dt.datetime | dt.date | dt.time


@dataclass(slots=True)
class Scalar:
    """Hold a string, number, boolean, date or time."""

    value: Plain
    span: Span
    key: Span


@dataclass(slots=True)
class Array:
    """Hold an array, also one of tables written as `[[…]]`."""

    items: list[Node]
    span: Span
    key: Span


@dataclass(slots=True)
class Table:
    """Hold a table in any of its spellings: header, dotted keys, inline.

    `span` is its header or its braces; `key` is the last part of the key that names it. The getters return what the
    language's table of keys promises, or a stand-in when the key is absent or was reported as broken.
    """

    entries: dict[str, Node]
    span: Span
    key: Span

    def text(self, name: str) -> str | None:
        """Return a string, or None."""
        node = self.entries.get(name)
        return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None

    def integer(self, name: str) -> int | None:
        """Return an integer, or None."""
        node = self.entries.get(name)
        return node.value if isinstance(node, Scalar) and type(node.value) is int else None

    def flag(self, name: str) -> bool | None:
        """Return a boolean, or None."""
        node = self.entries.get(name)
        return node.value if isinstance(node, Scalar) and isinstance(node.value, bool) else None

    def table(self, name: str) -> dict[str, Node]:
        """Return the entries of a table, or none."""
        node = self.entries.get(name)
        return node.entries if isinstance(node, Table) else {}

    def array(self, name: str) -> list[Node]:
        """Return the items of an array, or none."""
        node = self.entries.get(name)
        return node.items if isinstance(node, Array) else []

    def place(self, name: str) -> Span:
        """Return the place of a value, or of the table when the key is absent."""
        node = self.entries.get(name)
        return self.span if node is None else node.span


@dataclass(slots=True)
class Broken:
    """Stand for a value that was reported: the key is there, so nobody needs to miss it."""

    span: Span
    key: Span


Node: TypeAlias = Scalar | Array | Table | Broken


def describe(node: Node) -> str:
    """Say what kind of TOML value a node is, with its article."""
    match node:
        case Table():
            return "a table"
        case Array():
            return "an array"
        case Broken():
            return "something broken"
        case Scalar(value):
            return _SCALARS[type(value)]


_SCALARS: dict[type, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    dt.datetime: "a date and time",
    dt.date: "a date",
    dt.time: "a time",
}


def plain(node: Node) -> object:
    """Return the bare TOML value, as tomllib gives it."""
    match node:
        case Table(entries):
            return {name: plain(child) for name, child in entries.items()}
        case Array(items):
            return [plain(item) for item in items]
        case Scalar(value):
            return value
        case Broken():
            return None


def within(node: Scalar, start: int, end: int) -> Span:
    """Return the place of characters `start` to `end` of a string.

    When escapes or line breaks hide how the text maps to the file, that is the place of the whole string.
    """
    span = node.span
    quotes = 1
    if span.end - span.column - 2 * quotes != len(str(node.value)):
        return span
    first = span.column + quotes
    return Span(span.file, span.line, first + start, first + end)
