"""The lock: the history of all released versions in one file that is only ever added to.

One record a line, sorted by what it is about, so that two branches merge without a conflict:

    {"lock": 1}                                       the format
    {"release": "1.4.0"}                              a version
    {"key": "orders", "release": "1.4.0", …}          a key type as of that version, by its topic, with golden hashes
    {"event": "orders/3", "release": "1.4.0", …}      an event by topic and tag, with a golden record
    {"type": "shop.Line", "release": "1.4.0", …}      an enum, struct or union
    {"reserved": "orders", "release": "1.4.0", …}     the tombstones of a topic
    {"accepted": "0123456789ab", "release": …}        a finding that was approved when the version was released

A version holds, of everything, the last record up to it; a record with `"gone": true` ends what it is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final, TypeAlias, cast

import msgspec

from wakuwaku_gen.compat.catalogue import Catalogue, Tombstones, TypeModel
from wakuwaku_gen.compat.errors import CompatError
from wakuwaku_gen.compat.spelling import Kinds, parse_type, parse_value
from wakuwaku_gen.compat.version import parse_version
from wakuwaku_gen.diagnostics import Span
from wakuwaku_gen.model.constraints import UNCONSTRAINED
from wakuwaku_gen.model.names import event_names
from wakuwaku_gen.model.schema import (
    Constraints,
    EnumMember,
    EnumModel,
    EventModel,
    FieldModel,
    KeyModel,
    StructModel,
    UnionModel,
)
from wakuwaku_gen.model.types import FieldType, TypeName

__all__ = ["FORMAT", "LOCK", "Line", "Lock", "dump_lock", "kind_of", "latest", "parse_lock"]

FORMAT: Final = 1
LOCK: Final = "wakuwaku.lock"
#: The kinds of lines, in the order in which they stand in the file.
_KINDS: Final = ("lock", "release", "key", "type", "event", "reserved", "accepted")
#: A line as plain data.
Line: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Lock:
    """Hold a lock: its lines, and the versions in order with what each one held.

    `accepted` has the number of the release by which a finding was accepted, by its fingerprint.
    """

    lines: tuple[Line, ...] = ()
    versions: tuple[tuple[str, Catalogue], ...] = ()
    accepted: Mapping[str, int] = field(default_factory=dict[str, int])


def _sort_key(line: Line) -> tuple[Any, ...]:
    kind = kind_of(line)
    subject = str(line[kind])
    if kind == "release":
        return (1, "", 0, parse_version(subject))
    name, _, tag = subject.rpartition("/")
    place = (name, int(tag)) if kind == "event" else (subject, 0)
    version = parse_version(line["release"]) if "release" in line else parse_version("0")
    return (_KINDS.index(kind), *place, version)


def kind_of(line: Line) -> str:
    """Return of what kind a line is: its first key says so. Raises `KeyError` for a line of no kind."""
    kind = next(iter(line))
    if kind not in _KINDS:
        raise KeyError(kind)
    return kind


def latest(lock: Lock, kind: str) -> Iterator[Line]:
    """Return the last line of each thing of a kind that is not gone."""
    found: dict[str, Line] = {}
    for line in lock.lines:
        if kind_of(line) == kind:
            before = found.get(line[kind])
            if before is None or parse_version(before["release"]) < parse_version(line["release"]):
                found[line[kind]] = line
    return (line for line in found.values() if "gone" not in line)


def dump_lock(lines: Iterable[Line]) -> str:
    """Return the text of a lock: sorted, one record a line."""
    ordered = sorted(lines, key=_sort_key)
    return "".join(f"{json.dumps(line, ensure_ascii=False, separators=(', ', ': '))}\n" for line in ordered)


def parse_lock(data: bytes, shown: PurePosixPath) -> Lock:
    """Read a lock; raises `CompatError` with the line for one that is broken or of a format that is not known."""
    lines: list[tuple[Line, Span]] = []
    for number, text in enumerate(data.split(b"\n"), 1):
        if text.strip():
            lines.append((_parse_line(text, Span(shown, number)), Span(shown, number)))
    if not lines or kind_of(lines[0][0]) != "lock":
        raise CompatError(f'{shown}:1: no lock: the first line is not {{"lock": {FORMAT}}}', "restore it from git")
    try:
        return _Builder(lines).lock()
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise CompatError(
            f"{shown}: the lock is damaged: {error}", "restore it from git; it is only ever added to"
        ) from error


def _parse_line(text: bytes, span: Span) -> Line:
    try:
        line: Line = msgspec.json.decode(text, type=dict[str, Any])
        kind = kind_of(line)
        if kind not in {"lock", "release"}:
            parse_version(line["release"])
    except (msgspec.DecodeError, StopIteration, KeyError, TypeError, ValueError) as error:
        conflict = text.startswith((b"<<<<<<<", b"=======", b">>>>>>>"))
        help_ = "keep the lines of both sides and remove the markers" if conflict else "restore it from git"
        raise CompatError(f"{span.file}:{span.line}: no line of a lock", help_) from error
    if kind == "lock" and line["lock"] != FORMAT:
        message = f"{span.file}:{span.line}: a lock of format {line['lock']}; this version knows format {FORMAT}"
        raise CompatError(message, "update wakuwaku")
    return line


class _Builder:
    """Make the catalogue of each version; what did not change between two of them they share."""

    def __init__(self, lines: Sequence[tuple[Line, Span]]) -> None:
        self._lines = lines
        self._types: dict[str, FieldType] = {}  # by their spelling, as long as every name is of one kind
        self._kinds: Kinds = {}
        self._last: dict[tuple[str, str], tuple[str, Line, Span]] = {}

    def lock(self) -> Lock:
        by_release: dict[str, list[tuple[str, Line, Span]]] = {}
        accepted: dict[str, int] = {}
        for line, _ in self._lines:
            if kind_of(line) == "release":
                by_release.setdefault(line["release"], [])
        order = sorted(by_release, key=parse_version)
        numbers = {release: number for number, release in enumerate(order)}
        for line, span in self._lines:
            kind = kind_of(line)
            if kind == "accepted":
                accepted[line["accepted"]] = max(numbers[line["release"]], accepted.get(line["accepted"], -1))
            elif kind not in {"lock", "release"}:
                by_release[line["release"]].append((kind, line, span))
        versions: list[tuple[str, Catalogue]] = []
        held = Catalogue()
        for release in order:
            held = self._next(held, by_release[release])
            versions.append((release, held))
        return Lock(tuple(line for line, _ in self._lines), tuple(versions), accepted)

    def _next(self, before: Catalogue, lines: Sequence[tuple[str, Line, Span]]) -> Catalogue:
        changed = {kind for kind, _, _ in lines}
        events = dict(before.events) if "event" in changed else before.events
        keys = dict(before.keys) if "key" in changed else before.keys
        types = dict(before.types) if "type" in changed else before.types
        reserved = dict(before.reserved) if "reserved" in changed else before.reserved
        kinds = _kinds_of(types, lines)
        if any(kinds.get(name, kind) != kind for name, kind in self._kinds.items()):
            self._types.clear()
            lines = [*self._last.values(), *lines]  # what names the type has to be read anew
            events, keys, types = dict(before.events), dict(before.keys), dict(before.types)
        self._kinds = {**self._kinds, **kinds}  # also of those that are gone: they may come back as another kind
        for kind, line, span in lines:
            self._last[kind, line[kind]] = (kind, line, span)
            goal: dict[Any, Any] = cast(
                "dict[Any, Any]", {"event": events, "key": keys, "type": types, "reserved": reserved}[kind]
            )
            subject, made = self._made(kind, line, span)
            if made is None:
                goal.pop(subject, None)
            else:
                goal[subject] = made
        return Catalogue(events, keys, types, reserved)

    def _made(self, kind: str, line: Line, span: Span) -> tuple[Any, Any]:
        subject = line[kind]
        gone = line.get("gone", False)
        match kind:
            case "event":
                topic, _, tag = subject.rpartition("/")
                return (topic, int(tag)), None if gone else self._event(line, int(tag), span)
            case "key":
                return subject, None if gone else self._key(line, span)
            case "type":
                name = _type_name(subject)
                return name, None if gone else self._type(name, line, span)
            case _:
                return subject, Tombstones(frozenset(line["tags"]), frozenset(line["names"]), span)

    def _event(self, line: Line, tag: int, span: Span) -> EventModel:
        name = _type_name(line["name"])
        return EventModel(
            id=name,
            tag=tag,
            key=TypeName(name.namespace, line["key"]),
            algebra=line["algebra"],
            ordering=line["ordering"],
            max_batch=1,
            fields=self._fields(line, span),
            combine=line.get("combine", {}),
            doc=line.get("doc", ""),
            deprecated=line.get("deprecated"),
            names=event_names(name.name),
            span=span,
            draft=line.get("draft", False),
        )

    def _key(self, line: Line, span: Span) -> KeyModel:
        return KeyModel(
            id=_type_name(line["name"]),
            topic=line["key"],
            hash=line["hash"],
            partitions=line["partitions"],
            fields=self._fields(line, span),
            doc="",
            span=span,
        )

    def _type(self, name: TypeName, line: Line, span: Span) -> TypeModel:
        draft = line.get("draft", False)
        if line["kind"] == "enum":
            members = tuple(EnumMember(one, value, "", span) for one, value in line["members"].items())
            base = "int" if isinstance(members[0].value, int) else "str"
            return EnumModel(name, members, cast("Any", base), line.get("open", False), "", span, draft)
        if line["kind"] == "struct":
            return StructModel(name, self._fields(line, span), line.get("tagged", False), "", span, draft)
        return UnionModel(name, tuple(map(_type_name, line["variants"])), "", span, draft)

    def _fields(self, line: Line, span: Span) -> tuple[FieldModel, ...]:
        return tuple(self._field(data, span) for data in line["fields"])

    def _field(self, data: Mapping[str, Any], span: Span) -> FieldModel:
        constraints = data.get("constraints")
        type_ = self._types.get(data["type"])
        if type_ is None:
            type_ = self._types[data["type"]] = parse_type(data["type"], self._kinds)
        return FieldModel(
            name=data["name"],
            wire=data.get("wire", data["name"]),
            type=type_,
            constraints=UNCONSTRAINED if constraints is None else Constraints(**constraints),
            has_default="default" in data,
            default=parse_value(data.get("default")),
            compare=data.get("compare", True),
            doc="",
            span=span,
        )


def _kinds_of(types: Mapping[TypeName, TypeModel], lines: Sequence[tuple[str, Line, Span]]) -> Kinds:
    """Return the kind of each type as of a version: a name may have been another kind earlier."""
    kinds: dict[str, Any] = {str(name): _MODELS[type(model)] for name, model in types.items()}
    kinds.update({line["type"]: line["kind"] for kind, line, _ in lines if kind == "type" and "kind" in line})
    return kinds


_MODELS: Final = {EnumModel: "enum", StructModel: "struct", UnionModel: "union"}


def _type_name(text: str) -> TypeName:
    namespace, _, name = text.rpartition(".")
    return TypeName(namespace, name)
