"""Expressions as values, and how they are printed in final form.

What is wider than 88 columns is broken one item per line with a trailing comma. Formatters keep a bracket with a
trailing comma broken, so the text is stable at every line length from 88 to 120.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

__all__ = [
    "BREAK_AT",
    "LONGEST",
    "Brackets",
    "Code",
    "Either",
    "assignment",
    "breaks",
    "call",
    "flat",
    "item",
    "keyword",
    "mapping",
    "prefixed",
    "signature",
    "statement",
    "subscript",
    "tuple_of",
    "width",
    "with_pragma",
]

BREAK_AT: Final = 88
LONGEST: Final = 120
_INDENT: Final = 4
_SKIP: Final = "  # fmt: skip"


@dataclass(frozen=True, slots=True)
class Brackets:
    """Hold a call, a subscript or a display: `head` ends with the opening bracket, `tail` is the closing one.

    `lone` follows an item that is the only one, as the comma of a tuple does.
    """

    head: str
    items: tuple[Code, ...]
    tail: str
    lone: str = ""


@dataclass(frozen=True, slots=True)
class Either:
    """Hold `inner | other`."""

    inner: Code
    other: str = "None"


Code: TypeAlias = str | Brackets | Either


def call(function: str, *arguments: Code) -> Brackets:
    """Make `function(arguments)`."""
    return Brackets(f"{function}(", arguments, ")")


def subscript(name: str, *items: Code) -> Brackets:
    """Make `name[items]`."""
    return Brackets(f"{name}[", items, "]")


def tuple_of(items: tuple[Code, ...]) -> Brackets:
    """Make a tuple."""
    return Brackets("(", items, ")", lone=",")


def mapping(items: tuple[tuple[str, Code], ...]) -> Brackets:
    """Make a dict from keys, already source text, and values."""
    return Brackets("{", tuple(prefixed(f"{key}: ", value) for key, value in items), "}")


def keyword(name: str, value: Code) -> Code:
    """Make `name=value`."""
    return prefixed(f"{name}=", value)


def prefixed(prefix: str, code: Code) -> Code:
    """Put text in front of an expression."""
    match code:
        case str():
            return prefix + code
        case Brackets():
            return Brackets(prefix + code.head, code.items, code.tail, code.lone)
        case Either():
            return Either(prefixed(prefix, code.inner), code.other)
        case _:
            assert_never(code)


def flat(code: Code) -> str:
    """Print an expression on one line."""
    match code:
        case str():
            return code
        case Either():
            return f"{flat(code.inner)} | {code.other}"
        case Brackets():
            lone = code.lone if len(code.items) == 1 else ""
            return f"{code.head}{', '.join(map(flat, code.items))}{lone}{code.tail}"
        case _:
            assert_never(code)


def statement(before: str, code: Code, after: str = "", *, indent: int = 0) -> str:
    """Print `before code after` at `indent` spaces; the first line comes without them.

    What nothing can break is kept from formatters, which would put it into parentheses at one line length and not at
    another.
    """
    line = " " * indent + before + flat(code) + after
    if _fits(line):
        return line.lstrip(" ")
    lines = _broken(before, code, after, indent) if breaks(code) else _kept(line, indent)
    return "\n".join(lines).lstrip(" ")


def item(code: Code, *, indent: int) -> str:
    """Print an item of a bracket that is broken, with its comma; the first line comes without the indent."""
    return "\n".join(_laid_out("", code, ",", indent)).lstrip(" ")


def signature(head: Brackets, result: Code, *, indent: int = 0) -> str:
    """Print `head -> result:`, the opening line of a method; the first line comes without the indent."""
    line = " " * indent + f"{flat(head)} -> {flat(result)}:"
    if _fits(line):
        return line.lstrip(" ")
    *lines, last = _laid_out("", head, "", indent, force=True)
    end = statement(f"{last.lstrip(' ')} -> ", result, ":", indent=indent)
    return "\n".join([*lines, " " * indent + end]).lstrip(" ")


def assignment(name: str, annotation: Code, value: Code | None, *, indent: int = 0) -> str:
    """Print `name: annotation = value`, or without a value; the first line comes without the indent."""
    if value is None:
        return statement(f"{name}: ", annotation, indent=indent)
    before = f"{name}: {flat(annotation)} = "
    end = value.head if isinstance(value, Brackets) else flat(value)
    if _fits(" " * indent + before + end):
        return statement(before, value, indent=indent)
    if not breaks(annotation):
        return (
            _kept_whole(before, value, indent)
            if isinstance(value, Brackets)
            else statement(before, value, indent=indent)
        )
    *lines, last = _broken(f"{name}: ", annotation, " = ", indent)
    return "\n".join([*lines, " " * indent + statement(last.lstrip(" "), value, indent=indent)]).lstrip(" ")


def with_pragma(text: str) -> str:
    """Mark a docstring as too long for linters when one of its lines is; its text is the schema's, and stays."""
    return f"{text}  # noqa: E501" if any(_overlong(line) for line in text.split("\n")) else text


def width(text: str) -> int:
    """Count the columns of a line; wide East Asian characters take two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _fits(line: str) -> bool:
    return width(line) <= BREAK_AT


def breaks(code: Code) -> bool:
    """Tell whether an expression has a bracket with items of its own, so that it can go over several lines."""
    match code:
        case str():
            return False
        case Either():
            return breaks(code.inner)
        case Brackets(items=()):
            return False
        case Brackets(items=(only,)) if _is_lone(code):
            return breaks(only)
        case Brackets():
            return True
        case _:
            assert_never(code)


def _broken(before: str, code: Code, after: str, indent: int) -> list[str]:
    if not isinstance(code, Either):
        return _laid_out(before, code, after, indent, force=True)
    pad = " " * indent
    return [pad + before + "(", *_laid_out("", code, "", indent + _INDENT, force=True), pad + ")" + after]


def _laid_out(before: str, code: Code, after: str, indent: int, *, force: bool = False) -> list[str]:
    pad = " " * indent
    line = pad + before + flat(code) + after
    if isinstance(code, str) or not breaks(code) or (not force and _fits(line)):
        return [_marked(line)]
    if isinstance(code, Either):
        return [*_laid_out(before, code.inner, "", indent, force=True), f"{pad}| {code.other}{after}"]
    if _is_lone(code):
        # The comma does not keep such a bracket broken, so the break must come from within.
        inner = _laid_out("", code.items[0], code.lone, indent + _INDENT, force=True)
    else:
        inner = [line for item in code.items for line in _laid_out("", item, ",", indent + _INDENT)]
    return [pad + before + code.head, *inner, pad + code.tail + after]


def _is_lone(code: Brackets) -> bool:
    """Tell whether a trailing comma means something else: in a subscript, or in a tuple of one item."""
    return len(code.items) == 1 and (code.tail == "]" or code.lone == ",")


def _kept(line: str, indent: int) -> list[str]:
    if line.endswith(":"):  # the head of a block can't stand between two comments
        return [_marked(line) + _SKIP]
    # Formatters overlook a `fmt: skip` that comes right after a `fmt: on`, so there is one way only.
    pad = " " * indent
    return [f"{pad}# fmt: off", _marked(line), f"{pad}# fmt: on"]


def _kept_whole(before: str, value: Brackets, indent: int) -> str:
    """Keep formatters from a statement whose first line is too long, whatever is done about its bracket."""
    pad = " " * indent
    line = f"{pad}{before}{flat(value)}"
    if not breaks(value) or width(line) <= LONGEST:
        return "\n".join(_kept(line, indent)).lstrip(" ")
    lines = [_marked(one) for one in _laid_out(before, value, "", indent, force=True)]
    return "\n".join([f"{pad}# fmt: off", *lines, f"{pad}# fmt: on"]).lstrip(" ")


def _marked(line: str) -> str:
    return f"{line}  # noqa: E501" if _overlong(line) and not line.endswith("# noqa: E501") else line


def _overlong(line: str) -> bool:
    # As linters see it: a line of one word can't be broken, and a URL at the end may stick out.
    words = line.split()
    if width(line) <= LONGEST or len(words) < 2:
        return False
    return not ("://" in words[-1] and width(line) - width(words[-1]) <= LONGEST)
