"""Compare two whole versions: which events met, moved, came and went, and what changed in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.breaks import Place
from wakuwaku_gen.compat.catalogue import Address, Catalogue, Record, references
from wakuwaku_gen.compat.edit import Edit, Reserve, Subject
from wakuwaku_gen.compat.naming.events import behaviour_edits
from wakuwaku_gen.compat.naming.fields import field_edits
from wakuwaku_gen.compat.naming.keys import key_edits, reserved_edits
from wakuwaku_gen.compat.naming.owner import Owner
from wakuwaku_gen.compat.pairs import Both, moved
from wakuwaku_gen.model.schema import EventModel, FieldModel, StructModel
from wakuwaku_gen.model.types import TypeName

__all__ = ["Named", "name_changes"]

_Pair: TypeAlias = tuple[TypeName, TypeName]
_ERROR, _WARNING = Verdict.ERROR, Verdict.WARNING
_LOST: Final = Axes(_ERROR, _ERROR)
#: Two events of different names under one tag are one renamed event when they share so much of their fields.
_ALIKE: Final = 0.5
_RENAMES: Final = {"FIELD_RENAME_SUSPECTED", "FIELD_WIRE_NAME_CHANGED"}


@dataclass(frozen=True, slots=True)
class Named:
    """Hold an edit, the events it concerns, and of which of them its breaks tell: the first one."""

    edit: Edit
    events: tuple[Address, ...]


def name_changes(
    both: Both, addresses: frozenset[Address] | None = None, *, recent: Catalogue | None = None
) -> list[Named]:
    """Name all that differs between two versions.

    `recent` is the latest version when an older one is compared; then only what matters to records is told, and not
    what the latest version had already. `addresses` are the old version's events to look at; None is all of them.
    """
    return _Comparison(both, addresses, recent).named()


class _Comparison:
    def __init__(self, both: Both, addresses: frozenset[Address] | None, recent: Catalogue | None) -> None:
        self._both, self._recent = both, recent
        self._new, self._old = both.new, both.old
        self._addresses = frozenset(self._old.events) if addresses is None else addresses
        self._moved = self._moved_topics()
        self._now = {event.id: address for address, event in self._new.events.items()}
        self._then = {event.id: address for address, event in self._old.events.items()}

    def named(self) -> list[Named]:
        return [*self._topics(), *self._events(), *self._fields()]

    # topics

    def _moved_topics(self) -> Mapping[str, str]:
        """Return the new topic of each key type that took its events elsewhere."""
        now = self._new.topics
        return {
            topic: now[key.id]
            for topic, key in self._old.keys.items()
            if topic not in self._new.keys and key.id in now and now[key.id] not in self._old.keys
        }

    def _topics(self) -> Iterator[Named]:
        for topic in self._old.keys:
            events = tuple(address for address in self._new.events if address[0] == topic)
            on_topic = tuple(address for address in self._addresses if address[0] == topic)
            if topic in self._new.keys:
                for edit in key_edits(self._both, topic, latest=self._recent is None):
                    shown = tuple(address for address in events if address in self._old.events)
                    yield Named(edit, shown)
                for edit in reserved_edits(self._new, self._old, topic):
                    yield Named(edit, ())
            elif topic in self._moved and on_topic:
                yield Named(self._topic_changed(topic), on_topic)

    def _topic_changed(self, topic: str) -> Edit:
        new, old = self._new.keys[self._moved[topic]], self._old.keys[topic]
        return Edit(
            "TOPIC_CHANGED",
            Subject(topic),
            f"events of key {new.id.name!r} go to topic {new.topic!r} now and went to {topic!r}",
            _LOST,
            new.places.get("topic", new.span),
            old.span,
            "keep the topic; or drain the old one, retry topic included, before consumers of the new version start",
            detail=f"{topic} -> {new.topic}",
        )

    # events as a whole

    def _events(self) -> Iterator[Named]:
        for address in sorted(self._addresses):
            old = self._old.events[address]
            if old.draft or address[0] in self._moved:
                continue
            new = self._new.events.get(address)
            if new is None:
                yield self._gone(address, old)
            elif not new.draft and not self._is_same(address, new, old):
                yield Named(self._reused(address, new, old), (address,))
            elif new.id.name != old.id.name and self._recent is None:
                yield Named(self._renamed(address, new, old), (address,))
        yield from self._came()

    def _is_same(self, address: Address, new: EventModel, old: EventModel) -> bool:
        """Tell whether what stands under a tag is the event that stood there, perhaps under another name."""
        if new.id.name == old.id.name:
            return True
        if old.id in self._now or new.id in self._then:
            return False
        if self._recent is not None:
            between = self._recent.events.get(address)
            if between is None:
                return False
            if between.id.name == new.id.name:
                return True
        return _likeness(self._own(new, self._new), self._own(old, self._old)) >= _ALIKE

    def _own(self, event: EventModel, held: Catalogue) -> set[tuple[str, object]]:
        key = {field.wire for field in held.keys[held.topics[event.key]].fields}
        return {(field.wire, type(field.type)) for field in event.fields if field.wire not in key}

    def _gone(self, address: Address, old: EventModel) -> Named:
        topic, tag = address
        elsewhere = self._now.get(old.id)
        stayed = self._recent is None or any(event.id == old.id for event in self._recent.events.values())
        if elsewhere is not None and elsewhere not in self._old.events and stayed:
            new = self._new.events[elsewhere]
            if elsewhere[0] == topic:
                return Named(self._tag_changed(address, new, old), (address,))
            return Named(self._event_moved(address, new, old), (address,))
        reserved = self._new.reserved.get(topic)
        tombstone = reserved is not None and tag in reserved.tags
        at = self._new.keys[topic].span if topic in self._new.keys else None
        edit = Edit(
            "EVENT_REMOVED",
            Subject(f"{topic}/{tag}"),
            f"the event {old.id.name!r}, tag {tag} of topic {topic!r}, is gone",
            Axes(_ERROR, source=_ERROR),
            at,
            old.span,
            "keep it and mark it `deprecated` as long as its records are in the log"
            + ("" if tombstone else f"; when they are gone, reserve its tag: tags = [{tag}]"),
            fix=None if tombstone or topic not in self._new.keys else Reserve(topic, (old.id.name,), (tag,)),
        )
        return Named(edit, (address,))

    def _tag_changed(self, address: Address, new: EventModel, old: EventModel) -> Edit:
        topic, tag = address
        return Edit(
            "TAG_CHANGED",
            Subject(f"{topic}/{tag}"),
            f"{new.id.name!r} has the tag {new.tag} now and had {tag}",
            _LOST,
            new.places.get("tag", new.span),
            old.span,
            f"write `tag = {tag}` again: the tag is what a record says it is",
            detail=f"{tag} -> {new.tag}",
        )

    def _event_moved(self, address: Address, new: EventModel, old: EventModel) -> Edit:
        topic, tag = address
        goal = self._new.topics[new.key]
        return Edit(
            "TOPIC_CHANGED",
            Subject(f"{topic}/{tag}"),
            f"{new.id.name!r} goes to topic {goal!r} now and went to {topic!r}",
            _LOST,
            new.places.get("key", new.span),
            old.span,
            "declare a new event on the new topic, and keep this one until its records are gone",
            detail=f"{topic} -> {goal}",
        )

    def _reused(self, address: Address, new: EventModel, old: EventModel) -> Edit:
        topic, tag = address
        return Edit(
            "TAG_REUSED",
            Subject(f"{topic}/{tag}"),
            f"tag {tag} of topic {topic!r} is {new.id.name!r} now and was {old.id.name!r}",
            _LOST,
            new.places.get("tag", new.span),
            old.span,
            "take a new tag: records of the old event would be read as the new one",
            detail=f"{old.id.name} -> {new.id.name}",
        )

    def _renamed(self, address: Address, new: EventModel, old: EventModel) -> Edit:
        topic, tag = address
        return Edit(
            "EVENT_RENAMED",
            Subject(f"{topic}/{tag}"),
            f"{old.id.name!r} is called {new.id.name!r} now; its tag stays {tag}",
            Axes(source=_ERROR),
            new.span,
            old.span,
            detail=f"{old.id.name} -> {new.id.name}",
        )

    def _came(self) -> Iterator[Named]:
        if self._recent is not None:
            yield from self._names_reused()
            return
        for address, new in sorted(self._new.events.items()):
            if address in self._old.events or new.draft or address[0] in self._moved.values():
                continue
            then = self._then.get(new.id)
            if then is not None and then not in self._new.events:
                continue  # it changed its tag or its topic
            known = address[0] in self._old.keys
            edit = Edit(
                "EVENT_ADDED",
                Subject(f"{address[0]}/{address[1]}"),
                f"{new.id.name!r} is new on topic {address[0]!r}",
                Axes(forward=_WARNING if known else Verdict.OK),
                new.span,
                help="bring consumers out first: one that does not know the tag passes such records over"
                if known
                else None,
            )
            yield Named(edit, (address,))

    def _names_reused(self) -> Iterator[Named]:
        recent = self._recent
        for id_, address in self._now.items():
            then = self._then.get(id_)
            if (
                recent is None
                or then is None
                or then == address
                or address in recent.events
                or then in self._new.events
            ):
                continue
            if any(event.id == id_ for event in recent.events.values()):
                continue
            new = self._new.events[address]
            edit = Edit(
                "NAME_REUSED",
                Subject(f"{address[0]}/{address[1]}"),
                f"an event that is gone was called {id_.name!r}, too",
                Axes(source=_WARNING),
                new.span,
                self._old.events[then].span,
                "take another name: logs and imports of the two can't be told apart",
            )
            yield Named(edit, (address,))

    # fields

    def _fields(self) -> Iterator[Named]:
        structs: dict[_Pair, tuple[Place, dict[Address, None]]] = {}
        below: dict[TypeName, list[_Pair]] = {}
        for address in sorted(self._addresses):
            old, new = self._old.events[address], self._new.events.get(address)
            if new is None or old.draft or new.draft or not self._is_same(address, new, old):
                continue
            changed = self._structs_alone(address, new)
            if changed is not None and all(name in below for name in changed):
                for pair in (pair for name in changed for pair in below[name]):
                    structs[pair][1][address] = None
                continue
            self._both.compared.append(address)
            yield from self._event(address, new, old)
            for place, one, other in self._both.routes(Record(new.id, new.fields), Record(old.id, old.fields))[1:]:
                structs.setdefault((one.id, other.id), (place, {}))[1][address] = None
            for name in changed or ():
                routes = self._both.routes(self._new.record(name), self._old.record(name))
                below[name] = [(one.id, other.id) for _, one, other in routes]
        for pair, (place, events) in structs.items():
            if pair not in self._both.folded:
                for edit in self._struct(*pair, tuple(dict.fromkeys(topic for topic, _ in events))):
                    yield Named(_moved(edit, place), tuple(events))

    def _structs_alone(self, address: Address, new: EventModel) -> tuple[TypeName, ...] | None:
        """Return the structs of an event in which it changed, when it did so nowhere else; None when it did."""
        if address not in self._both.kept:
            return None
        named = dict.fromkeys(name for field in new.fields for name in references(field.type))
        changed = tuple(name for name in named if name not in self._both.same)
        alone = all(isinstance(held.types[name], StructModel) for held in (self._new, self._old) for name in changed)
        return changed if alone else None

    def _event(self, address: Address, new: EventModel, old: EventModel) -> Iterator[Named]:
        topic, tag = address
        recent = None
        if self._recent is not None:
            between = self._recent.events.get(address)
            recent = {} if between is None else _by_wire(between.fields)
        owner = Owner(
            "event", f"{topic}/{tag}", new.id.name, new.id.namespace, new.span, old.span, (topic,), recent=recent
        )
        apart = {field.wire for held in (self._new, self._old) for field in held.keys[topic].fields}
        records = Record(new.id, new.fields), Record(old.id, old.fields)
        edits = list(field_edits(self._both, *records, owner, apart=apart))
        renamed = {name for edit in edits if edit.rule in _RENAMES for name in edit.detail.split(" -> ")}
        behaviour = behaviour_edits(self._both, address, owner)
        edits += (edit for edit in behaviour if edit.subject.path not in renamed)  # a rename is one finding
        for edit in edits:
            yield Named(edit, (address,))

    def _struct(self, one: TypeName, other: TypeName, topics: tuple[str, ...]) -> Iterator[Edit]:
        new, old = self._new.types[one], self._old.types[other]
        recent = None
        if self._recent is not None:
            between = self._recent.types.get(one)
            recent = _by_wire(between.fields) if isinstance(between, StructModel) else {}
        owner = Owner("struct", str(one), one.name, one.namespace, new.span, old.span, topics, recent=recent)
        yield from field_edits(self._both, self._new.record(one), self._old.record(other), owner)


def _by_wire(fields: tuple[FieldModel, ...]) -> dict[str, FieldModel]:
    return {field.wire: field for field in fields}


def _likeness(one: set[tuple[str, object]], other: set[tuple[str, object]]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _moved(edit: Edit, place: Place) -> Edit:
    return replace(
        edit,
        backward=moved(edit.backward, place),
        forward=moved(edit.forward, place),
        relay=moved(edit.relay, place),
    )
