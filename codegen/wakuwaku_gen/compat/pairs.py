"""All that was found at one pair of records, in every direction, handed out to the changes that caused it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from wakuwaku_gen.compat.breaks import Break, Doubt, Link, Place
from wakuwaku_gen.compat.catalogue import Address, Catalogue, Record
from wakuwaku_gen.compat.reading import Alike, Reading
from wakuwaku_gen.compat.relay import Loss, Relaying
from wakuwaku_gen.model.schema import Constraints
from wakuwaku_gen.model.types import FieldType, TypeName

__all__ = ["Both", "Node", "Ways"]


@dataclass(frozen=True, slots=True)
class Ways:
    """Hold what breaks in each direction."""

    backward: tuple[Break | Doubt, ...] = ()
    forward: tuple[Break | Doubt, ...] = ()
    relay: tuple[Break | Loss, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.backward or self.forward or self.relay)

    def only(self, wanted: Callable[[Break | Doubt | Loss], bool]) -> Ways:
        """Return those that are wanted."""
        return Ways(
            tuple(filter(wanted, self.backward)), tuple(filter(wanted, self.forward)), tuple(filter(wanted, self.relay))
        )

    def of(self, *kinds: str) -> Ways:
        """Return breaks of some kinds."""
        return self.only(lambda one: isinstance(one, Break) and one.kind in kinds)

    def joined(self, other: Ways) -> Ways:
        """Return those of both."""
        return Ways(self.backward + other.backward, self.forward + other.forward, self.relay + other.relay)

    def without(self, *others: Ways) -> Ways:
        """Return those that are in none of others."""
        taken = {(id(one)) for other in others for one in (*other.backward, *other.forward, *other.relay)}
        return self.only(lambda one: id(one) not in taken)


@dataclass(frozen=True, slots=True)
class Node:
    """Hold a place inside a field, and the types that meet there; `given` is the older side's."""

    new: FieldType
    limits: Constraints
    old: FieldType
    given: Constraints
    place: Place


@dataclass
class Both:
    """Compare two versions in all directions: the new one reads the old, the old one the new, and relays it.

    `same` are types that both versions declare alike, with all that they hold; `kept` are events they declare alike.
    """

    new: Catalogue
    old: Catalogue
    same: frozenset[TypeName] = frozenset()
    kept: frozenset[Address] = frozenset()
    alike: Alike = field(init=False)
    back: Reading = field(init=False)
    forth: Reading = field(init=False)
    through: Relaying = field(init=False)
    #: Pairs of structs that meet only because a struct became a union, or a union a struct: told at the field.
    folded: set[tuple[TypeName, TypeName]] = field(default_factory=set)
    #: Events that were compared; one that changed as another one did is not compared again.
    compared: list[Address] = field(default_factory=list[Address])

    def __post_init__(self) -> None:
        self.alike = Alike(self.same)
        self.back = Reading(self.new, self.old, self.alike)
        self.forth = Reading(self.old, self.new, self.alike)
        self.through = Relaying(self.new, self.old, self.alike)

    def at(self, node: Node) -> Ways:
        """Return what breaks between two types, records inside left out."""
        forward = _broken(self.forth.types(node.old, node.given, node.new, node.limits, node.place))
        return Ways(
            _broken(self.back.types(node.new, node.limits, node.old, node.given, node.place)),
            forward,
            _relayed(forward, self.through.types(node.new, node.limits, node.old, node.given, node.place)),
        )

    def strangers(self, node: Node) -> Ways:
        """Return what breaks in structs of different names that meet at a node, and remember that it is told there."""
        back = self.back.types(node.new, node.limits, node.old, node.given, node.place)
        forth = self.forth.types(node.old, node.given, node.new, node.limits, node.place)
        backward: list[Break | Doubt] = []
        forward: list[Break | Doubt] = []
        for link in back:
            if isinstance(link, Link) and link.reader.id.name != link.writer.id.name:
                self.folded.add((link.reader.id, link.writer.id))
                found = self.back.breaks(link.reader, link.writer)
                backward += (replace(one, place=link.place + one.place) for one in found)
        for link in forth:
            if isinstance(link, Link) and link.reader.id.name != link.writer.id.name:
                self.folded.add((link.writer.id, link.reader.id))
                found = self.forth.breaks(link.reader, link.writer)
                forward += (replace(one, place=link.place + one.place) for one in found)
        return Ways(tuple(backward), tuple(forward), tuple(one for one in forward if isinstance(one, Break)))

    def missing(self, new: Record, old: Record) -> Ways:
        """Return what breaks because a field is missing, or a tag stands where a field is expected."""
        names = {one.wire for one in new.fields} & {one.wire for one in old.fields}

        def alone(one: object) -> bool:
            first = one.place[0].name if isinstance(one, Break | Doubt | Loss) and one.place else ""
            return not isinstance(one, Link) and first not in names

        forward = tuple(one for one in _broken(self.forth.pair(old, new)) if alone(one))
        return Ways(
            tuple(one for one in _broken(self.back.pair(new, old)) if alone(one)),
            forward,
            tuple(one for one in _relayed(forward, self.through.pair(new, old)) if alone(one)),
        )

    def inside(self, new: Record, old: Record) -> list[tuple[Place, Record, Record]]:
        """Return the pairs of records inside a pair, each with its place, the new one first."""
        found = [(one.place, one.reader, one.writer) for one in self.back.pair(new, old) if isinstance(one, Link)]
        found += [(one.place, one.writer, one.reader) for one in self.forth.pair(old, new) if isinstance(one, Link)]
        return found

    def routes(self, new: Record, old: Record) -> list[tuple[Place, Record, Record]]:
        """Return every pair of records below an event, nearest first, with the way to it."""
        seen = {(new.id, old.id)}
        found: list[tuple[Place, Record, Record]] = [((), new, old)]
        for place, one, other in found:  # grows while it is read
            for inner, below, beside in self.inside(one, other):
                if (below.id, beside.id) not in seen:
                    seen.add((below.id, beside.id))
                    found.append((place + inner, below, beside))
        return found


def _broken(found: Iterable[Break | Doubt | Link]) -> tuple[Break | Doubt, ...]:
    return tuple(one for one in found if not isinstance(one, Link))


def _relayed(forward: Sequence[Break | Doubt], found: Iterable[Break | Loss | Link]) -> tuple[Break | Loss, ...]:
    """Return what a relay breaks; what an old consumer does not read at all, it does not relay either."""
    broken = tuple(one for one in forward if isinstance(one, Break))
    return broken + tuple(one for one in found if not isinstance(one, Link))


def moved(found: tuple[Break, ...], place: Place) -> tuple[Break, ...]:
    """Return breaks with the way to their pair in front of their places."""
    return tuple(replace(one, place=place + one.place) for one in found)
