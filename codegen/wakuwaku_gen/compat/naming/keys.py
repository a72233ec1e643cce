"""Changes of key types and topics: where records go, and which of them keep their order."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.catalogue import Catalogue, Record, Tombstones
from wakuwaku_gen.compat.edit import Edit, Reserve, Subject
from wakuwaku_gen.compat.naming.fields import field_edits
from wakuwaku_gen.compat.naming.owner import Owner, Sides
from wakuwaku_gen.compat.pairs import Both
from wakuwaku_gen.model.digest import spell
from wakuwaku_gen.model.schema import KeyModel
from wakuwaku_gen.model.types import EnumRef

__all__ = ["hash_layout", "key_edits", "reserved_edits"]

_BOTH = Axes(Verdict.ERROR, Verdict.ERROR)


def hash_layout(key: KeyModel, held: Catalogue) -> tuple[str, ...]:
    """Return what a key's hash reads its fields as, in order: no names."""
    return tuple(
        ("str" if held.enum(field.type.target).base == "str" else "i64")
        if isinstance(field.type, EnumRef)
        else spell(field.type)
        for field in key.fields
    )


def key_edits(both: Both, topic: str, *, latest: bool) -> Iterator[Edit]:
    """Name what differs between the key types of a topic that both versions have."""
    new, old = both.new.keys[topic], both.old.keys[topic]
    owner = Owner(
        "key", topic, new.id.name, new.id.namespace, new.span, old.span, (topic,), recent=None if latest else {}
    )
    whole = Sides(owner, "", new.span, old.span)
    if new.partitions != old.partitions:
        yield Sides(owner, "", new.places.get("partitions", new.span), old.span).edit(
            "TOPIC_PARTITIONS_CHANGED",
            f"topic {topic!r} has {new.partitions} partitions now and had {old.partitions}",
            axes=_BOTH,
            help_="a key's records would be on two partitions, without order: drain the topic, then change it",
            detail=f"{old.partitions} -> {new.partitions}",
        )
    if new.hash != old.hash:
        yield Sides(owner, "", new.places.get("hash", new.span), old.span).edit(
            "KEY_HASHER_CHANGED",
            f"keys of topic {topic!r} are hashed by {new.hash} now and were by {old.hash}",
            axes=_BOTH,
            help_="every key gets another hash: drain the topic, then change it",
            detail=f"{old.hash} -> {new.hash}",
        )
    layouts = hash_layout(new, both.new), hash_layout(old, both.old)
    if layouts[0] != layouts[1] or _reordered(new, old):
        change = f"({_fields(old)}) -> ({_fields(new)})"
        yield whole.edit(
            "KEY_FIELDS_CHANGED",
            f"the fields of key {new.id.name!r} changed: {change}",
            axes=Axes(Verdict.ERROR, Verdict.ERROR, source=Verdict.ERROR),
            help_="the same entity gets a second hash, so its old and new records have no order and a quarantined key"
            " is free again: declare a new key type with a topic of its own",
            detail=change,
        )
        return
    records = Record(new.id, new.fields), Record(old.id, old.fields)
    yield from field_edits(both, *records, owner)


def _reordered(new: KeyModel, old: KeyModel) -> bool:
    """Tell whether fields of one type changed places: the hash reads values in order."""
    now, then = [field.wire for field in new.fields], [field.wire for field in old.fields]
    return sorted(now) == sorted(then) and now != then


def _fields(key: KeyModel) -> str:
    return ", ".join(f"{field.wire}: {spell(field.type)}" for field in key.fields)


def reserved_edits(new: Catalogue, old: Catalogue, topic: str) -> Iterator[Edit]:
    """Name tombstones that are gone."""
    now, then = new.reserved.get(topic, Tombstones()), old.reserved.get(topic, Tombstones())
    at = now.span or new.keys[topic].span
    for name in sorted(then.names - now.names):
        yield Edit(
            "RESERVED_REMOVED",
            Subject(topic, name),
            f"the name {name!r} is no longer reserved on topic {topic!r}",
            _BOTH,
            at,
            then.span,
            "reserve it again: records that hold it stay in the log",
            fix=Reserve(topic, names=(name,)),
        )
    for tag in sorted(then.tags - now.tags):
        yield Edit(
            "TAG_UNRESERVED",
            Subject(topic, str(tag)),
            f"tag {tag} is no longer reserved on topic {topic!r}",
            _BOTH,
            at,
            then.span,
            "reserve it again: its records stay in the log",
            fix=Reserve(topic, tags=(tag,)),
        )
