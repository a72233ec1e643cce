"""Golden vectors: keys with their hashes and one record of each event, as they came out when a version was released.

The bytes of a key are the runtime's: fields in order, no names; integers little endian at their width, bool one byte,
str as UTF-8 and 0xFF, bytes and UUID as a u64 length and the bytes, an enum as its wire value. The generator does not
import the runtime; tests hold the two side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast
from uuid import UUID

import xxhash

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.catalogue import Catalogue, Record
from wakuwaku_gen.compat.codecs import Codecs, DecodeError
from wakuwaku_gen.compat.edit import Edit, Subject
from wakuwaku_gen.compat.finding import Finding
from wakuwaku_gen.compat.lock import Lock, latest
from wakuwaku_gen.compat.payload import PayloadError, payload
from wakuwaku_gen.compat.spaces import SCALARS, writes
from wakuwaku_gen.diagnostics import Severity, Span
from wakuwaku_gen.model.constraints import UNCONSTRAINED
from wakuwaku_gen.model.digest import spell
from wakuwaku_gen.model.schema import EventModel, HashName, KeyModel
from wakuwaku_gen.model.types import EnumRef

__all__ = ["key_bytes", "key_hash", "key_vectors", "layout_of", "record_vector"]

_WIDTHS: Final = {f"{sign}{bits}": (bits // 8, sign == "i") for sign in "iu" for bits in (8, 16, 32, 64)}
#: How many keys are kept of each key type.
_KEYS: Final = 3


def layout_of(key: KeyModel, held: Catalogue) -> tuple[str, ...]:
    """Return what a key's hash reads its fields as, in order."""
    return tuple(
        ("str" if held.enum(field.type.target).base == "str" else "i64")
        if isinstance(field.type, EnumRef)
        else spell(field.type)
        for field in key.fields
    )


def key_bytes(layout: tuple[str, ...], values: tuple[object, ...]) -> bytes:
    """Return the bytes a hash reads; values are plain ones, a UUID as its text or its bytes."""
    return b"".join(_bytes_of(kind, value) for kind, value in zip(layout, values, strict=True))


def _bytes_of(kind: str, value: object) -> bytes:
    match kind:
        case "bool":
            return b"\x01" if value else b"\x00"
        case "str":
            return str(value).encode() + b"\xff"
        case "bytes":
            data = cast("bytes", value)
            return len(data).to_bytes(8, "little") + data
        case "UUID":
            data = UUID(str(value)).bytes
            return len(data).to_bytes(8, "little") + data
        case _:
            width, signed = _WIDTHS[kind]
            return cast("int", value).to_bytes(width, "little", signed=signed)


def key_hash(data: bytes, name: HashName) -> int | None:
    """Return the hash of a key's bytes; None for SipHash-1-3 where the extra `rust` is not installed."""
    if name == "xxh3":
        return xxhash.xxh3_64_intdigest(data)
    try:
        import siphash24  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    return int.from_bytes(siphash24.siphash13(data, key=bytes(16)).digest(), "little")


def key_vectors(key: KeyModel, held: Catalogue) -> Iterator[Mapping[str, object]]:
    """Return some keys: their values, the bytes that are hashed, and the hash."""
    layout = layout_of(key, held)
    choices = [
        list(dict.fromkeys(writes(field.type, field.constraints, held, UNCONSTRAINED)))[:_KEYS]
        for field in key.fields
        if isinstance(field.type, SCALARS)
    ]
    chosen = (tuple(values[min(number, len(values) - 1)] for values in choices) for number in range(_KEYS))
    for values in dict.fromkeys(chosen):
        data = key_bytes(layout, values)
        yield {
            "values": [value.hex() if isinstance(value, bytes) else value for value in values],
            "bytes": data.hex(),
            "hash": key_hash(data, key.hash),
        }


def record_vector(event: EventModel, held: Catalogue, codecs: Codecs) -> bytes | None:
    """Return the smallest record of an event; None when constraints leave none that can be found."""
    record = Record(event.id, event.fields)
    try:
        return codecs.rewrite(record, payload(held, record))
    except (PayloadError, *DecodeError):
        return None


def golden_findings(lock: Lock) -> Iterator[Finding]:
    """Return where this build hashes keys or writes records otherwise than the one that made the lock."""
    if not lock.versions:
        return
    label, held = lock.versions[-1]
    codecs = Codecs(held, ordered=True)
    for line in latest(lock, "key"):
        key = held.keys.get(line["key"])
        if key is not None and not all(_hashes_alike(key, held, vector) for vector in line.get("golden", ())):
            yield _finding("KEY_HASHER_CHANGED", line["key"], f"keys of topic {line['key']!r}", label, key.span)
    for line in latest(lock, "event"):
        topic, _, tag = str(line["event"]).rpartition("/")
        event = held.events.get((topic, int(tag)))
        if event is not None and "golden" in line and not _writes_alike(event, codecs, bytes.fromhex(line["golden"])):
            yield _finding("CODEC_CHANGED", line["event"], f"records of {event.id.name!r}", label, event.span)


def _hashes_alike(key: KeyModel, held: Catalogue, vector: Mapping[str, Any]) -> bool:
    layout = layout_of(key, held)
    values = tuple(
        bytes.fromhex(value) if kind == "bytes" else value for kind, value in zip(layout, vector["values"], strict=True)
    )
    data = key_bytes(layout, values)
    hashed = key_hash(data, key.hash)
    known = vector["hash"]
    return data.hex() == vector["bytes"] and (hashed is None or known is None or hashed == known)


def _writes_alike(event: EventModel, codecs: Codecs, body: bytes) -> bool:
    try:
        return codecs.relay(Record(event.id, event.fields), body) == body
    except DecodeError:
        return False


def _finding(rule: str, place: str, what: str, label: str, span: Span) -> Finding:
    verb = "are hashed" if rule == "KEY_HASHER_CHANGED" else "are written"
    edit = Edit(
        rule,
        Subject(place),
        f"{what} {verb} otherwise by this build than by the one that released {label}",
        Axes(Verdict.ERROR, Verdict.ERROR),
        None,
        span,
        "do not release with it: use the version of wakuwaku that made the lock, and report this",
        detail="golden",
    )
    return Finding(edit, edit.axes, Severity.ERROR, (label,), (), (place,))
