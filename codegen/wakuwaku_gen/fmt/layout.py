"""Print sections and pairs: spaces, empty lines, arrays over several lines, quotes of keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from wakuwaku_gen.fmt.tree import Array, Atom, File, Inline, Line, Section, Value

__all__ = ["print_file"]

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_INDENT: Final = "    "


def print_file(file: File) -> str:
    """Return the text of a file; it ends with a line break unless it is empty."""
    lines: list[Line] = []
    before: Section | None = None
    for section in file.sections:
        if section.path:
            lines += _parted(section, before, first=not lines)
        body = list(_body(section))
        lines += body if lines else _stripped(body)
        before = section
    return "".join(f"{line}\n" for line in lines)


def _parted(section: Section, before: Section | None, *, first: bool) -> Iterator[Line]:
    """Return a header and what stands above it; declarations are parted by an empty line, their own tables are not."""
    inside = before is not None and len(section.path) > 2 and section.path[:2] == before.path[:2]
    above = _stripped(section.above)
    wanted = bool(above) and section.above[0] == ""
    if not first and (wanted or not inside):
        yield ""
    yield from above
    yield _with_comment(f"[{_key(section.path)}]", section.behind)


def _body(section: Section) -> Iterator[Line]:
    head = _stripped(section.head)
    yield from head
    gap = bool(head) and bool(section.pairs)
    for number, pair in enumerate(section.pairs):
        if number == 0:
            yield from ([""] if gap else [])
            yield from _stripped(pair.above)
        else:
            yield from pair.above
        yield _with_comment(f"{_key(pair.key)} = {_value(pair.value, '')}", pair.behind)
    yield from section.tail


def _stripped(lines: Sequence[Line]) -> list[Line]:
    """Return lines without empty ones at both ends."""
    filled = [number for number, line in enumerate(lines) if line]
    return list(lines[filled[0] : filled[-1] + 1]) if filled else []


def _with_comment(line: str, comment: str) -> str:
    return f"{line}  {comment}" if comment else line


def _key(parts: Iterable[str]) -> str:
    return ".".join(part if _BARE.fullmatch(part) else _quoted(part) for part in parts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Value, indent: str) -> str:
    match value:
        case Atom(text):
            return text
        case Inline(pairs):
            inside = ", ".join(f"{_key(pair.key)} = {_value(pair.value, indent)}" for pair in pairs)
            return f"{{ {inside} }}" if inside else "{}"
        case Array(items, broken, below, behind):
            if broken and (items or below or behind):
                return _broken(value, indent)
            return f"[{', '.join(_value(item.value, indent) for item in items)}]"


def _broken(array: Array, indent: str) -> str:
    inner = indent + _INDENT
    lines = [_with_comment("[", array.behind)]
    for item in array.items:
        lines += [f"{inner}{comment}" for comment in item.above]
        lines.append(_with_comment(f"{inner}{_value(item.value, inner)},", item.behind))
    lines += [f"{inner}{comment}" for comment in array.below]
    return "\n".join([*lines, f"{indent}]"])
