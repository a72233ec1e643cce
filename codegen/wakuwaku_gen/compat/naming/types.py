"""Changes of a field's type, walked side by side down to what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.breaks import Break, Doubt, Step
from wakuwaku_gen.compat.edit import Edit
from wakuwaku_gen.compat.naming.enums import enum_edits
from wakuwaku_gen.compat.naming.owner import Sides
from wakuwaku_gen.compat.naming.unions import struct_edits, union_edits
from wakuwaku_gen.compat.pairs import Both, Node
from wakuwaku_gen.compat.spaces import whole_ends
from wakuwaku_gen.model.constraints import UNCONSTRAINED
from wakuwaku_gen.model.digest import spell
from wakuwaku_gen.model.schema import Constraints
from wakuwaku_gen.model.types import (
    EnumRef,
    FieldType,
    FloatType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StructRef,
    TupleType,
    UnionRef,
)

__all__ = ["type_edits"]

_EXACT = 2**53


def type_edits(both: Both, node: Node, sides: Sides) -> Iterator[Edit]:  # noqa: C901 - one case per pair of kinds
    """Name what differs between two types of a field, and what it does to readers."""
    new, old = node.new, node.old
    if both.alike(new, node.limits, old, node.given):
        return
    if isinstance(new, OptionalType) != isinstance(old, OptionalType):
        yield _nullability(both, node, sides)
    node = replace(node, new=_held(new), old=_held(old))
    match node.new, node.old:
        case (ListType(new_item), ListType(old_item)) | (SetType(new_item), SetType(old_item)):
            yield from _constraint_edits(both, node, sides)
            yield from type_edits(both, _inner(node, new_item, old_item, Step("item")), _deeper(sides, "[]"))
        case TupleType(new_items), TupleType(old_items) if len(new_items) == len(old_items):
            for index, (one, other) in enumerate(zip(new_items, old_items, strict=True)):
                inner = _inner(node, one, other, Step("item", index=index))
                yield from type_edits(both, inner, _deeper(sides, f"[{index}]"))
        case MapType(new_key, new_value), MapType(old_key, old_value):
            yield from _constraint_edits(both, node, sides)
            yield from type_edits(both, _inner(node, new_key, old_key, Step("key")), _deeper(sides, "{key}"))
            yield from type_edits(both, _inner(node, new_value, old_value, Step("value")), _deeper(sides, "{}"))
        case EnumRef(), EnumRef():
            yield from enum_edits(both, node, sides)
        case StructRef(), StructRef():
            yield from struct_edits(both, node, sides)
        case ((StructRef() | UnionRef()), (StructRef() | UnionRef())):
            yield from union_edits(both, node, sides)
        case _ if type(node.new) is not type(node.old) or isinstance(node.new, TupleType):
            yield _replaced(both, node, sides)
        case _ if node.new != node.old and not isinstance(node.new, IntType):
            yield _replaced(both, node, sides)
        case _:
            yield from _constraint_edits(both, node, sides)


def _held(type_: FieldType) -> FieldType:
    return type_.item if isinstance(type_, OptionalType) else type_


def _inner(node: Node, new: FieldType, old: FieldType, step: Step) -> Node:
    return Node(new, UNCONSTRAINED, old, UNCONSTRAINED, (*node.place, step))


def _deeper(sides: Sides, more: str) -> Sides:
    return replace(sides, path=sides.path + more)


def _nullability(both: Both, node: Node, sides: Sides) -> Edit:
    nulls = both.at(node).of("null").only(lambda one: one.place == node.place)
    if isinstance(node.new, OptionalType):
        return sides.edit(
            "FIELD_BECAME_NULLABLE",
            f"{sides.path!r} of {sides.owner.name!r} may be null now",
            nulls,
            Axes(source=Verdict.WARNING),
            help_="bring consumers of the new version out first; or add a nullable field beside the old one",
        )
    return sides.edit(
        "FIELD_BECAME_NON_NULLABLE",
        f"{sides.path!r} of {sides.owner.name!r} may not be null any more",
        nulls,
        Axes(source=Verdict.WARNING),
        help_=f"leave it `{spell(node.old)}`: records that hold a null stay in the log",
    )


def _replaced(both: Both, node: Node, sides: Sides) -> Edit:
    """Name a type that became another one, whatever lies deeper."""
    new, old = spell(node.new), spell(node.old)
    axes = Axes(
        backward=_lossy(node.new, node.old, node.given),
        forward=_lossy(node.old, node.new, node.limits),
        source=Verdict.ERROR,
    )
    return sides.edit(
        "FIELD_TYPE_CHANGED",
        f"{sides.path!r} of {sides.owner.name!r} is {new} now and was {old}",
        both.at(node),
        axes,
        help_="keep the type and add a field with the new one under another name",
        detail=f"{old} -> {new}",
    )


def _lossy(reader: FieldType, writer: FieldType, limits: Constraints) -> Verdict:
    """Return a warning for values that are read and are not quite the same afterwards."""
    if isinstance(reader, FloatType) and isinstance(writer, IntType):
        low, high = whole_ends(writer, limits)
        return Verdict.WARNING if low < -_EXACT or high > _EXACT else Verdict.OK
    if isinstance(reader, SetType) and isinstance(writer, ListType | TupleType):
        return Verdict.WARNING  # order and duplicates vanish
    return Verdict.OK


def _constraint_edits(both: Both, node: Node, sides: Sides) -> Iterator[Edit]:
    """Name constraints and widths by what they let through, so that another spelling of the same is no change."""
    if node.limits == node.given and node.new == node.old:
        return
    kinds = {"range", "step", "length", "pattern", "size"}

    def here(one: object) -> bool:
        return isinstance(one, Doubt) or (isinstance(one, Break) and one.kind in kinds and one.place == node.place)

    ways = both.at(node).only(here)
    if not ways.backward and not ways.forward:
        return
    tighter, looser = bool(ways.backward), bool(ways.forward)
    width = isinstance(node.new, IntType) and node.new != node.old
    names = ("INT_SHIFTED", "INT_NARROWED", "INT_WIDENED") if width else _CONSTRAINTS
    rule = names[0] if tighter and looser else names[1] if tighter else names[2]
    change = f"{_shown(node.old, node.given)} -> {_shown(node.new, node.limits)}"
    yield sides.edit(
        rule,
        f"{sides.path!r} of {sides.owner.name!r} {_WORDS[rule]}: {change}",
        ways,
        help_=_HELP[rule],
        detail=change,
    )


_CONSTRAINTS = ("CONSTRAINT_INCOMPARABLE", "CONSTRAINT_TIGHTENED", "CONSTRAINT_LOOSENED")
_WORDS = {
    "INT_SHIFTED": "holds other integers",
    "INT_NARROWED": "holds fewer integers",
    "INT_WIDENED": "holds more integers",
    "CONSTRAINT_INCOMPARABLE": "allows other values",
    "CONSTRAINT_TIGHTENED": "allows fewer values",
    "CONSTRAINT_LOOSENED": "allows more values",
}
_HELP = {
    "INT_SHIFTED": "add a field of the new type under another name",
    "INT_NARROWED": "keep the width: larger values stay in the log; a publisher may refuse them itself",
    "INT_WIDENED": "bring consumers of the new version out before a publisher sends larger values",
    "CONSTRAINT_INCOMPARABLE": "add a field with the new constraint under another name",
    "CONSTRAINT_TIGHTENED": "leave the constraint and let publishers refuse new values themselves",
    "CONSTRAINT_LOOSENED": "bring consumers of the new version out before a publisher sends such values",
}


def _shown(type_: FieldType, limits: Constraints) -> str:
    given = [f"{name} = {value!r}" for name in Constraints.__slots__ if (value := getattr(limits, name)) is not None]
    return f"{spell(type_)}{' ' if given else ''}{', '.join(given)}"
