"""Read settings from environment variables: the text of each by its type, everything that is wrong at once."""

from __future__ import annotations

import enum
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, cast

__all__ = ["kind_of", "settings_from", "variable"]

_SECONDS: Final = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_NUMBER: Final = re.compile(r"\d{1,18}")
_DURATION: Final = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)\s?(ms|s|m|h|)")
_RANGE: Final = re.compile(r"(\d{1,6})-(\d{1,6})")
_NONE: Final = "none"

#: Names of variables this alike are taken for a slip of the pen.
_ALIKE: Final = 0.85


def variable(prefix: str, setting: str) -> str:
    """Return the name of a setting's variable: ``ORDER`` and ``ORDER_`` both give ``ORDER_PARTITIONS``."""
    stem = prefix.rstrip("_").upper()
    return f"{stem}_{setting.upper()}" if stem else setting.upper()


def settings_from(
    hints: Mapping[str, Any], prefix: str, environ: Mapping[str, str]
) -> tuple[dict[str, object], list[str]]:
    """Return the settings that variables of the environment hold, and what is wrong with the others.

    `hints` has the type of each setting. A variable that is almost called as a setting's is wrong, too.
    """
    settings: dict[str, object] = {}
    problems: list[str] = []
    names = {variable(prefix, setting): setting for setting in hints}
    for name, setting in names.items():
        text = environ.get(name)
        if text is None:
            continue
        try:
            settings[setting] = _read(hints[setting], text.strip())
        except ValueError as error:
            problems.append(f"{name}: {error}")
    stem = variable(prefix, "")
    problems.extend(
        f"{name}: there is no such setting; did you mean {meant}?"
        for name in sorted(environ)
        if name not in names and name.upper().startswith(stem) and (meant := _meant(name, names))
    )
    return settings, problems


def _meant(name: str, names: Mapping[str, str]) -> str | None:
    """Return the variable that one of another name was most likely meant to be."""
    return next(iter(get_close_matches(name.upper(), names, n=1, cutoff=_ALIKE)), None)


def kind_of(hint: Any) -> str:
    """Return what a variable of a setting of this type holds, for people. Raises `TypeError` for an unknown type."""
    return _kind(hint)[0]


def _read(hint: Any, text: str) -> object:
    """Return the value a text stands for; raises `ValueError` saying what it should be."""
    kind, read = _kind(hint)
    if not text:
        raise ValueError(f"empty; it should be {kind}")
    try:
        return read(text)
    except ValueError:
        raise ValueError(f"{text!r} is not {kind}") from None


def _kind(hint: Any) -> tuple[str, Callable[[str], object]]:
    """Return what a type is called, and how a text of it is read."""
    origin = typing.get_origin(hint)
    if origin in {types.UnionType, typing.Union}:
        (inner,) = [one for one in typing.get_args(hint) if one is not types.NoneType]
        kind, read = _kind(inner)
        return f"{kind}, or {_NONE}", lambda text: None if text.lower() == _NONE else read(text)
    if origin is not None and issubclass(origin, Sequence):
        (inner,) = typing.get_args(hint)
        if inner is int:
            return "whole numbers with commas between them, such as 0,2 or 0-3", _ids
        return "durations with commas between them, such as 2,4,500ms", lambda text: [
            _duration(one) for one in _split(text)
        ]
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        names = {member.name: member for member in hint}
        return f"one of {', '.join(names)}", lambda text: _member(names, text)
    simple: dict[Any, tuple[str, Callable[[str], object]]] = {
        bool: ("true or false", _truth),
        str: ("a text", str),
        int: ("a whole number", _whole),
        float: ("a duration, such as 0.5, 500ms, 2s or 5m", _duration),
    }
    if hint not in simple:
        raise TypeError(f"no text stands for a {hint!r}")
    return simple[hint]


def _split(text: str) -> list[str]:
    return [one.strip() for one in text.split(",")]


def _ids(text: str) -> list[int]:
    """Return whole numbers; 0-3 stands for 0,1,2,3."""
    numbers: list[int] = []
    for one in _split(text):
        if bounds := _RANGE.fullmatch(one):
            first, last = int(bounds[1]), int(bounds[2])
            if first > last:
                raise ValueError
            numbers.extend(range(first, last + 1))
        else:
            numbers.append(cast("int", _whole(one)))
    return numbers


def _truth(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise ValueError
    return text.lower() == "true"


def _whole(text: str) -> object:
    if not _NUMBER.fullmatch(text) or not text.isascii():
        raise ValueError
    return int(text)


def _duration(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if match is None or not text.isascii():
        raise ValueError
    return float(match[1]) * _SECONDS[match[2]]


def _member(names: Mapping[str, enum.Enum], text: str) -> enum.Enum:
    name = text.upper().replace("-", "_")
    if name not in names:
        raise ValueError
    return names[name]
