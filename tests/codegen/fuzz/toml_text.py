"""Write nested tables as TOML, in one of the ways people do."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

__all__ = ["Table", "dump"]

Table: TypeAlias = dict[str, Any]
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dump(table: Table, *, headers: int = 3, newline: str = "\n") -> str:
    """Return a table as TOML; tables down to the level `headers` get a header, deeper ones are inline."""
    return newline.join(_lines(table, (), headers)) + newline


def _lines(table: Table, path: tuple[str, ...], headers: int) -> Iterator[str]:
    inner = {name: value for name, value in table.items() if isinstance(value, dict) and len(path) < headers}
    for name, value in table.items():
        if name not in inner:
            yield f"{_key(name)} = {_value(value)}"
    for name, value in inner.items():
        below = (*path, name)
        yield f"[{'.'.join(map(_key, below))}]"
        yield from _lines(cast("Table", value), below, headers)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:  # noqa: PLR0911 - one case per kind
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int():
            return str(value)
        case float():
            return repr(value)
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat().replace("+00:00", "Z")
        case list() | tuple():
            return f"[{', '.join(map(_value, cast('list[object]', value)))}]"
        case Mapping():
            pairs = cast("Mapping[str, object]", value).items()
            return f"{{ {', '.join(f'{_key(name)} = {_value(item)}' for name, item in pairs)} }}"
        case _:
            raise TypeError(f"TOML has no {type(value).__name__}")
