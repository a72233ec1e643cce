"""Changes of structs and unions where a field names them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.breaks import Break
from wakuwaku_gen.compat.edit import Edit
from wakuwaku_gen.compat.naming.owner import Sides
from wakuwaku_gen.compat.pairs import Both, Node, Ways
from wakuwaku_gen.model.types import StructRef, UnionRef

__all__ = ["struct_edits", "union_edits"]


def struct_edits(both: Both, node: Node, sides: Sides) -> Iterator[Edit]:
    """Name a struct that took the place of another one; their fields are compared as a pair of their own."""
    if not isinstance(node.new, StructRef) or not isinstance(node.old, StructRef):
        raise TypeError("two structs meet here")
    new, old = both.new.record(node.new.target), both.old.record(node.old.target)
    ways = both.at(node)
    if new.tag is not None and old.tag is not None and new.tag != old.tag:
        yield sides.edit(
            "UNION_TAG_VALUE_CHANGED",
            f"{sides.path!r} of {sides.owner.name!r} carries the tag {new.tag!r} now and carried {old.tag!r}",
            ways,
            Axes(source=Verdict.ERROR),
            help_="keep the name of the struct: a struct that a union holds carries its name on the wire",
            detail=f"{old.tag} -> {new.tag}",
        )
    else:
        if ways:
            yield _tag_field(ways, sides)
        if sides.owner.latest and new.id != old.id and old.id not in both.new.types:
            yield replace(sides, owner=replace(sides.owner, identity=str(new.id)), path="").edit(
                "TYPE_RENAMED",
                f"{old.id.name!r} is called {new.id} now",
                axes=Axes(source=Verdict.ERROR),
                detail=str(old.id),
            )


def union_edits(both: Both, node: Node, sides: Sides) -> Iterator[Edit]:
    """Name variants that came and went, and a struct that became a union or the other way round."""
    new, old = node.new, node.old
    if not isinstance(new, StructRef | UnionRef) or not isinstance(old, StructRef | UnionRef):
        raise TypeError("structs and unions meet here")
    ways = both.at(node)
    if isinstance(new, StructRef) or isinstance(old, StructRef):
        ways = ways.joined(both.strangers(node))
    if isinstance(new, StructRef):
        yield sides.edit(
            "UNION_TO_STRUCT",
            f"{sides.path!r} of {sides.owner.name!r} is the struct {new.target.name!r} now and was a union",
            ways,
            Axes(source=Verdict.ERROR),
            help_=f"keep `{old.target}`: records with its other variants stay in the log",
            detail=f"{old.target} -> {new.target}",
        )
        return
    if isinstance(old, StructRef):
        yield sides.edit(
            "STRUCT_TO_UNION",
            f"{sides.path!r} of {sides.owner.name!r} is the union {new.target.name!r} now and was one struct",
            ways,
            Axes(source=Verdict.ERROR),
            help_="add a field of the union under another name, unless the struct carried a tag from its first day",
            detail=f"{old.target} -> {new.target}",
        )
        return
    sides = replace(
        sides,
        owner=replace(sides.owner, identity=str(new.target), name=new.target.name),
        path="",
        at=both.new.types[new.target].span,
        before=both.old.types[old.target].span,
    )
    yield from _variants(both, (new, old), ways, sides)


def _variants(both: Both, unions: tuple[UnionRef, UnionRef], ways: Ways, sides: Sides) -> Iterator[Edit]:
    new, old = (
        {one.tag: one for one in held.variants(union)} for held, union in zip((both.new, both.old), unions, strict=True)
    )
    came, went = [tag for tag in new if tag not in old], [tag for tag in old if tag not in new]
    name = sides.owner.name
    if len(came) == 1 and len(went) == 1 and _alike(new[came[0]].fields, old[went[0]].fields):
        yield replace(sides, path=str(came[0])).edit(
            "UNION_TAG_VALUE_CHANGED",
            f"a variant of {name!r} carries the tag {came[0]!r} now and carried {went[0]!r}",
            ways.of("tag"),
            Axes(source=Verdict.ERROR),
            help_="keep the name of the struct: the wire tells variants apart by it",
            detail=f"{went[0]} -> {came[0]}",
        )
    else:
        for tag in came:
            yield replace(sides, path=str(tag)).edit(
                "UNION_VARIANT_ADDED",
                f"{name!r} has the new variant {tag!r}",
                _about(ways.of("tag"), str(tag)),
                Axes(source=Verdict.WARNING),
                help_="bring consumers of the new version out before anyone sends it",
            )
        for tag in went:
            yield replace(sides, path=str(tag)).edit(
                "UNION_VARIANT_REMOVED",
                f"{name!r} has lost the variant {tag!r}",
                _about(ways.of("tag"), str(tag)),
                Axes(source=Verdict.ERROR),
                help_="keep it: records that hold it stay in the log",
            )
    rest = ways.without(ways.of("tag"))
    if rest:
        yield _tag_field(rest, sides)


def _alike(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    def names(fields: tuple[object, ...]) -> list[object]:
        return [(getattr(each, "wire", None), getattr(each, "type", None)) for each in fields]

    return names(one) == names(other)


def _about(ways: Ways, tag: str) -> Ways:
    return ways.only(lambda one: isinstance(one, Break) and one.about == tag)


def _tag_field(ways: Ways, sides: Sides) -> Edit:
    return sides.edit(
        "UNION_TAG_FIELD_CHANGED",
        f"what {sides.path or sides.owner.name!r} keeps under the name of the tag is no tag on both sides",
        ways,
        help_="give the field of the struct another name on the wire than that of the tag",
    )
