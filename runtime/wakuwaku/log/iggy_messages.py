"""Make messages of records for the client, and records of what it polled, the typed way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from apache_iggy import HeaderKey, HeaderValue, SendMessage

from wakuwaku.headers import HEAD_LENGTH, KEY_HEADER, PROPS_HEADER, TAG_HEADER, Record
from wakuwaku.log.iggy_envelope import folded
from wakuwaku.log.iggy_poll import page_of, record_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from apache_iggy import ReceiveMessage

    from wakuwaku.log.protocol import Page

__all__ = ["REQUEST_BYTES", "message_of", "page_of_messages", "requests_of"]

#: Bytes of records in one request at most: half of what a server takes by default. A request is whole or absent.
REQUEST_BYTES: Final = 32 * 1024 * 1024
#: What a message takes besides its body and its extra headers: frame and standard headers.
_FRAME_BYTES: Final = 48 + 83

_TAG: Final = HeaderKey.String(TAG_HEADER)
_KEY: Final = HeaderKey.String(KEY_HEADER)
_PROPS: Final = HeaderKey.String(PROPS_HEADER)
#: Objects for the values that come again and again: tags and properties. Bounded, since a tag is any u32.
_VALUES: Final[dict[bytes, HeaderValue]] = {}
_MAX_VALUES: Final = 1_024


def message_of(record: Record) -> SendMessage:
    """Return the message that holds a record."""
    record = folded(record)
    head, extra = record.head, record.extra
    if len(head) == HEAD_LENGTH:
        headers = {_TAG: _value(head[:4]), _KEY: HeaderValue.Raw(head[4:12]), _PROPS: _value(head[12:])}
    else:
        headers = {}
    if extra:
        for name, value in extra.items():
            headers[HeaderKey.String(name)] = HeaderValue.Raw(value)
    return SendMessage(record.body, headers or None)


def _value(value: bytes) -> HeaderValue:
    known = _VALUES.get(value)
    if known is None:
        known = HeaderValue.Raw(value)
        if len(_VALUES) < _MAX_VALUES:
            _VALUES[value] = known
    return known


def requests_of(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Split records, in order, into as few requests as their size allows; nearly always into one."""
    start = size = 0
    for position, record in enumerate(records):
        taken = len(record.body) + _FRAME_BYTES
        if record.extra:
            taken += sum(len(name) + len(value) + 10 for name, value in record.extra.items())
        if size + taken > REQUEST_BYTES and position > start:
            yield records[start:position]
            start, size = position, 0
        size += taken
    yield records[start:] if start else records


def page_of_messages(messages: Sequence[ReceiveMessage]) -> Page:
    """Return the page that the client polled, object by object."""
    return page_of([message.offset() for message in messages], [_record_of(message) for message in messages])


def _record_of(message: ReceiveMessage) -> Record:
    headers: list[tuple[str, int, bytes]] = []
    for name, value in cast("Mapping[Any, Any]", message.user_headers() or {}).items():
        raw = isinstance(value, HeaderValue.Raw)
        headers.append((str(name.value), 1 if raw else 0, value.value if raw else str(value.value).encode()))
    return record_of(headers, message.payload())
