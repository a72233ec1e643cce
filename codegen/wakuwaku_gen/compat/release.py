"""What a release adds to the lock: every shape that is not as the lock has it, and what was approved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wakuwaku_gen.compat.catalogue import Catalogue, TypeModel
from wakuwaku_gen.compat.codecs import Codecs
from wakuwaku_gen.compat.errors import CompatError
from wakuwaku_gen.compat.finding import Finding
from wakuwaku_gen.compat.golden import key_vectors, record_vector
from wakuwaku_gen.compat.lock import FORMAT, Line, Lock, kind_of
from wakuwaku_gen.compat.version import parse_version
from wakuwaku_gen.model.digest import constraints_data, spell, value_data
from wakuwaku_gen.model.schema import EnumModel, EventModel, FieldModel, KeyModel, StructModel

__all__ = ["changed_subjects", "check_version", "release_lines"]

#: What tells a record by itself, without deciding whether a shape changed: golden vectors stay as they first were.
_ASIDE = ("release", "golden")


def check_version(lock: Lock, version: str) -> None:
    """Raise `CompatError` for a version that is none, is in the lock already, or is not behind all that are."""
    try:
        wanted = parse_version(version)
    except ValueError as error:
        raise CompatError(str(error), "give a version such as 1.4.0") from error
    if not lock.versions:
        return
    last, _ = lock.versions[-1]
    if wanted <= parse_version(last):
        known = any(parse_version(one) == wanted for one, _ in lock.versions)
        message = (
            f"version {version} was released" if known else f"version {last} was released, and {version} is before it"
        )
        raise CompatError(message, f"give a version behind {last}; the lock is only ever added to")


def release_lines(lock: Lock, held: Catalogue, version: str, approved: Iterable[Finding] = ()) -> tuple[Line, ...]:
    """Return all lines of the lock with those of a new version; what did not change since the last one adds none."""
    codecs = Codecs(held, ordered=True)
    added: list[Line] = [{"release": version}]
    now = _shapes(held)
    last = _last(lock)
    for (kind, subject), data in now.items():
        if last.get((kind, subject)) != data:
            golden = _golden(kind, subject, held, codecs)
            added.append({kind: subject, "release": version, **data, **({"golden": golden} if golden else {})})
    for (kind, subject), data in last.items():
        if (kind, subject) not in now and not _is_gone(kind, data):
            ended: Mapping[str, object] = {"tags": [], "names": []} if kind == "reserved" else {"gone": True}
            added.append({kind: subject, "release": version, **ended})
    added += (
        {
            "accepted": finding.fingerprint,
            "release": version,
            "rule": finding.rule,
            "at": finding.place,
            "reason": finding.approved,
        }
        for finding in approved
    )
    return (*(lock.lines or ({"lock": FORMAT},)), *added)


def changed_subjects(lock: Lock, held: Catalogue) -> list[str]:
    """Return what is not as the last version in the lock has it."""
    now, last = _shapes(held), _last(lock)
    changed = [subject for (kind, subject), data in now.items() if last.get((kind, subject)) != data]
    gone = [
        subject for (kind, subject), data in last.items() if (kind, subject) not in now and not _is_gone(kind, data)
    ]
    return sorted({*changed, *gone})


def _is_gone(kind: str, data: Mapping[str, object]) -> bool:
    return data == {"tags": [], "names": []} if kind == "reserved" else "gone" in data


def _last(lock: Lock) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], tuple[Any, dict[str, Any]]] = {}
    for line in lock.lines:
        kind = kind_of(line)
        if kind in {"key", "type", "event", "reserved"}:
            version = parse_version(line["release"])
            before = found.get((kind, line[kind]))
            if before is None or before[0] < version:
                found[kind, line[kind]] = (version, _bare(kind, line))
    return {subject: data for subject, (_, data) in found.items()}


def _bare(kind: str, line: Line) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name != kind and name not in _ASIDE}


# Shapes as plain data


def _shapes(held: Catalogue) -> dict[tuple[str, str], dict[str, object]]:
    reached = {name for event in held.events.values() for name in held.reached(event.fields)}
    reached |= {name for key in held.keys.values() for name in held.reached(key.fields)}
    found: dict[tuple[str, str], dict[str, object]] = {}
    for topic, key in held.keys.items():
        found["key", topic] = _key(key)
    for name in reached:
        found["type", str(name)] = _type(held.types[name])
    for (topic, tag), event in held.events.items():
        found["event", f"{topic}/{tag}"] = _event(event)
    for topic, reserved in held.reserved.items():
        found["reserved", topic] = {"tags": sorted(reserved.tags), "names": sorted(reserved.names)}
    return found


def _key(key: KeyModel) -> dict[str, object]:
    return {"name": str(key.id), "hash": key.hash, "partitions": key.partitions, "fields": _fields(key.fields)}


def _event(event: EventModel) -> dict[str, object]:
    data: dict[str, object] = {
        "name": str(event.id),
        "key": event.key.name,
        "algebra": event.algebra,
        "ordering": event.ordering,
    }
    if event.combine:
        data["combine"] = dict(event.combine)
    if event.deprecated is not None:
        data["deprecated"] = event.deprecated
    return data | _draft(event) | {"fields": _fields(event.fields)}


def _draft(model: EventModel | TypeModel) -> dict[str, object]:
    return {"draft": True} if model.draft else {}


def _type(model: TypeModel) -> dict[str, object]:
    if isinstance(model, EnumModel):
        members = {member.name: member.value for member in model.members}
        return {"kind": "enum", "open": model.open, **_draft(model), "members": members}
    if isinstance(model, StructModel):
        return {"kind": "struct", "tagged": model.tagged, **_draft(model), "fields": _fields(model.fields)}
    return {"kind": "union", **_draft(model), "variants": [str(name) for name in model.variants]}


def _fields(fields: Iterable[FieldModel]) -> list[dict[str, object]]:
    return [_field(field) for field in fields]


def _field(field: FieldModel) -> dict[str, object]:
    data: dict[str, object] = {"name": field.name, "type": spell(field.type)}
    if field.wire != field.name:
        data["wire"] = field.wire
    if constraints := constraints_data(field.constraints):
        data["constraints"] = constraints
    if field.has_default:
        data["default"] = value_data(field.default)
    if not field.compare:
        data["compare"] = False
    return data


def _golden(kind: str, subject: str, held: Catalogue, codecs: Codecs) -> object:
    if kind == "key":
        return list(key_vectors(held.keys[subject], held))
    if kind == "event":
        topic, _, tag = subject.rpartition("/")
        body = record_vector(held.events[topic, int(tag)], held, codecs)
        return None if body is None else body.hex()
    return None
