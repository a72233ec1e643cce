"""The only door from schema text to Python text.

Whatever a doc, a default or a path holds, it comes out as one string literal, one docstring, one comment or one checked
identifier; it can change no other part of the syntax tree. Characters nobody can see (controls, joiners, direction
marks, odd spaces) are always written as escapes.
"""

from __future__ import annotations

import inspect
import keyword
import re
import unicodedata

__all__ = ["comment", "docstring", "identifier", "literal", "normalised"]

_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_PLAIN = re.compile(r"[ !#-&(-\[\]-~]*")  # printable ASCII without quotes and backslashes
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_QUOTE = "\\u0022"  # linters take it for no backslash
_ENCODING_COOKIE = re.compile(r"coding(?=[:=])")


def identifier(name: str) -> str:
    """Return a name as it is, or raise `ValueError` when Python would not read it as that very name."""
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        raise ValueError(f"not a Python name: {name!r}")
    return name


def literal(value: str | bytes | float | None) -> str:
    """Write a value as a Python literal: double quotes unless single ones need fewer escapes, as formatters like it.

    Floats must be finite; raises `ValueError` for others.
    """
    match value:
        case str():
            return _quoted(value)
        case bytes():
            return "b" + _quoted(value.decode("latin-1"), ascii_only=True)
        case float() if value - value != 0:
            raise ValueError(f"no literal for {value!r}")
        case float():
            return repr(value).replace("e+", "e")
        case _:
            return repr(value)


def docstring(text: str, indent: int = 4) -> str:
    """Write a docstring for a body at `indent` spaces; the first line comes without them.

    `ast.get_docstring` gives back `normalised(text)`. Backslashes make it a raw string where that can be.
    """
    text = normalised(text)
    lines = text.split("\n")
    raw = "\\" in text and _goes_raw(text)
    body = lines if raw else [_docstring_line(line) for line in lines]
    if not raw and body[0].startswith('"'):
        body[0] = _QUOTE + body[0][1:]
    if len(body) == 1:
        inner = body[0]
        if inner.endswith('"'):
            inner = inner[:-1] + _QUOTE
        return f'{"r" * raw}"""{inner}"""'
    pad = " " * indent
    rest = "\n".join(pad + line if line else "" for line in body[1:])
    return f'{"r" * raw}"""{body[0]}\n{rest}\n{pad}"""'


def normalised(text: str) -> str:
    """Return a doc without its common margin, blank edges and blanks at line ends."""
    text = "\n".join(line.rstrip() for line in text.expandtabs().split("\n"))
    while (again := inspect.cleandoc(text)) != text:
        text = again
    return text


def comment(text: str) -> str:
    """Write one line of comment; nothing in it works as a directive to Python or to a tool."""
    shown = "".join(_escape(char) if char in "#\\" or _is_hidden(char) else char for char in text)
    return "# " + _ENCODING_COOKIE.sub(r"codin\\x67", shown)


def _quoted(text: str, *, ascii_only: bool = False) -> str:
    quote = "'" if text.count('"') > text.count("'") else '"'
    if _PLAIN.fullmatch(text):
        return f"{quote}{text}{quote}"
    parts: list[str] = []
    for char in text:
        if char in _SHORT_ESCAPES:
            parts.append(_SHORT_ESCAPES[char])
        elif char == quote:
            parts.append("\\" + char)
        elif _is_hidden(char) or (ascii_only and not char.isascii()):
            parts.append(_escape(char))
        else:
            parts.append(char)
    return quote + "".join(parts) + quote


def _goes_raw(text: str) -> bool:
    # Linters take a backslash at the end of any line for a continuation, in raw strings too.
    ends_safely = text[-1] != '"' and "\\\n" not in text and text[-1] != "\\"
    return ends_safely and text[0] != '"' and '"""' not in text and not _has_hidden(text)


def _docstring_line(line: str) -> str:
    if _PLAIN.fullmatch(line):
        return line
    # A backslash goes as \u005c, since linters want raw strings for docstrings that hold a plain one.
    shown = "".join(_long_escape(char) if char == "\\" or _is_hidden(char) else char for char in line)
    return shown.replace('"""', _QUOTE * 3)


def _is_hidden(char: str) -> bool:
    return not (char.isascii() and char.isprintable()) and unicodedata.category(char) in _HIDDEN


def _has_hidden(text: str) -> bool:
    return not _PLAIN.fullmatch(text) and any(char != "\n" and _is_hidden(char) for char in text)


def _escape(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else _long_escape(char)


def _long_escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
