"""The only door from schema text to Markdown.

Whatever a doc, a value or a name on the wire holds, it comes out as text: no heading, link, list, table cell, HTML tag
or directive comes of it, neither in CommonMark nor in Python-Markdown. What nobody can see is written as an escape.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

__all__ = ["anchor", "cell", "code", "heading", "link", "paragraphs", "table", "text"]

#: What Markdown and its extensions give a meaning wherever it stands; an entity has none of it.
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]<>|~^=$&@]|:(?=//|\w)|(?<=www)\.")
#: What has one at the start of a line only: an item, a heading, a definition, an admonition.
_LINE_START: Final = re.compile(r"([0-9]*)([.)#+\-!:?;%/])")
_PLAIN_CODE: Final = re.compile(r"[A-Za-z0-9_.,:; ]+")
_BEYOND_CODE: Final = re.compile(r"[^A-Za-z0-9,; ]")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def text(value: str) -> str:
    """Return text for one line; line ends become blanks."""
    shown = "".join(map(_visible, " ".join(value.split())))
    start = _LINE_START.match(shown)
    head = f"{start[1]}&#{ord(start[2])};" if start else ""
    return head + _SPECIAL.sub(_entity, shown[start.end() if start else 0 :])


def paragraphs(value: str) -> Iterator[str]:
    """Yield the paragraphs of a doc, each followed by an empty line; blank lines part them."""
    for block in re.split(r"\n[ \t]*\n", value.replace("\r\n", "\n")):
        if block.strip():
            yield text(block)
            yield ""


def code(value: str) -> str:
    """Return a value in the typeface of code."""
    if _PLAIN_CODE.fullmatch(value) and value.strip() == value:
        return f"`{value}`"
    shown = "".join(map(_visible, value.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")))
    return f"<code>{_BEYOND_CODE.sub(_entity, shown) or '&#32;'}</code>"


def cell(value: str) -> str:
    """Return a cell of a table that holds Markdown already; an empty one gets a blank, so that the column stays."""
    return value or " "


def heading(level: int, title: str, name: str | None = None) -> Iterator[str]:
    """Yield a heading, with an anchor of that name before it, and an empty line after both."""
    if name is not None:
        yield f'<a id="{name}"></a>'
        yield ""
    yield f"{'#' * level} {title}"
    yield ""


def anchor(name: str) -> str:
    """Return the anchor of a declared type, whose name needs no escaping."""
    return name.replace(".", "-")


def link(title: str, target: str) -> str:
    """Make a link; both must be safe already."""
    return f"[{title}]({target})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table of Markdown cells, and an empty line after it; columns that are empty in every row are left out."""
    rows = [list(row) for row in rows]
    kept = [number for number in range(len(head)) if any(row[number] for row in rows)]
    for line in ([head[number] for number in kept], ["---"] * len(kept)):
        yield f"| {' | '.join(line)} |"
    for row in rows:
        yield f"| {' | '.join(cell(row[number]) for number in kept)} |"
    yield ""


def _visible(char: str) -> str:
    if unicodedata.category(char) not in _HIDDEN:
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
