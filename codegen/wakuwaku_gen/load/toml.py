"""Bytes of a schema file to values with places; whatever is wrong with them is a diagnostic."""

from __future__ import annotations

import re
import tomllib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from wakuwaku_gen.diagnostics import Diagnostics, Note, Span
from wakuwaku_gen.load.duplicates import find_duplicate
from wakuwaku_gen.load.positions import MAX_DEPTH, Lines, TooDeepError, position, syntax_tree

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

    from wakuwaku_gen.load.nodes import Table

__all__ = ["parse"]

_BOMS: Final = {b"\xef\xbb\xbf": "UTF-8", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_PLACE: Final = re.compile(r" \((?:at line (\d+), column (\d+)|at end of document)\)$")
_TWICE: Final = re.compile(r"overwrite|twice|mutate|duplicate|redefine", re.IGNORECASE)


def parse(data: bytes, file: PurePosixPath, diagnostics: Diagnostics) -> Table | None:
    """Parse a TOML file; return None after reporting what is wrong with it. `file` is the path as shown."""
    text = _decode(data, file, diagnostics)
    if text is None:
        return None
    lines = Lines(file, data)
    try:
        values = tomllib.loads(text)
        return position(values, syntax_tree(data), lines)
    except tomllib.TOMLDecodeError as error:
        _report_syntax(str(error), data, lines, diagnostics)
    except TooDeepError as error:
        _report_depth(error.span, diagnostics)
    except RecursionError:
        _report_depth(_deepest(data, lines), diagnostics)
    except ValueError as error:  # tomllib leaves Python's own limits to Python, such as the digits of an integer
        longest = _longest_number(syntax_tree(data))
        span = Span(file) if longest is None else lines.span(longest)
        message = f"not valid TOML: {_lower(str(error)).partition(';')[0]}"
        diagnostics.error("WK006", span, message, "write a number of fewer digits, or a text")
    return None


def _decode(data: bytes, file: PurePosixPath, diagnostics: Diagnostics) -> str | None:
    for bom, encoding in _BOMS.items():
        if data.startswith(bom):
            message = f"the file starts with the byte order mark of {encoding}"
            diagnostics.error("WK005", Span(file), message, "save it as UTF-8 without a byte order mark")
            return None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        start = data.rfind(b"\n", 0, error.start) + 1
        column = len(data[start : error.start].decode()) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        diagnostics.error("WK004", Span(file, line, column, column + 1), message, "save the file as UTF-8")
        return None


def _report_syntax(message: str, data: bytes, lines: Lines, diagnostics: Diagnostics) -> None:
    tree = syntax_tree(data)
    if _TWICE.search(message):
        try:
            duplicate = find_duplicate(tree)
        except RecursionError:
            duplicate = None
        if duplicate is not None:
            note = Note(lines.span(duplicate.first), "first given here")
            where, text = lines.span(duplicate.second), f"duplicate key {duplicate.name!r}"
            diagnostics.error("WK007", where, text, "remove or rename one of the two", notes=[note])
            return
    place = _PLACE.search(message)
    if place is not None and place[1]:
        line, column = int(place[1]), int(place[2])
        span = Span(lines.file, line, column, column + 1)
    else:
        broken = _first_error(tree)
        last = len(data.rstrip()) - 1
        span = lines.between(max(0, last), last + 1) if broken is None else lines.span(broken)
    help_ = "mend it there; TOML tells the place where it could not go on, so what is wrong may stand just before"
    diagnostics.error("WK006", span, f"not valid TOML: {_lower(_PLACE.sub('', message))}", help_)


def _first_error(root: Syntax) -> Syntax | None:
    pending = [root]
    while pending:
        syntax = pending.pop()
        if syntax.is_error or syntax.is_missing:
            return syntax
        pending.extend(child for child in reversed(syntax.children) if child.has_error)
    return None


def _longest_number(root: Syntax) -> Syntax | None:
    numbers: list[Syntax] = []
    pending = [root]
    while pending:
        syntax = pending.pop()
        if syntax.type == "integer":
            numbers.append(syntax)
        pending.extend(syntax.children)
    return max(numbers, key=lambda number: number.end_byte - number.start_byte, default=None)


def _deepest(data: bytes, lines: Lines) -> Span:
    """Return the place where the syntax tree first gets too deep."""
    pending = [(syntax_tree(data), 0)]
    while pending:
        syntax, depth = pending.pop()
        if depth > MAX_DEPTH:
            return lines.span(syntax)
        deeper = depth + (syntax.type in {"array", "inline_table"})
        pending.extend((child, deeper) for child in reversed(syntax.children))
    return Span(lines.file)


def _report_depth(span: Span, diagnostics: Diagnostics) -> None:
    diagnostics.error("WK008", span, f"values nest deeper than {MAX_DEPTH} levels", "declare structs instead")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
