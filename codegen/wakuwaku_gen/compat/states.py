"""Tell states of an event apart, so that of fifty versions only those are compared in which it was another one.

A state is all that matters of an event: what it declares, its key, and every type it reaches; places do not.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeAlias

from wakuwaku_gen.compat.catalogue import Address, Catalogue, TypeModel, references
from wakuwaku_gen.model.schema import EnumModel, EventModel, FieldModel, KeyModel, StructModel
from wakuwaku_gen.model.types import TypeName

__all__ = ["State", "States"]

State: TypeAlias = Hashable


class States:
    """Return states of events; models that several versions share are looked at once.

    A lock holds no docs and no files, so they count only where `docs` says that other versions are compared.
    """

    def __init__(self, *, docs: bool) -> None:
        self._docs = docs
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[int, tuple[object, int]] = {}  # by identity; the object is kept, so that it stays unique
        self._named: dict[int, tuple[object, tuple[TypeName, ...]]] = {}
        self._closures: dict[int, tuple[object, dict[TypeName, frozenset[TypeName]]]] = {}
        self._inside: dict[int, tuple[object, dict[TypeName, int]]] = {}

    def of(self, held: Catalogue, address: Address) -> State:
        """Return the state of an event in a version."""
        event = held.events[address]
        named = self._named.get(id(event))
        if named is None:
            names = dict.fromkeys(name for field in event.fields for name in references(field.type))
            named = self._named[id(event)] = (event, tuple(names))
        inside = self._inside.setdefault(id(held.types), (held.types, {}))[1]
        types = tuple(inside[name] if name in inside else self._held(name, held, inside) for name in named[1])
        return (self._number(event), self._number(held.keys[address[0]]), types)

    def _held(self, name: TypeName, held: Catalogue, known: dict[TypeName, int]) -> int:
        """Return a number for a type and all that it holds."""
        closures = self._closures.setdefault(id(held.types), (held.types, {}))[1]
        content = frozenset((one, self._number(held.types[one])) for one in _closure(name, held.types, closures))
        known[name] = self._numbers.setdefault(content, len(self._numbers))
        return known[name]

    def kept(self, one: Catalogue, other: Catalogue, addresses: Iterable[Address]) -> frozenset[Address]:
        """Return the events that two versions declare alike, their keys too; what they hold may differ."""
        return frozenset(
            address
            for address in addresses
            if address in one.events
            and self._number(one.events[address]) == self._number(other.events[address])
            and self._number(one.keys[address[0]]) == self._number(other.keys[address[0]])
        )

    def same(self, one: Catalogue, other: Catalogue) -> frozenset[TypeName]:
        """Return the types that two versions declare alike, with all that they hold."""
        equal = {
            name
            for name, model in one.types.items()
            if name in other.types and self._number(model) == self._number(other.types[name])
        }
        closures = self._closures.setdefault(id(one.types), (one.types, {}))[1]
        return frozenset(name for name in equal if _closure(name, one.types, closures) <= equal)

    def _number(self, model: EventModel | KeyModel | TypeModel) -> int:
        known = self._known.get(id(model))
        if known is None:
            number = self._numbers.setdefault(_content(model, docs=self._docs), len(self._numbers))
            known = self._known[id(model)] = (model, number)
        return known[1]


def _closure(
    name: TypeName, types: Mapping[TypeName, TypeModel], known: dict[TypeName, frozenset[TypeName]]
) -> frozenset[TypeName]:
    found = known.get(name)
    if found is None:
        seen: set[TypeName] = set()
        pending = [name]
        while pending:
            one = pending.pop()
            if one not in seen:
                seen.add(one)
                pending.extend(_held(types[one]))
        found = known[name] = frozenset(seen)
    return found


def _held(model: TypeModel) -> Iterable[TypeName]:
    if isinstance(model, StructModel):
        return [name for field in model.fields for name in references(field.type)]
    return () if isinstance(model, EnumModel) else model.variants


def _content(model: EventModel | KeyModel | TypeModel, *, docs: bool) -> Hashable:
    match model:
        case EventModel():
            law = (model.algebra, model.ordering, tuple(sorted(model.combine.items())))
            rest = ((model.doc, model.span.file.name) if docs else (), model.deprecated, model.draft)
            return (model.id, model.tag, model.key, law, rest, _fields(model.fields, docs=docs))
        case KeyModel():
            return (model.id, model.topic, model.hash, model.partitions, _fields(model.fields, docs=docs))
        case EnumModel():
            members = tuple((member.name, member.value) for member in model.members)
            return (model.id, model.open, model.draft, members)
        case StructModel():
            return (model.id, model.tagged, model.draft, _fields(model.fields, docs=docs))
        case _:
            return (model.id, model.draft, model.variants)


def _fields(fields: Iterable[FieldModel], *, docs: bool) -> Hashable:
    return tuple(
        (
            field.name,
            field.wire,
            field.type,
            field.constraints,
            field.has_default,
            repr(field.default),
            field.compare,
            field.doc if docs else "",
        )
        for field in fields
    )
