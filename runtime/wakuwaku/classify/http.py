"""Errors of HTTP, through httpx, aiohttp, requests and urllib: by status, or by class where there was no answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, cast

from wakuwaku.classify.classifier import Classifier, Rule
from wakuwaku.classify.operating_system import CONNECTION_RULES
from wakuwaku.classify.signs import named
from wakuwaku.errors import ErrorClass

__all__ = ["by_status", "http", "retry_after"]

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE

_NONE: Final = 0

#: Where the libraries have it that keep it on the error.
_OWN_STATUS: Final[Mapping[str, str]] = {"aiohttp": "status", "urllib": "code"}


def _status(error: Exception) -> int:
    """Return the status of the answer an error came with, or 0.

    httpx and requests have it on the response, aiohttp and urllib on the error itself.
    """
    response: object = getattr(error, "response", None)
    status: object = getattr(response, "status_code", None)
    own = _OWN_STATUS.get(type(error).__module__.partition(".")[0])
    if own is not None and not isinstance(status, int):
        status = getattr(error, own, None)
    return status if isinstance(status, int) else _NONE


def _statuses(meaning: str, error_class: ErrorClass, *statuses: int | range) -> Rule:
    def bears(error: Exception) -> bool:
        status = _status(error)
        return any(status in one if isinstance(one, range) else status == one for one in statuses)

    shown = (f"{one.start} to {one.stop - 1}" if isinstance(one, range) else str(one) for one in statuses)
    return Rule(f"status {', '.join(shown)}", meaning, error_class, bears)


_RULES: Final[Sequence[Rule]] = (
    named("aiohttp.ContentTypeError", "the answer is of another kind than asked for", UNRECOVERABLE),
    _statuses("too many requests: everybody has to slow down", TRANSIENT, 429),
    _statuses("the service is down, overloaded or unreachable", TRANSIENT, 502, 503, 504),
    _statuses("the client is not let in", TRANSIENT, 401, 407, 511),
    _statuses("this request came too slowly, too early or at the same time as another", RETRYABLE, 408, 409, 425),
    _statuses("the thing is locked, or changed meanwhile", RETRYABLE, 412, 423),
    _statuses("the service does not do that", UNRECOVERABLE, 501, 505),
    _statuses("the service failed on this request", RETRYABLE, range(500, 600)),
    _statuses("the request is wrong", UNRECOVERABLE, range(400, 500)),
    named(
        "httpx.ConnectTimeout, httpx.PoolTimeout, aiohttp.ConnectionTimeoutError, requests.ConnectTimeout",
        "no connection in time",
        TRANSIENT,
    ),
    named(
        "httpx.ReadTimeout, httpx.WriteTimeout, aiohttp.SocketTimeoutError, aiohttp.ServerTimeoutError, "
        "requests.ReadTimeout",
        "no answer to this request in time",
        RETRYABLE,
    ),
    named(
        "httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError, "
        "aiohttp.ClientConnectionError, requests.ConnectionError, urllib.URLError",
        "the service can't be reached, or the connection was lost",
        TRANSIENT,
    ),
    named("aiohttp.ClientPayloadError, requests.ChunkedEncodingError", "the answer broke off", RETRYABLE),
    named(
        "httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError, httpx.TooManyRedirects, "
        "aiohttp.InvalidURL, aiohttp.TooManyRedirects, requests.InvalidURL, requests.TooManyRedirects",
        "such a request can never be sent",
        UNRECOVERABLE,
    ),
    *CONNECTION_RULES,
)

_CLASSIFIER: Final = Classifier(*_RULES)


def http() -> Classifier:
    """Classify errors of HTTP clients: httpx, aiohttp, requests and urllib, and of clients built on them.

    A Transient answer that says when to come back (Retry-After) is waited for as long; see `retry_after`.
    """
    return _CLASSIFIER


def by_status(classes: Mapping[int, ErrorClass]) -> Classifier:
    """Classify by status in another way: ``by_status({404: ErrorClass.RETRYABLE}) | http()``."""
    return Classifier(
        *(_statuses("as this service wants it", error_class, status) for status, error_class in classes.items())
    )


def retry_after(error: BaseException, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> float | None:
    """Return the seconds after which the answer an error came with asks to be tried again, or None.

    Retry-After holds seconds or a date (RFC 9110, 10.2.3); a date that has passed is 0 seconds.
    """
    value = _header(error)
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    if at.tzinfo is None:  # the form without a zone means UTC
        at = at.replace(tzinfo=UTC)
    return max((at - now()).total_seconds(), 0.0)


def _header(error: BaseException) -> str | None:
    """Return the header; a mapping of headers looks names up without regard to case, so one spelling will do."""
    for holder in (getattr(error, "response", None), error):
        headers: object = getattr(holder, "headers", None)
        get: object = getattr(headers, "get", None)
        if callable(get):
            value: object = cast("Callable[[str], object]", get)("Retry-After")
            if isinstance(value, str):
                return value
    return None
