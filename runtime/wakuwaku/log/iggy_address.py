"""Where an Iggy server is and how to sign in there, by URL: ``iggy://user:password@host:8090?tls=true``.

A password or token is in no message, no `repr` and no log line: whoever quotes a URL of a log quotes `without_secret`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from wakuwaku.errors import ConfigError
from wakuwaku.log.arguments import check_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

__all__ = ["Address", "Durability", "address_of", "check_server_name", "without_secret"]

Durability = Literal["persisted", "replicated"]

DEFAULT_PORT: Final = 8090
_OPTIONS: Final = ("durability", "timeout", "tls", "tls_ca_file", "tls_domain")
_USER_INFO: Final = re.compile(r"://[^/]*@|://[^/@]*:[^/@]*/.*@", re.DOTALL)
_EXAMPLE: Final = "iggy://user:password@host:8090"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Say where a server is, how to sign in there, and how sure an append has to be.

    With `username` empty, `secret` is a personal access token, else the password. `timeout` bounds each request, in
    seconds. With "persisted" an append returns when the servers have it on their disks, with "replicated" when most of
    them have it in memory; it is what topics are created with.
    """

    host: str
    port: int = DEFAULT_PORT
    username: str = ""
    secret: str = field(default="", repr=False)
    tls: bool = False
    tls_domain: str | None = None
    tls_ca_file: str | None = None
    durability: Durability = "persisted"
    timeout: float = 30.0

    @property
    def server(self) -> str:
        """Return host and port, as they are written in front of a path."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"iggy://{self.server}"


def check_server_name(what: str, name: str) -> None:
    """Refuse a name of a stream or topic that a server can't be asked for. Raises `ValueError`."""
    check_name(what, name)
    if name.isascii() and name.isdecimal():
        raise ValueError(f"{what} {name!r}: clients of Iggy take a name of digits alone for an id; choose another name")


def without_secret(url: str) -> str:
    """Return a URL without what may be a password: everything between ``://`` and the last ``@``."""
    return _USER_INFO.sub("://***@", url)


def address_of(url: str) -> Address:
    """Return the address a URL names.

    The secret is checked for being there, not for being right. Raises `ConfigError`, which never quotes it.
    """
    shown = without_secret(url)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # its text may quote a part of the password
        raise ConfigError(
            f"{shown}: this is no URL; in a user name or password write / as %2F, @ as %40 and : as %3A"
        ) from None
    if not host:
        raise ConfigError(f"{shown}: name the server, as in {_EXAMPLE}")
    if parts.path not in {"", "/"}:
        raise ConfigError(
            f"{shown}: no path follows the server; the stream is an argument of its own,"
            " and in a user name or password / is written as %2F"
        )
    if parts.fragment:
        raise ConfigError(f"{shown}: write # in a user name or password as %23")
    username, secret = _credentials(shown, parts)
    options = _options(shown, parts.query)
    tls = _flag(shown, "tls", options.get("tls", "false"))
    for name in ("tls_domain", "tls_ca_file"):
        if name in options and not tls:
            raise ConfigError(f"{shown}: {name} means nothing without tls=true")
    return Address(
        host=host,
        port=DEFAULT_PORT if port is None else port,
        username=username,
        secret=secret,
        tls=tls,
        tls_domain=options.get("tls_domain"),
        tls_ca_file=options.get("tls_ca_file"),
        durability=_durability(shown, options.get("durability", "persisted")),
        timeout=_seconds(shown, options.get("timeout", "30")),
    )


def _credentials(shown: str, parts: SplitResult) -> tuple[str, str]:
    """Return user name and password, or an empty name and a personal access token."""
    if not parts.username:
        raise ConfigError(
            f"{shown}: name who signs in, as in {_EXAMPLE}, or with a personal access token iggy://TOKEN@host"
        )
    if parts.password is None:
        return "", unquote(parts.username)
    if not parts.password:
        raise ConfigError(f"{shown}: the password is empty")
    return unquote(parts.username), unquote(parts.password)


def _options(shown: str, query: str) -> Mapping[str, str]:
    options: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _OPTIONS:
            raise ConfigError(f"{shown}: there is no option {name!r}; there are {', '.join(_OPTIONS)}")
        if name in options:
            raise ConfigError(f"{shown}: the option {name} is given twice")
        if not value:
            raise ConfigError(f"{shown}: the option {name} is empty")
        options[name] = value
    return options


def _flag(shown: str, name: str, text: str) -> bool:
    if text not in {"true", "false"}:
        raise ConfigError(f"{shown}: {name} is true or false, not {text!r}")
    return text == "true"


def _durability(shown: str, text: str) -> Durability:
    match text:
        case "persisted" | "replicated":
            return text
        case _:
            raise ConfigError(f"{shown}: durability is persisted or replicated, not {text!r}")


def _seconds(shown: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 3_600:
        raise ConfigError(f"{shown}: timeout is a number of seconds, more than 0 and up to 3600, not {text!r}")
    return seconds
