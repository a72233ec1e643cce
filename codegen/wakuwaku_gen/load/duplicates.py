"""Find the first key that a TOML file gives twice.

tomllib says only that there is one, at the end of the second value; a user wants both keys.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wakuwaku_gen.load.positions import key_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node as Syntax

__all__ = ["Duplicate", "find_duplicate"]


class _How(enum.Enum):
    """How a name got its meaning, which decides whether it may be named again."""

    IMPLIED = "by a header below it"
    DOTTED = "by a dotted key"
    HEADER = "by its own header"
    ARRAY = "by a header in double brackets"
    VALUE = "by a value"


@dataclass(slots=True)
class _Slot:
    how: _How
    syntax: Syntax
    children: dict[str, _Slot] = field(default_factory=dict["str", "_Slot"])


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Name a key that is given twice, and both places."""

    name: str
    first: Syntax
    second: Syntax


class _FoundError(Exception):
    def __init__(self, duplicate: Duplicate) -> None:
        super().__init__()
        self.duplicate = duplicate


def find_duplicate(root: Syntax) -> Duplicate | None:
    """Return the first duplicate in the order of the file, or None."""
    slots: dict[str, _Slot] = {}
    try:
        for child in root.children:
            if child.type == "pair":
                _pair(child, slots)
            elif child.type in {"table", "table_array_element"}:
                _section(child, slots)
    except _FoundError as found:
        return found.duplicate
    return None


def _section(syntax: Syntax, slots: dict[str, _Slot]) -> None:
    key = next((child for child in syntax.children if child.type.endswith("_key")), None)
    if key is None:
        return
    how = _How.HEADER if syntax.type == "table" else _How.ARRAY
    opened = _define(key_parts(key), slots, how, between=_How.IMPLIED)
    if how is _How.ARRAY:
        opened.children = {}
    for child in syntax.children:
        if child.type == "pair":
            _pair(child, opened.children)


def _pair(syntax: Syntax, slots: dict[str, _Slot]) -> None:
    children = syntax.named_children
    if len(children) < 2 or not children[0].type.endswith("_key"):
        return
    _define(key_parts(children[0]), slots, _How.VALUE, between=_How.DOTTED)
    _value(children[1])  # a comment may follow on the line


def _value(syntax: Syntax) -> None:
    """Look into inline tables, which hold names of their own."""
    if syntax.type == "inline_table":
        slots: dict[str, _Slot] = {}
        for child in syntax.children:
            if child.type == "pair":
                _pair(child, slots)
    elif syntax.type == "array":
        for child in syntax.named_children:
            _value(child)


def _define(parts: Sequence[tuple[str, Syntax]], slots: dict[str, _Slot], how: _How, *, between: _How) -> _Slot:
    for name, syntax in parts[:-1]:
        slot = slots.setdefault(name, _Slot(between, syntax))
        if slot.how is _How.VALUE:
            raise _FoundError(Duplicate(name, slot.syntax, syntax))
        slots = slot.children
    name, syntax = parts[-1]
    if name not in slots:
        slots[name] = _Slot(how, syntax)
    slot = slots[name]
    if slot.syntax is syntax:
        return slot
    if slot.how is _How.IMPLIED and how is _How.HEADER:
        slot.how, slot.syntax = how, syntax
    elif not (slot.how is how is _How.ARRAY):
        raise _FoundError(Duplicate(name, slot.syntax, syntax))
    return slot
