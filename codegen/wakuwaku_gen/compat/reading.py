"""Whether a reader of one version reads all that a writer of another one writes: `can_read`, called in both directions.

The comparison is of structure; names of types do not count. Two records (events, structs) meet in a pair; a pair has
*breaks*, values the reader refuses whatever lies deeper, and *links* to the pairs of records inside. A pair is looked
at once. What breaks anywhere below an event is found by walking the links, nearest first, so recursion ends and a break
is found on the shortest way to it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import Final, TypeAlias, cast

from wakuwaku_gen.compat.breaks import (
    Break,
    Doubt,
    Kind,
    Link,
    Place,
    Planted,
    Sized,
    Step,
)
from wakuwaku_gen.compat.catalogue import TAG_FIELD, Address, Catalogue, Record, references
from wakuwaku_gen.compat.spaces import SCALARS, Scalar, takes, undecided, writes
from wakuwaku_gen.compat.texts import lengths
from wakuwaku_gen.model.constraints import UNCONSTRAINED, bounds
from wakuwaku_gen.model.schema import Constraints, FieldModel
from wakuwaku_gen.model.types import (
    BoolType,
    EnumRef,
    FieldType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StructRef,
    TupleType,
    TypeName,
    UnionRef,
)

__all__ = ["Alike", "Reading", "can_read", "held_type"]

#: A type that is not optional.
Held: TypeAlias = Scalar | ListType | SetType | MapType | TupleType | StructRef | UnionRef
Found: TypeAlias = Break | Doubt | Link
_TAG_STEP: Final = Step("field", TAG_FIELD)


class Alike:
    """Tell whether two types are one, and so is all that they name, so that each reads what the other one writes.

    `same` are declared types that both versions declare alike, with all that they hold.
    """

    def __init__(self, same: Collection[TypeName] = ()) -> None:
        self._same = same
        self._known: dict[tuple[int, int, int, int], bool] = {}  # by identity: a catalogue keeps its types

    def __call__(self, one: FieldType, limits: Constraints, other: FieldType, others: Constraints) -> bool:
        """Tell it of a type and constraints, and another type and its constraints."""
        key = (id(one), id(limits), id(other), id(others))
        known = self._known.get(key)
        if known is None:
            known = one == other and limits == others and all(name in self._same for name in references(one))
            self._known[key] = known
        return known


class Reading:
    """Compare what is written by `writer` with what `reader` reads; every pair of records is looked at once.

    `alike` tells of which types nothing has to be compared.
    """

    def __init__(self, reader: Catalogue, writer: Catalogue, alike: Alike | None = None) -> None:
        self.reader = reader
        self.writer = writer
        self.alike = alike or Alike()
        self._pairs: dict[tuple[TypeName, TypeName], tuple[Found, ...]] = {}

    def pair(self, reader: Record, writer: Record) -> tuple[Found, ...]:
        """Return what a pair of records has: breaks, doubts, and links to the pairs inside."""
        known = self._pairs.get((reader.id, writer.id))
        if known is None:
            known = self._pairs[reader.id, writer.id] = tuple(self._record(reader, writer))
        return known

    def breaks(self, reader: Record, writer: Record) -> Iterator[Break | Doubt]:
        """Return all that is below a pair of records, nearest first, each with the place from the first one."""
        pending: deque[tuple[Place, Record, Record]] = deque([((), reader, writer)])
        seen = {(reader.id, writer.id)}
        while pending:
            place, one, other = pending.popleft()
            for found in self.pair(one, other):
                if isinstance(found, Link):
                    inner = (found.reader.id, found.writer.id)
                    if inner not in seen:
                        seen.add(inner)
                        pending.append((place + found.place, found.reader, found.writer))
                elif isinstance(found, Break):
                    yield Break(found.kind, place + found.place, found.plant, found.about)
                else:
                    yield Doubt(place + found.place)

    # records

    def _record(self, reader: Record, writer: Record) -> Iterator[Found]:
        written = {field.wire: field for field in writer.fields}
        for field in reader.fields:
            other = written.get(field.wire)
            step = (Step("field", field.wire),)
            if other is not None:
                yield from self.values(field, other, step)
            elif field.wire == TAG_FIELD and writer.tag is not None:
                yield from self._tag_as_value(field, writer.tag)
            elif not field.has_default:
                yield Break("missing", (), about=field.wire)

    def _tag_as_value(self, field: FieldModel, tag: str) -> Iterator[Found]:
        """Compare the tag of a struct with a field that takes its name."""
        held = held_type(field.type)
        why = takes(held, field.constraints, self.reader, tag) if isinstance(held, SCALARS) else "shape"
        if why is not None:
            yield Break(why, (_TAG_STEP,))

    def values(self, reader: FieldModel, writer: FieldModel, place: Place) -> Iterator[Found]:
        """Compare the values of two fields."""
        yield from self.types(reader.type, reader.constraints, writer.type, writer.constraints, place)

    # types

    def types(
        self, reader: FieldType, taken: Constraints, writer: FieldType, given: Constraints, place: Place
    ) -> Iterator[Found]:
        """Compare what a type with constraints reads with what another one writes."""
        if self.alike(reader, taken, writer, given):
            return
        if isinstance(writer, OptionalType):
            if not isinstance(reader, OptionalType):
                yield Break("null", place, Planted(None))
            yield from self.types(reader, taken, writer.item, given, place)
        elif isinstance(reader, OptionalType):
            yield from self.types(reader.item, taken, writer, given, place)
        elif isinstance(writer, ListType | SetType | TupleType):
            yield from self._array(reader, taken, writer, given, place)
        elif isinstance(writer, MapType):
            yield from self._map(reader, taken, writer, given, place)
        elif isinstance(writer, StructRef | UnionRef):
            yield from self._structs(reader, taken, writer, place)
        elif isinstance(reader, ListType | SetType | TupleType | MapType | StructRef | UnionRef):
            yield Break("shape", place)
        else:
            yield from self._scalar(reader, taken, writer, given, place)

    def _scalar(
        self, reader: Scalar, taken: Constraints, writer: Scalar, given: Constraints, place: Place
    ) -> Iterator[Found]:
        why: Kind | None = None
        for value in writes(writer, given, self.writer, taken, members=isinstance(reader, EnumRef)):
            why = takes(reader, taken, self.reader, value)
            if why is not None:
                yield Break(why, place, Planted(value))
                return
        if undecided(writer, given, self.writer, taken):
            yield Doubt(place)

    def _array(
        self,
        reader: FieldType,
        taken: Constraints,
        writer: ListType | SetType | TupleType,
        given: Constraints,
        place: Place,
    ) -> Iterator[Found]:
        if not isinstance(reader, ListType | SetType | TupleType):
            yield Break("shape", place)
            return
        sizes = self._sizes(writer, given, reader, taken)
        yield from self._refused_size(sizes, reader, taken, place)
        most = max(sizes, default=0)
        for index, (wanted, item) in enumerate(_side_by_side(reader, writer)[:most]):
            step = Step("item", index=index)
            yield from self.types(wanted, UNCONSTRAINED, item, UNCONSTRAINED, (*place, step))

    def _map(
        self, reader: FieldType, taken: Constraints, writer: MapType, given: Constraints, place: Place
    ) -> Iterator[Found]:
        if isinstance(reader, MapType):
            sizes = self._sizes(writer, given, reader, taken)
            yield from self._refused_size(sizes, reader, taken, place)
            if max(sizes, default=0) > 0:
                yield from self.types(reader.key, UNCONSTRAINED, writer.key, UNCONSTRAINED, (*place, Step("key")))
                yield from self.types(reader.value, UNCONSTRAINED, writer.value, UNCONSTRAINED, (*place, Step("value")))
        elif isinstance(reader, StructRef | UnionRef):
            choices = self.reader.variants(reader)
            if len(choices) == 1:
                yield from self._map_as_struct(choices[0], writer, given, place)
            else:
                yield Break("tag", place)
        else:
            yield Break("shape", place)

    def _map_as_struct(self, reader: Record, writer: MapType, given: Constraints, place: Place) -> Iterator[Found]:
        """Compare a map with a struct: any of its keys may be that of a field, and any field may be missing."""
        if given.max_length != 0:
            for key in writes(cast("Scalar", writer.key), UNCONSTRAINED, self.writer, UNCONSTRAINED):
                if not isinstance(key, str):
                    yield Break("kind", (*place, Step("key")), Planted(key))
                    return
        for field in reader.fields:
            if not field.has_default:
                yield Break("missing", place, Sized(given.min_length or 0), about=field.wire)
            elif given.max_length != 0 and self._can_be_key(writer, field.wire):
                step = Step("entry", field.wire)
                yield from self.types(field.type, field.constraints, writer.value, UNCONSTRAINED, (*place, step))
        if reader.tag is not None and given.max_length != 0 and self._can_be_key(writer, TAG_FIELD):
            entry = (*place, Step("entry", TAG_FIELD))
            yield from self._tags(writer.value, UNCONSTRAINED, {reader.tag: reader}, entry)

    def _can_be_key(self, writer: MapType, name: str) -> bool:
        return takes(cast("Scalar", writer.key), UNCONSTRAINED, self.writer, name) is None

    def _sizes(self, writer: FieldType, given: Constraints, reader: FieldType, taken: Constraints) -> list[int]:
        """Return the numbers of items a writer may write, near every bound."""
        if isinstance(writer, TupleType):
            return [len(writer.items)]
        most = self._most_items(writer)
        near = {
            *lengths(given, taken),
            *((len(reader.items) + step) for step in (-1, 0, 1) if isinstance(reader, TupleType)),
        }
        return [
            size
            for size in sorted(near)
            if (given.min_length or 0) <= size <= min(most, math.inf if given.max_length is None else given.max_length)
        ]

    def _most_items(self, writer: FieldType) -> float:
        """Return how many different items a set or a map can have."""
        held = writer.item if isinstance(writer, SetType) else writer.key if isinstance(writer, MapType) else None
        match held:
            case BoolType():
                return 2
            case IntType():
                least, most = bounds(held)
                return most - least + 1
            case EnumRef(target) if not self.writer.enum(target).open:
                return len(self.writer.enum(target).members)
            case _:
                return math.inf

    def _refused_size(self, sizes: list[int], reader: FieldType, taken: Constraints, place: Place) -> Iterator[Break]:
        for size in sizes:
            if isinstance(reader, TupleType):
                refused = size != len(reader.items)
            else:
                refused = size < (taken.min_length or 0) or (taken.max_length is not None and size > taken.max_length)
            if refused:
                yield Break("size", place, Sized(size))
                return

    # structs and unions

    def _structs(
        self, reader: FieldType, taken: Constraints, writer: StructRef | UnionRef, place: Place
    ) -> Iterator[Found]:
        for record in self.writer.variants(writer):
            inside = (*place, Step("variant", variant=record.id)) if isinstance(writer, UnionRef) else place
            if isinstance(reader, MapType):
                yield from self._as_map(reader, taken, record, inside)
            elif isinstance(reader, StructRef | UnionRef):
                yield from self._meet(reader, record, inside)
            else:
                yield Break("shape", inside)

    def _meet(self, reader: StructRef | UnionRef, writer: Record, place: Place) -> Iterator[Found]:
        """Compare a struct with the one of the reader's that its tag leads to."""
        choices = self.reader.variants(reader)
        tags = {record.tag: record for record in choices if record.tag is not None}
        own = next((field for field in writer.fields if field.wire == TAG_FIELD), None)
        if not tags or (len(choices) == 1 and writer.tag is None and own is None):
            yield Link(place, choices[0], writer)  # a struct that is expected alone may lack its tag
        elif own is not None:
            refused = list(self._tags(own.type, own.constraints, tags, (*place, _TAG_STEP)))
            yield from refused
            for tag in () if refused else self._texts(own.type):
                yield Link(place, tags[tag], writer)
        elif writer.tag in tags:
            yield Link(place, tags[writer.tag], writer)
        else:
            yield Break("tag", place, about=writer.tag or "")

    def _tags(
        self, written: FieldType, given: Constraints, tags: Mapping[str, Record], place: Place
    ) -> Iterator[Break]:
        """Compare a field that stands where a tag is expected with the tags there are."""
        if not isinstance(written, SCALARS):
            yield Break("tag", place)
            return
        for value in writes(written, given, self.writer, UNCONSTRAINED):
            if value not in tags:
                yield Break("tag", place, Planted(value))
                return

    def _texts(self, type_: FieldType) -> list[str]:
        """Return the values of a closed enum of texts."""
        members = self.writer.enum(type_.target).members if isinstance(type_, EnumRef) else ()
        return [str(member.value) for member in members]

    def _as_map(self, reader: MapType, taken: Constraints, writer: Record, place: Place) -> Iterator[Found]:
        """Compare a struct with a map: each name is a key, each field a value."""
        yield from self._refused_size([len(writer.fields) + (writer.tag is not None)], reader, taken, place)
        names = [field.wire for field in writer.fields] + ([TAG_FIELD] if writer.tag is not None else [])
        for name in names:
            if takes(cast("Scalar", reader.key), UNCONSTRAINED, self.reader, name) is not None:
                yield Break("kind", place, about=name)
                return
        for field in writer.fields:
            step = (*place, Step("field", field.wire))
            yield from self.types(reader.value, UNCONSTRAINED, field.type, field.constraints, step)
        if writer.tag is not None:
            held = held_type(reader.value)
            if not isinstance(held, SCALARS) or takes(held, UNCONSTRAINED, self.reader, writer.tag):
                yield Break("kind", place, about=TAG_FIELD)


def _side_by_side(reader: FieldType, writer: ListType | SetType | TupleType) -> list[tuple[FieldType, FieldType]]:
    """Return the types that meet at each place of two arrays; one pair is enough for two that have one type each."""
    wanted = list(reader.items) if isinstance(reader, TupleType) else []
    given = list(writer.items) if isinstance(writer, TupleType) else []
    count = max(1, len(wanted), len(given))
    if isinstance(reader, ListType | SetType):
        wanted = [reader.item] * count
    if isinstance(writer, ListType | SetType):
        given = [writer.item] * count
    return list(zip(wanted, given, strict=False))


def held_type(type_: FieldType) -> Held:
    """Return what an optional type holds, or a type that is none as it is; types nest no optional in another."""
    inner = type_.item if isinstance(type_, OptionalType) else type_
    if isinstance(inner, OptionalType):
        raise TypeError("an optional type in an optional one")
    return inner


def can_read(reader: Catalogue, writer: Catalogue, address: Address) -> tuple[Break, ...]:
    """Return what a reader built from one version refuses of the records another one writes at a topic and tag.

    Nothing means that it reads all of them. Both versions have an event there.
    """
    one, other = reader.events[address], writer.events[address]
    found = Reading(reader, writer).breaks(Record(one.id, one.fields), Record(other.id, other.fields))
    return tuple(each for each in found if isinstance(each, Break))
