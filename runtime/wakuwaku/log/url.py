"""`connect`: open a log by its URL.

The module is not named after the function: `wakuwaku.log.connect` must be the function, whatever is imported first.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from wakuwaku.errors import ConfigError
from wakuwaku.log.arguments import check_name
from wakuwaku.log.iggy_address import address_of, check_server_name, without_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wakuwaku.log.open_log import OpenLog

__all__ = ["connect", "file_of"]

_SQLITE_OPTIONS: Final = ("fsync", "busy_timeout")


async def connect(url: str, *, stream: str = "default", create: bool = True) -> OpenLog:
    """Open the log a URL names.

    It closes itself when used as ``async with await connect(url, stream="shop") as log:``.

    ==========================  ===========================================================================
    URL                         log
    ==========================  ===========================================================================
    ``memory://``               a new, empty one in memory
    ``sqlite:///events.db``     the file at a relative path; ``sqlite:////var/lib/events.db`` at an absolute
    ``iggy://user:pw@host``     an Apache Iggy server, port 8090 unless it says ``host:port``; the extra ``iggy``
    ==========================  ===========================================================================

    Options of ``sqlite``: ``?fsync=full`` (default) or ``normal``, ``&busy_timeout=5`` in seconds; `SqliteLog.open`
    tells what they do. Options of ``iggy``: ``?tls=true``, ``&tls_domain=``, ``&tls_ca_file=``, ``&timeout=30`` in
    seconds and ``&durability=persisted`` (default) or ``replicated``; a personal access token stands alone before the
    ``@``. Characters with a meaning in URLs are written with ``%``, as ``%3F`` for ``?``. `stream` is the
    group of topics to work on; those of other streams in the same file are out of sight. A file that does not exist is
    created, unless `create` is false: then it is a `LogError`. So is a stream of a server, which is created with its
    first topic.

    Raises `ConfigError` for a URL, option or stream name that is wrong, and what opening the log raises.
    """
    if _is_of_server(url):
        return await _iggy(url, stream, create=create)
    try:
        check_name("stream", stream)
        parts = urlsplit(url)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if parts.scheme == "memory":
        return _memory(url, parts)
    if parts.scheme == "sqlite":
        return await _sqlite(url, parts, stream, create=create)
    raise ConfigError(
        f"{without_secret(url)!r} names no log: a URL of a log begins with sqlite:///, iggy:// or memory://"
    )


def _is_of_server(url: str) -> bool:
    """Tell whether a URL has a password in it, which nothing here may quote."""
    return url[:7].lower() == "iggy://"


def _memory(url: str, parts: SplitResult) -> OpenLog:
    from wakuwaku.log.memory import MemoryLog  # noqa: PLC0415 - only the log that is asked for is loaded

    if parts.netloc or parts.path or parts.query or parts.fragment:
        raise ConfigError(f"{url!r}: nothing follows memory://; such a log has no name and no options")
    return MemoryLog()


def file_of(url: str) -> Path | None:
    """Return the file of an embedded log, by its URL, or None for another kind of log. Raises `ConfigError`."""
    if _is_of_server(url):
        return None
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return Path(_path(url, parts)) if parts.scheme == "sqlite" else None


async def _iggy(url: str, stream: str, *, create: bool) -> OpenLog:
    address = address_of(url)
    try:
        check_server_name("stream", stream)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    try:
        from wakuwaku.log.iggy import IggyLog  # noqa: PLC0415 - as above, and its client is an extra
    except ImportError as error:
        if error.name != "apache_iggy":
            raise
        raise ConfigError("a log on Apache Iggy needs its client: pip install 'wakuwaku[iggy]'") from None
    return await IggyLog.open(address, stream=stream, create=create)


async def _sqlite(url: str, parts: SplitResult, stream: str, *, create: bool) -> OpenLog:
    from wakuwaku.log.sqlite import SqliteLog  # noqa: PLC0415 - as above

    path = _path(url, parts)
    options = _options(url, parts.query)
    return await SqliteLog.open(
        path,
        stream=stream,
        fsync=_fsync(url, options.get("fsync", "full")),
        busy_timeout=_seconds(url, options.get("busy_timeout", "5")),
        create=create,
    )


def _path(url: str, parts: SplitResult) -> str:
    if parts.netloc:
        raise ConfigError(f"{url!r}: three slashes stand before a relative path, four before an absolute one")
    if parts.fragment:
        raise ConfigError(f"{url!r}: write # in a path as %23")
    path = unquote(parts.path.removeprefix("/"))
    if not path:
        raise ConfigError(f"{url!r}: name the file, as in sqlite:///events.db")
    if path == ":memory:":
        raise ConfigError(f"{url!r}: a log in memory is memory://")
    if "\0" in path:
        raise ConfigError(f"{url!r}: no path has a NUL character")
    return path


def _options(url: str, query: str) -> Mapping[str, str]:
    options: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _SQLITE_OPTIONS:
            raise ConfigError(f"{url!r}: there is no option {name!r}; there are {' and '.join(_SQLITE_OPTIONS)}")
        if name in options:
            raise ConfigError(f"{url!r}: the option {name} is given twice")
        options[name] = value
    return options


def _fsync(url: str, text: str) -> Literal["full", "normal"]:
    match text:
        case "full" | "normal":
            return text
        case _:
            raise ConfigError(f"{url!r}: fsync is full or normal, not {text!r}")


def _seconds(url: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= 3_600:
        raise ConfigError(f"{url!r}: busy_timeout is a number of seconds from 0 to 3600, not {text!r}")
    return seconds
