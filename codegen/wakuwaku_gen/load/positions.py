"""Parse the text of a TOML file into values with places.

tomllib has the values, tree-sitter has the places; one walk over the syntax tree joins them.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, cast

import tree_sitter_toml
from tree_sitter import Language, Parser

from wakuwaku_gen.diagnostics import Span
from wakuwaku_gen.load.nodes import Array, Node, Plain, Scalar, Table

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

__all__ = ["MAX_DEPTH", "Lines", "TooDeepError", "key_parts", "position", "syntax_tree"]

#: How deep tables and arrays may nest; far more than any schema needs, far less than Python's stack.
MAX_DEPTH: Final = 100

_KEYS: Final = frozenset({"bare_key", "quoted_key", "dotted_key"})
_HEADERS: Final = frozenset({"table", "table_array_element"})


class TooDeepError(Exception):
    """Say that values nest deeper than `MAX_DEPTH`; `span` is where."""

    def __init__(self, span: Span) -> None:
        super().__init__(str(span))
        self.span = span


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_toml.language()))


def syntax_tree(data: bytes) -> Syntax:
    """Parse UTF-8 text into a syntax tree; broken text gives a tree with error nodes."""
    return _parser().parse(data).root_node


class Lines:
    """Turn byte positions of a file into places that count characters."""

    def __init__(self, file: PurePosixPath, data: bytes) -> None:
        self.file = file
        self._data = data
        self._starts = [0, *(match.end() for match in re.finditer(b"\n", data))]
        self._ascii = data.isascii()

    def span(self, syntax: Syntax) -> Span:
        """Return the place of a syntax node; of its first line when it has several."""
        return self.between(syntax.start_byte, syntax.end_byte)

    def between(self, start: int, end: int) -> Span:
        """Return the place of bytes `start` to `end` of the file, at most to the end of the first line."""
        row = bisect_right(self._starts, start)
        first = self._starts[row - 1]
        if row < len(self._starts) and end >= self._starts[row]:
            end = len(self._data[first : self._starts[row]].rstrip(b"\r\n")) + first
        if self._ascii:
            column, until = start - first + 1, end - first + 1
        else:
            column, until = self._characters(first, start) + 1, self._characters(first, end) + 1
        return Span(self.file, row, column, until if until > column else column + 1)

    def _characters(self, start: int, end: int) -> int:
        return len(self._data[start:end].decode(errors="replace"))


def key_parts(syntax: Syntax) -> list[tuple[str, Syntax]]:
    """Return the parts of a key, each with its syntax node."""
    if syntax.type == "bare_key":
        return [((syntax.text or b"").decode(), syntax)]
    parts: list[tuple[str, Syntax]] = []
    pending = [syntax]
    while pending:  # dotted keys nest to the left, one level per dot
        part = pending.pop()
        if part.type == "dotted_key":
            pending.extend(reversed([child for child in part.children if child.type in _KEYS]))
        else:
            parts.append((_unquoted(part), part))
    return parts


def _unquoted(part: Syntax) -> str:
    text = (part.text or b"").decode()
    if part.type == "bare_key":
        return text
    if text.startswith('"') and "\\" in text:
        return _unescaped(text)
    return text[1:-1]


def _unescaped(text: str) -> str:
    (key,) = tomllib.loads(f"{text} = 0")
    return key


def position(values: Mapping[str, object], syntax: Syntax, lines: Lines) -> Table:
    """Join the values of a valid TOML file with the places in its syntax tree; raises `TooDeepError`."""
    start = Span(lines.file)
    root = Table({}, start, start)
    walk = _Walk(lines)
    for child in syntax.children:
        if child.type == "pair":
            walk.pair(child, root, values, 0)
        elif child.type in _HEADERS:
            walk.section(child, root, values)
    return root


class _Walk:
    """Fill tables from syntax nodes; `values` is always what tomllib has for the table at hand."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def section(self, syntax: Syntax, root: Table, values: Mapping[str, object]) -> None:
        """Fill the table of a `[header]` or `[[header]]` from the pairs below it."""
        children = syntax.children
        opening, key = children[0], next(child for child in children if child.type in _KEYS)
        closing = next(child for child in children if child.type in {"]", "]]"})
        header = self._lines.between(opening.start_byte, closing.end_byte)
        parts = self._parts(key, 0)
        table, values = self._descend(root, values, parts[:-1])
        name, part = parts[-1]
        place = self._lines.span(part)
        inner = values[name]
        if syntax.type == "table_array_element":
            array = cast("Array", table.entries.setdefault(name, Array([], header, place)))
            inner = cast("Sequence[object]", inner)[len(array.items)]
            opened = Table({}, header, place)
            array.items.append(opened)
        else:
            opened = cast("Table", table.entries.setdefault(name, Table({}, header, place)))
            opened.span, opened.key = header, place
        for child in children:
            if child.type == "pair":
                self.pair(child, opened, cast("Mapping[str, object]", inner), len(parts))

    def pair(self, syntax: Syntax, table: Table, values: Mapping[str, object], depth: int) -> None:
        """Add a `key = value` to the table."""
        key, _, value = syntax.children[:3]  # a comment may follow on the line
        parts = self._parts(key, depth)
        depth += len(parts)
        table, values = self._descend(table, values, parts[:-1])
        name, part = parts[-1]
        table.entries[name] = self._value(value, values[name], self._lines.span(part), depth)

    def _parts(self, key: Syntax, depth: int) -> list[tuple[str, Syntax]]:
        parts = key_parts(key)
        if depth + len(parts) > MAX_DEPTH:
            raise TooDeepError(self._lines.span(key))
        return parts

    def _descend(
        self, table: Table, values: Mapping[str, object], parts: Sequence[tuple[str, Syntax]]
    ) -> tuple[Table, Mapping[str, object]]:
        for name, part in parts:
            place = self._lines.span(part)
            child = table.entries.setdefault(name, Table({}, place, place))
            inner = values[name]
            if isinstance(child, Array):  # a header below `[[…]]` means the last element
                inner = cast("Sequence[object]", inner)[len(child.items) - 1]
                child = child.items[-1]
            table, values = cast("Table", child), cast("Mapping[str, object]", inner)
        return table, values

    def _value(self, syntax: Syntax, value: object, key: Span | None, depth: int) -> Node:
        span = self._lines.span(syntax)
        if depth > MAX_DEPTH:
            raise TooDeepError(span)
        key = key or span
        if isinstance(value, dict):
            table = Table({}, span, key)
            for child in syntax.children:
                if child.type == "pair":
                    self.pair(child, table, cast("Mapping[str, object]", value), depth)
            return table
        if isinstance(value, list):
            items = (child for child in syntax.named_children if child.type != "comment")
            values = cast("list[object]", value)
            return Array([self._value(s, v, None, depth + 1) for s, v in zip(items, values, strict=True)], span, key)
        return Scalar(cast("Plain", value), span, key)
