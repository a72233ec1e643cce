"""Choose every Python name, and refuse what would make a bad one.

A name the user writes is kept or refused, never changed; only names made from others get a trailing underscore where
Python, Windows or a base class has the name already.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from wakuwaku_gen.load.folder import DEVICES
from wakuwaku_gen.model.reserved import (
    BUNDLE_FIELDS,
    ENUM_MEMBERS,
    FIELDS,
    KEYWORDS,
    PACKAGES,
    SCALARS,
    SUBMODULES,
    TYPES,
)
from wakuwaku_gen.model.schema import EventNames

__all__ = [
    "Problem",
    "bundle_name",
    "codecs_name",
    "constant_name",
    "event_names",
    "field_problem",
    "member_problem",
    "namespace_problem",
    "pascal_case",
    "snake_case",
    "topic_problem",
    "type_problem",
]

_PASCAL: Final = re.compile(r"[A-Z][A-Za-z0-9]*")
_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_MEMBER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TOPIC: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,254}")
_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_LETTERS: Final = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """Say what is wrong with a name: the rule it breaks, and the way out."""

    rule: str
    message: str
    help: str | None = None


def snake_case(name: str) -> str:
    """Return a name in snake_case: `HTTPRequest` becomes `http_request`, `OrderV2` becomes `order_v2`."""
    return _NO_LETTERS.sub("_", _WORD_STARTS.sub("_", _ascii(name))).strip("_").lower()


def pascal_case(name: str) -> str:
    """Return a name in PascalCase: `order_placed` becomes `OrderPlaced`."""
    return "".join(word[:1].upper() + word[1:] for word in _NO_LETTERS.split(_ascii(name)))


def _ascii(name: str) -> str:
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()


def _free(name: str, taken: frozenset[str] = frozenset()) -> str:
    return f"{name}_" if name in KEYWORDS or name in DEVICES or name in taken else name


def constant_name(name: str) -> str:
    """Return the name of a type's constant, such as its codec; types of one namespace never meet in it."""
    return snake_case(name).upper()


def event_names(name: str) -> EventNames:
    """Make the Python names of an event."""
    snake = snake_case(name)
    return EventNames(
        codec=constant_name(name),
        contract=f"{name}Contract",
        handler=f"{name}Handler",
        module=_free(snake),
        field=_free(snake, BUNDLE_FIELDS),
        combiner=f"{name}Combiner",
        combiner_contract=f"{name}CombinerContract",
        combiner_module=f"{snake}_combiner",
    )


def codecs_name(topic: str) -> str:
    """Return the name of a topic's table of codecs."""
    return f"{snake_case(topic).upper()}_CODECS"


def bundle_name(topic: str) -> str:
    """Return the name of a topic's handler bundle."""
    return f"{pascal_case(topic)}Handlers"


def _suggest(name: str) -> str | None:
    return f"call it {name!r}" if name and not name[0].isdigit() else None


def type_problem(name: str) -> Problem | None:
    """Return what is wrong with the name of a key, enum, struct, union or event."""
    if not _PASCAL.fullmatch(name):
        reason = "is not ASCII" if not name.isascii() else "is not in PascalCase"
        return Problem("WK101", f"the type name {name!r} {reason}", _suggest(pascal_case(name)))
    if name in KEYWORDS:
        return Problem("WK104", f"{name!r} is a Python keyword", _suggest(f"{name}Value"))
    if name in SCALARS:
        return Problem("WK105", f"{name!r} is a type of the language", _suggest(f"{name}Value"))
    if name in TYPES:
        return Problem("WK105", f"generated handlers need the name {name!r} themselves", _suggest(f"{name}Data"))
    return None


def field_problem(name: str) -> Problem | None:
    """Return what is wrong with the name of a field."""
    if name in KEYWORDS and name.isidentifier() and name != "_":
        help_ = f'keep it on the wire only: {name.lower()}_ = {{ type = …, wire = "{name}" }}'
        return Problem("WK104", f"{name!r} is a Python keyword", help_)
    if name in FIELDS:
        help_ = f'keep it on the wire only: {name}_ = {{ type = …, wire = "{name}" }}'
        return Problem("WK105", f"generated classes need the name {name!r} themselves", help_)
    if not _SNAKE.fullmatch(name.removesuffix("_")):
        reason = "is not ASCII" if not name.isascii() else "is not in snake_case"
        return Problem("WK103", f"the field name {name!r} {reason}", _suggest(snake_case(name)))
    return None


def member_problem(name: str) -> Problem | None:
    """Return what is wrong with the name of an enum member."""
    help_ = f'name it apart from its value: {{ {_member_name(name)} = "{name}" }}'
    if not _MEMBER.fullmatch(name):
        return Problem("WK108", f"{name!r} can't name an enum member", help_)
    if name in KEYWORDS:
        return Problem("WK104", f"{name!r} is a Python keyword", help_)
    if name in ENUM_MEMBERS:
        return Problem("WK108", f"{name!r} is an attribute of every enum", help_)
    return None


def _member_name(value: str) -> str:
    name = snake_case(value).upper()
    return name if _MEMBER.fullmatch(name) else f"V_{name}".rstrip("_")


def namespace_problem(name: str) -> Problem | None:
    """Return what is wrong with a namespace."""
    parts = name.split(".")
    for part in parts:
        if not _SNAKE.fullmatch(part):
            suggestion = ".".join(filter(None, map(snake_case, parts)))
            message = f"the namespace {name!r} is not made of snake_case names joined by dots"
            return Problem("WK106", message, _suggest(suggestion))
        if part in KEYWORDS:
            return Problem("WK106", f"{part!r} is a Python keyword", _suggest(f"{part}_events"))
        if part in DEVICES:
            return Problem("WK106", f"{part!r} is the name of a device on Windows", _suggest(f"{part}_events"))
    if parts[0] in PACKAGES:
        return Problem("WK106", f"the package {parts[0]!r} would hide another of that name", _suggest(f"{name}_events"))
    for part in parts[1:]:
        if part in SUBMODULES:
            return Problem("WK106", f"{part!r} is a module of every generated package", "choose another name")
    return None


def topic_problem(topic: str) -> Problem | None:
    """Return what is wrong with the name of a topic."""
    if _TOPIC.fullmatch(topic):
        return None
    message = f"{topic!r} can't name a topic"
    return Problem("WK107", message, "a letter, then letters, digits, dots, dashes and underscores; at most 255")
