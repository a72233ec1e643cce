"""Changes of what the runtime does with an event: its law, its fence, what makes two of them equal."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.catalogue import Address, Catalogue
from wakuwaku_gen.compat.edit import Edit
from wakuwaku_gen.compat.naming.owner import Owner, Sides
from wakuwaku_gen.compat.pairs import Both
from wakuwaku_gen.model.schema import EventModel

__all__ = ["behaviour_edits"]

_ERROR, _WARNING, _OK = Verdict.ERROR, Verdict.WARNING, Verdict.OK
_EQUAL = {"idempotent", "idempotent_commutative"}
_ACQUIRES, _RELEASES = {"acquire", "acq_rel"}, {"release", "acq_rel"}


def behaviour_edits(both: Both, address: Address, owner: Owner) -> Iterator[Edit]:
    """Name what differs in the behaviour of an event that both versions have."""
    new, old = both.new.events[address], both.old.events[address]
    yield from _algebra(new, old, owner)
    if new.ordering != old.ordering:
        yield from _fence(new, old, owner, alone=_alone(both.new, address))
    if new.algebra == old.algebra:
        if new.algebra in _EQUAL:
            yield from _equality(new, old, owner)
        if new.algebra == "associative":
            yield from _combining(new, old, owner)
    if owner.latest:
        yield from _notes(new, old, owner)


def _sides(new: EventModel, old: EventModel, owner: Owner, key: str) -> Sides:
    return Sides(owner, "", new.places.get(key, new.span), old.places.get(key, old.span))


def _algebra(new: EventModel, old: EventModel, owner: Owner) -> Iterator[Edit]:
    if new.algebra != old.algebra:
        yield _sides(new, old, owner, "algebra").edit(
            "ALGEBRA_CHANGED",
            f"{new.id.name!r} is {new.algebra} now and was {old.algebra}",
            axes=Axes(_ERROR, _ERROR),
            help_="the algebra stands in the header of every record, and a consumer refuses one that is not its own:"
            " declare a new event under a new tag beside this one",
            detail=f"{old.algebra} -> {new.algebra}",
        )


def _alone(held: Catalogue, address: Address) -> bool:
    return sum(topic == address[0] for topic, _ in held.events) == 1


def _fence(new: EventModel, old: EventModel, owner: Owner, *, alone: bool) -> Iterator[Edit]:
    lost = [
        name
        for name, holders in (("acquire", _ACQUIRES), ("release", _RELEASES))
        if old.ordering in holders and new.ordering not in holders
    ]
    gained = (new.ordering in _ACQUIRES and old.ordering not in _ACQUIRES) or (
        new.ordering in _RELEASES and old.ordering not in _RELEASES
    )
    rule = "FENCE_SWAPPED" if lost and gained else "FENCE_WEAKENED" if lost else "FENCE_STRENGTHENED"
    forward = (_OK if alone else _ERROR) if lost else _WARNING
    yield _sides(new, old, owner, "ordering").edit(
        rule,
        f"{new.id.name!r} is {new.ordering} now and was {old.ordering}",
        axes=Axes(forward=forward),
        help_=_FENCES[rule],
        detail=f"{old.ordering} -> {new.ordering}",
    )


_FENCES = {
    "FENCE_SWAPPED": "records of other types may now run beside this one where they waited for it: use acq_rel",
    "FENCE_WEAKENED": "records of other types may now run beside this one: be sure that no handler counts on the order",
    "FENCE_STRENGTHENED": "records that are in the log already keep the old fence",
}


def _equality(new: EventModel, old: EventModel, owner: Owner) -> Iterator[Edit]:
    """Name fields that come into, or drop out of, what makes two events equal."""
    now = {field.wire for field in new.fields if field.compare}
    then = {field.wire for field in old.fields if field.compare}
    names = {field.wire: field.span for field in new.fields}
    for wire in sorted(then - now):
        yield Sides(owner, wire, names.get(wire, new.span), old.span).edit(
            "EQUALITY_FIELD_REMOVED",
            f"{wire!r} no longer counts when two {new.id.name!r} are compared",
            axes=Axes(backward=_ERROR),
            help_="old records that differ only there become equal, and all but one of them are dropped: declare a new"
            " event under a new tag",
        )
    for wire in sorted(now - then):
        yield Sides(owner, wire, names.get(wire, new.span), old.span).edit(
            "EQUALITY_FIELD_ADDED",
            f"{wire!r} counts now when two {new.id.name!r} are compared",
            axes=Axes(forward=_ERROR),
            help_="a consumer of an older version sees events that differ only there as equal, and drops all but one:"
            " bring consumers out first",
        )


def _combining(new: EventModel, old: EventModel, owner: Owner) -> Iterator[Edit]:
    now = {field.wire: new.combine.get(field.name) for field in new.fields}
    then = {field.wire: old.combine.get(field.name) for field in old.fields}
    for wire in sorted(now.keys() | then.keys()):
        one, other = now.get(wire), then.get(wire)
        if one == other:
            continue
        what = f"is combined by {one} now and was by {other}" if one and other else "is new" if one else "is gone"
        place = new.places.get(f"combine.{wire}", new.span)
        yield Sides(owner, wire, place, old.span).edit(
            "COMBINE_CHANGED",
            f"{wire!r} of {new.id.name!r} {what}, so old and new consumers fold differently",
            axes=Axes(_WARNING, _WARNING),
            help_="stop the old consumers before the new ones start, so that no event is folded by both rules",
            detail=f"{other} -> {one}",
        )


def _notes(new: EventModel, old: EventModel, owner: Owner) -> Iterator[Edit]:
    """Name what concerns code and readers of the schema alone."""
    sides = Sides(owner, "", new.span, old.span)
    if new.id.namespace != old.id.namespace:
        yield sides.edit(
            "PACKAGE_CHANGED",
            f"{new.id.name!r} is in the namespace {new.id.namespace!r} now and was in {old.id.namespace!r}",
            axes=Axes(source=_ERROR),
            detail=old.id.namespace,
        )
    elif new.span.file.name != old.span.file.name and old.span.file.suffix == new.span.file.suffix:
        yield sides.edit("EVENT_MOVED_FILE", f"{new.id.name!r} is in {new.span.file} now")
    if new.doc != old.doc and old.span.file.suffix == ".toml":  # a lock holds no docs
        yield sides.edit("DOC_CHANGED", f"the doc of {new.id.name!r} changed")
    if new.deprecated is not None and old.deprecated is None:
        yield sides.edit("DEPRECATED_ADDED", f"{new.id.name!r} is deprecated now")
