"""A schema file as sections and pairs that keep every comment, ready to be put in order and printed.

A comment belongs to what stands below it, unless an empty line parts the two: then it is the head of its section, or
the tail of the one above. A comment on the line of a value stays on that line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from wakuwaku_gen.load.positions import key_parts, syntax_tree

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

__all__ = ["Array", "Atom", "File", "Inline", "Item", "Line", "Pair", "Section", "Value", "comments_of", "read_file"]

#: A line of its own: a comment, or "" for any number of empty lines.
Line: TypeAlias = str


@dataclass(slots=True)
class Atom:
    """Hold a string, number, boolean or date as it is written."""

    text: str


@dataclass(slots=True)
class Item:
    """Hold a value of an array with the comments above and behind it."""

    value: Value
    above: list[Line] = field(default_factory=list[str])
    behind: str = ""


@dataclass(slots=True)
class Array:
    """Hold an array; `broken` when it was written over several lines, `below` are comments under its last value."""

    items: list[Item]
    broken: bool
    below: list[Line] = field(default_factory=list[str])
    behind: str = ""  # a comment on the line of the opening bracket


@dataclass(slots=True)
class Inline:
    """Hold an inline table."""

    pairs: list[Pair]


Value: TypeAlias = Atom | Array | Inline


@dataclass(slots=True)
class Pair:
    """Hold a key, which has several parts when it is dotted, with its value and its comments."""

    key: tuple[str, ...]
    value: Value
    above: list[Line] = field(default_factory=list[str])
    behind: str = ""


@dataclass(slots=True)
class Section:
    """Hold a table with its header; the first section of a file has none, and an empty path.

    `above` stands over the header, `head` under it with an empty line below, `tail` under the last pair.
    """

    path: tuple[str, ...]
    above: list[Line] = field(default_factory=list[str])
    behind: str = ""
    head: list[Line] = field(default_factory=list[str])
    pairs: list[Pair] = field(default_factory=list[Pair])
    tail: list[Line] = field(default_factory=list[str])


@dataclass(slots=True)
class File:
    """Hold the sections of a file in order."""

    sections: list[Section]


def read_file(text: str) -> File | None:
    """Read a schema file that is known to be valid; None when the grammar of the syntax tree does not take it."""
    root = syntax_tree(text.encode())
    if root.has_error:
        return None
    reader = _Reader()
    for syntax in _in_order(root):
        reader.take(syntax)
    return reader.finish()


def _in_order(root: Syntax) -> Iterator[Syntax]:
    """Return headers (as their tables), pairs and comments as they follow each other in the file."""
    for child in root.children:
        if child.type == "table":
            yield child
            yield from (inner for inner in child.children if inner.type in {"pair", "comment"})
        elif child.type in {"pair", "comment"}:
            yield child


class _Reader:
    """Hand each comment to whom it belongs; `pending` are lines that wait for what follows."""

    def __init__(self) -> None:
        self._sections = [Section(())]
        self._pending: list[Line] = []
        self._row = 0  # of the end of what was taken last
        self._at_top = True  # of the section

    def take(self, syntax: Syntax) -> None:
        start = syntax.start_point.row
        if syntax.type == "comment":
            if start == self._row and not self._at_start:
                self._put_behind(_text(syntax))
                return
            self._gap(start)
            self._pending.append(_text(syntax))
            self._row = start
        elif syntax.type == "pair":
            self._gap(start)
            self._pair(syntax)
        else:
            self._gap(start)
            self._header(syntax)

    @property
    def _at_start(self) -> bool:
        return self._at_top and not self._sections[-1].path

    def _gap(self, row: int) -> None:
        if row > self._row + 1 and self._pending[-1:] != [""]:
            self._pending.append("")

    def _put_behind(self, comment: str) -> None:
        section = self._sections[-1]
        if section.pairs:
            section.pairs[-1].behind = comment
        else:
            section.behind = comment

    def _pair(self, syntax: Syntax) -> None:
        section = self._sections[-1]
        if self._at_top:
            section.head, self._pending = _headed(self._pending)
        key, _, value, *comments = syntax.children
        pair = Pair(_names(key), _value(value), self._pending)
        section.pairs.append(pair)
        self._pending, self._at_top = [], False
        self._row = value.end_point.row
        if comments:
            pair.behind = _text(comments[0])

    def _header(self, syntax: Syntax) -> None:
        section = self._sections[-1]
        if self._at_start:
            section.head, self._pending = _headed(self._pending)
        else:
            section.tail, self._pending = _tailed(self._pending)
        key = next(child for child in syntax.children if child.type.endswith("_key"))
        self._sections.append(Section(_names(key), self._pending))
        self._pending, self._at_top = [], True
        self._row = key.end_point.row

    def finish(self) -> File:
        self._sections[-1].tail = self._pending
        return File(self._sections)


def _headed(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Part what stands at the top of a section from what belongs to its first pair."""
    lines = lines[1:] if lines[:1] == [""] else lines
    cut = len(lines) - lines[::-1].index("") if "" in lines else 0
    return lines[:cut], lines[cut:]


def _tailed(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Part what stands directly under the last pair from what belongs to the header below."""
    cut = lines.index("") if "" in lines else 0
    return lines[:cut], lines[cut:]


def _text(syntax: Syntax) -> str:
    return (syntax.text or b"").decode().rstrip()


def _names(key: Syntax) -> tuple[str, ...]:
    return tuple(name for name, _ in key_parts(key))


def _value(syntax: Syntax) -> Value:
    if syntax.type == "inline_table":
        pairs = (child.children for child in syntax.children if child.type == "pair")
        return Inline([Pair(_names(key), _value(value)) for key, _, value in pairs])
    if syntax.type == "array":
        return _array(syntax)
    return Atom((syntax.text or b"").decode())


def _array(syntax: Syntax) -> Array:
    array = Array([], broken=syntax.start_point.row != syntax.end_point.row)
    pending: list[Line] = []
    for before, child in pairwise(syntax.children):
        if child.type == "comment":
            on_its_line = child.start_point.row == before.end_point.row
            if on_its_line and array.items:
                array.items[-1].behind = _joined(array.items[-1].behind, _text(child))
            elif on_its_line:
                array.behind = _text(child)
            else:
                pending.append(_text(child))
        elif child.type not in {",", "]"}:
            array.items.append(Item(_value(child), pending))
            pending = []
    array.below = pending
    return array


def _joined(first: str, second: str) -> str:
    return f"{first} {second}" if first else second


def comments_of(value: Value) -> Sequence[str]:
    """Return all comments inside a value, in order."""
    if not isinstance(value, Array):
        return ()
    found = [value.behind] if value.behind else []
    for item in value.items:
        found += [*item.above, *comments_of(item.value), *([item.behind] if item.behind else [])]
    return [*found, *value.below]
