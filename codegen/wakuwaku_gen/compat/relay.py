"""What is left of a record that an old consumer read and wrote again.

A consumer that folds events sends on what it decoded, so what its version does not know is gone. Asked here is whether
the new version reads what is left of its own records (`Break` when it does not), and what they lost (`Loss`). The
answer is worth something only where the old version reads the new one's records at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from wakuwaku_gen.compat.breaks import Break, Link, Place, Planted, Sized, Step
from wakuwaku_gen.compat.catalogue import Catalogue, Record
from wakuwaku_gen.compat.reading import Alike, Reading, held_type
from wakuwaku_gen.compat.spaces import SCALARS, Scalar, rewritten, takes, writes
from wakuwaku_gen.model.constraints import UNCONSTRAINED
from wakuwaku_gen.model.schema import Constraints
from wakuwaku_gen.model.types import (
    EnumRef,
    FieldType,
    ListType,
    MapType,
    SetType,
    StructRef,
    TupleType,
    UnionRef,
)

__all__ = ["Loss", "Relaying"]


@dataclass(frozen=True, slots=True)
class Loss:
    """Say what a relay changes without anyone noticing: at a place, a field set to its default, or digits, or order."""

    place: Place
    about: str = ""


Found: TypeAlias = Break | Loss | Link


class Relaying:
    """Compare what `new` wrote with what `new` reads of it after a consumer of `old` read it and wrote it again."""

    def __init__(self, new: Catalogue, old: Catalogue, alike: Alike | None = None) -> None:
        self.new = new
        self.old = old
        self.alike = alike or Alike()
        self._back = Reading(new, old)

    def found(self, new: Record, old: Record) -> Iterator[Break | Loss]:
        """Return all that is below an event, nearest first."""
        pending: deque[tuple[Place, Record, Record]] = deque([((), new, old)])
        seen = {(new.id, old.id)}
        while pending:
            place, one, other = pending.popleft()
            for each in self.pair(one, other):
                if not isinstance(each, Link):
                    yield replace(each, place=place + each.place)
                elif (each.reader.id, each.writer.id) not in seen:
                    seen.add((each.reader.id, each.writer.id))
                    pending.append((place + each.place, each.reader, each.writer))

    def pair(self, new: Record, old: Record) -> Iterator[Found]:
        """Return what a pair of records has, and links to the pairs inside."""
        relayed = {field.wire: field for field in old.fields}
        for field in new.fields:
            through = relayed.get(field.wire)
            step = Step("field", field.wire)
            if through is not None:
                yield from self.types(field.type, field.constraints, through.type, through.constraints, (step,))
            elif field.has_default:
                yield Loss((step,), field.wire)
            else:
                yield Break("missing", (), about=field.wire)

    def types(
        self, new: FieldType, limits: Constraints, old: FieldType, through: Constraints, place: Place
    ) -> Iterator[Found]:
        """Compare a type with what is left of its values after another one read them."""
        if self.alike(new, limits, old, through):
            return
        new, old = held_type(new), held_type(old)
        if isinstance(new, SCALARS):
            if isinstance(old, SCALARS):
                yield from self._scalar(new, limits, old, through, place)
        elif isinstance(new, ListType | SetType | TupleType):
            yield from self._array(new, limits, old, place)
        elif isinstance(new, MapType):
            yield from self._map(new, limits, old, through, place)
        elif isinstance(old, MapType):
            for record in self.new.variants(new):
                for field in record.fields:
                    step = (*place, Step("field", field.wire))
                    yield from self.types(field.type, field.constraints, old.value, UNCONSTRAINED, step)
        elif isinstance(old, StructRef | UnionRef):
            yield from self._structs(new, old, place)

    def _scalar(
        self, new: Scalar, limits: Constraints, old: Scalar, through: Constraints, place: Place
    ) -> Iterator[Found]:
        changed = False
        for value in writes(new, limits, self.new, through, members=isinstance(old, EnumRef)):
            if takes(old, through, self.old, value) is not None:
                continue
            left = rewritten(old, value)
            why = takes(new, limits, self.new, left)
            if why is not None:
                yield Break(why, place, Planted(value))
                return
            changed = changed or (left != value and value == value)  # noqa: PLR0124 - NaN is not
        if changed:
            yield Loss(place)

    def _array(
        self, new: ListType | SetType | TupleType, limits: Constraints, old: FieldType, place: Place
    ) -> Iterator[Found]:
        if isinstance(old, SetType) and not isinstance(new, SetType):
            least = len(new.items) if isinstance(new, TupleType) else limits.min_length or 0
            yield Break("size", place, Sized(least)) if least > 1 else Loss(place)
        if isinstance(old, ListType | SetType | TupleType):
            items = new.items if isinstance(new, TupleType) else (new.item,)
            others = old.items if isinstance(old, TupleType) else (old.item,)
            for index in range(max(len(items), len(others))):
                one, other = items[min(index, len(items) - 1)], others[min(index, len(others) - 1)]
                step = (*place, Step("item", index=index))
                yield from self.types(one, UNCONSTRAINED, other, UNCONSTRAINED, step)

    def _map(
        self, new: MapType, limits: Constraints, old: FieldType, through: Constraints, place: Place
    ) -> Iterator[Found]:
        if isinstance(old, MapType):
            yield from self.types(new.key, UNCONSTRAINED, old.key, UNCONSTRAINED, (*place, Step("key")))
            yield from self.types(new.value, UNCONSTRAINED, old.value, UNCONSTRAINED, (*place, Step("value")))
        elif isinstance(old, StructRef | UnionRef):
            yield Loss(place)
            left = self._back.types(new, limits, old, through, place)
            yield from (Break(each.kind, place) for each in left if isinstance(each, Break))

    def _structs(self, new: StructRef | UnionRef, old: StructRef | UnionRef, place: Place) -> Iterator[Found]:
        choices = self.old.variants(old)
        by_tag = {record.tag: record for record in choices}
        variants = self.new.variants(new)
        for record in variants:
            inside = (*place, Step("variant", variant=record.id)) if isinstance(new, UnionRef) else place
            through = choices[0] if len(choices) == 1 else by_tag.get(record.tag)
            if through is None:
                continue  # which the old version does not read
            if through.tag is None and len(variants) > 1:
                yield Break("tag", inside, about=record.tag or "")
            else:
                yield Link(inside, record, through)
