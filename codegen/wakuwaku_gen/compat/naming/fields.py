"""Changes of the fields of two records that meet."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from dataclasses import replace

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.breaks import Break, Step
from wakuwaku_gen.compat.catalogue import Record
from wakuwaku_gen.compat.edit import Edit, KeepWire, Reserve
from wakuwaku_gen.compat.naming.owner import Owner, Sides
from wakuwaku_gen.compat.naming.types import type_edits
from wakuwaku_gen.compat.pairs import Both, Node, Ways
from wakuwaku_gen.compat.relay import Loss
from wakuwaku_gen.model.schema import FieldModel
from wakuwaku_gen.model.types import OptionalType

__all__ = ["field_edits"]

_NEAR = 0.5


def field_edits(both: Both, new: Record, old: Record, owner: Owner, *, apart: Collection[str] = ()) -> Iterator[Edit]:
    """Name what differs between the fields of two records; `apart` are wire names that are compared elsewhere."""
    yield from _Fields(both, new, old, owner, frozenset(apart)).edits()


class _Fields:
    def __init__(self, both: Both, new: Record, old: Record, owner: Owner, apart: frozenset[str]) -> None:
        self._both, self._owner = both, owner
        self._new_record, self._old_record = new, old
        self._new = {field.wire: field for field in new.fields if field.wire not in apart}
        self._old = {field.wire: field for field in old.fields if field.wire not in apart}
        self._places = {wire: place for fields in (self._new, self._old) for place, wire in enumerate(fields)}
        self._missing = both.missing(new, old)

    def edits(self) -> Iterator[Edit]:
        for wire, field in self._new.items():
            if wire in self._old:
                yield from self._kept(field, self._old[wire])
        came = {wire: field for wire, field in self._new.items() if wire not in self._old}
        went = {wire: field for wire, field in self._old.items() if wire not in self._new}
        for new, old in self._renamed(came, went):
            del came[new.wire], went[old.wire]
            yield self._rename(new, old)
        for field in came.values():
            yield self._added(field)
        for field in went.values():
            yield from self._removed(field)
        yield from self._tags()

    def _sides(self, new: FieldModel | None, old: FieldModel | None) -> Sides:
        field = new or old
        return Sides(
            self._owner,
            field.wire if field is not None else "",
            new.span if new is not None else self._owner.at,
            old.span if old is not None else self._owner.before,
        )

    # a field that stays

    def _kept(self, new: FieldModel, old: FieldModel) -> Iterator[Edit]:
        sides = self._sides(new, old)
        if self._owner.latest:
            yield from self._code(new, old, sides)
        if new.has_default and old.has_default and new.default != old.default:
            yield sides.edit(
                "FIELD_DEFAULT_CHANGED",
                f"the default of {new.wire!r} of {self._owner.name!r} is {new.default!r} now and was {old.default!r}",
                axes=Axes(backward=Verdict.WARNING, source=Verdict.WARNING),
                help_="records from before the field say the new default when they are replayed: did they mean that?",
                detail=f"{old.default!r} -> {new.default!r}",
            )
        if self._both.alike(new.type, new.constraints, old.type, old.constraints):
            return
        node = Node(new.type, new.constraints, old.type, old.constraints, (Step("field", new.wire),))
        for edit in type_edits(self._both, node, sides):
            yield self._reused(edit, old)

    def _reused(self, edit: Edit, old: FieldModel) -> Edit:
        """Name a change RESERVED_USED when the name was gone in between: it came back as something else."""
        recent = self._owner.recent
        gone = recent is not None and old.wire not in recent
        harmful = edit.axes.backward is Verdict.ERROR or edit.axes.forward is Verdict.ERROR
        if not gone or not harmful or edit.subject.owner != self._owner.identity:
            return edit
        return replace(
            edit,
            rule="RESERVED_USED",
            message=f"{old.wire!r} of {self._owner.name!r} was gone and came back as another thing: {edit.message}",
            help="take another name: records that hold the first thing stay in the log",
        )

    def _code(self, new: FieldModel, old: FieldModel, sides: Sides) -> Iterator[Edit]:
        name = self._owner.name
        if new.name != old.name:
            yield sides.edit(
                "KEY_FIELD_RENAMED" if self._owner.kind == "key" else "FIELD_PY_NAME_CHANGED",
                f"{old.name!r} of {name!r} is called {new.name!r} now and stays {new.wire!r} on the wire",
                axes=Axes(source=Verdict.ERROR),
                detail=f"{old.name} -> {new.name}",
            )
        nullable = isinstance(new.type, OptionalType), isinstance(old.type, OptionalType)
        if nullable[0] != nullable[1]:
            pass  # told as such: a nullable field has a default of its own accord
        elif old.has_default and not new.has_default:
            yield sides.edit(
                "FIELD_BECAME_REQUIRED",
                f"{new.wire!r} of {name!r} is required now",
                axes=Axes(source=Verdict.ERROR),
                help_="give it its default again",
            )
        elif new.has_default and not old.has_default:
            yield sides.edit("FIELD_BECAME_DEFAULTED", f"{new.wire!r} of {name!r} has a default now")
        if new.doc != old.doc and old.span.file.suffix == ".toml":  # a lock holds no docs
            yield sides.edit("DOC_CHANGED", f"the doc of {new.wire!r} of {name!r} changed")

    # fields that come and go

    def _renamed(self, came: dict[str, FieldModel], went: dict[str, FieldModel]) -> list[tuple[FieldModel, FieldModel]]:
        """Return the pairs of an added and a removed field that are most likely one field, the likeliest first."""
        likely = sorted(
            (
                (-likeness, new.wire, old.wire)
                for new in came.values()
                for old in went.values()
                if (likeness := self._likeness(new, old, only=len(came) == len(went) == 1)) > _NEAR
            ),
        )
        found: dict[str, str] = {}
        for _, new_wire, old_wire in likely:
            if new_wire not in found and old_wire not in found.values():
                found[new_wire] = old_wire
        return [(came[new_wire], went[old_wire]) for new_wire, old_wire in found.items()]

    def _likeness(self, new: FieldModel, old: FieldModel, *, only: bool) -> float:
        if new.name == old.name:
            return 2.0
        if new.type != old.type:
            return 0.0
        near = difflib.SequenceMatcher(None, old.name, new.name).ratio()
        same_place = self._places[new.wire] == self._places[old.wire]
        return near + (_NEAR if same_place and only else 0.0)

    def _rename(self, new: FieldModel, old: FieldModel) -> Edit:
        owner = self._owner
        ways = self._about({new.wire, old.wire})
        wire_only = new.name == old.name
        # Nothing fails when both have defaults, and every value is lost all the same.
        axes = Axes(
            Verdict.ERROR,
            Verdict.WARNING if old.has_default else Verdict.OK,
            source=Verdict.OK if wire_only else Verdict.ERROR,
        )
        what = f"is {new.wire!r} on the wire now and was {old.wire!r}"
        message = f"{new.name!r} of {owner.name!r} {what}"
        if not wire_only:
            message = f"{old.name!r} of {owner.name!r} went and {new.name!r} came: one field renamed, most likely"
        return self._sides(new, old).edit(
            "FIELD_WIRE_NAME_CHANGED" if wire_only else "FIELD_RENAME_SUSPECTED",
            message,
            ways,
            axes,
            help_=f'keep its name on the wire: {new.name} = {{ type = "…", wire = "{old.wire}" }}',
            detail=f"{old.wire} -> {new.wire}",
            fix=KeepWire(owner.kind, owner.name, owner.at, new.name, old.wire),
        )

    def _added(self, field: FieldModel) -> Edit:
        sides = self._sides(field, None)
        ways = self._about({field.wire})
        owner = self._owner
        if field.has_default:
            return sides.edit(
                "FIELD_ADDED_DEFAULT",
                f"{owner.name!r} has the new field {field.wire!r}, with a default",
                ways,
                help_="an old consumer that folds this event sends it on without the field: update consumers first"
                if owner.kind == "event"
                else None,
            )
        before = owner.recent.get(field.wire) if owner.recent is not None else None
        if before is not None:
            return sides.edit(
                "FIELD_BECAME_REQUIRED",
                f"{field.wire!r} of {owner.name!r} is required now, and records from before it do not have it",
                ways,
                Axes(source=Verdict.ERROR),
                help_="give it its default again",
                detail="missing",
            )
        return sides.edit(
            "FIELD_ADDED_REQUIRED",
            f"{owner.name!r} has the new field {field.wire!r}, which is required",
            ways,
            Axes(source=Verdict.ERROR),
            help_="give it a default, or make it nullable",
        )

    def _removed(self, field: FieldModel) -> Iterator[Edit]:
        sides, owner = self._sides(None, field), self._owner
        ways = self._about({field.wire})
        if field.has_default:
            axes = Axes(forward=Verdict.WARNING, source=Verdict.ERROR)
            yield sides.edit(
                "FIELD_REMOVED_DEFAULT",
                f"{owner.name!r} has lost the field {field.wire!r}",
                ways,
                axes,
                help_="readers of older versions see its default in every record from now on",
            )
        else:
            yield sides.edit(
                "FIELD_REMOVED_REQUIRED",
                f"{owner.name!r} has lost the required field {field.wire!r}",
                ways,
                Axes(source=Verdict.ERROR),
                help_="first give it a default and bring that out everywhere; remove it in a later version",
            )
        if owner.kind != "key" and not self._reserved(field):
            reserve = {"event": field.name, "struct": f"{owner.name}.{field.name}"}[owner.kind]
            yield sides.edit(
                "FIELD_REMOVED_NOT_RESERVED",
                f"{field.wire!r} of {owner.name!r} is gone and its name is not reserved",
                axes=Axes(Verdict.ERROR, Verdict.ERROR),
                help_=f'reserve the name, so that it never comes back as another thing: names = ["{reserve}"]'
                " under [reserved.…] of the key",
                fix=Reserve(owner.topics[0], names=(reserve,)) if owner.topics else None,
            )

    def _reserved(self, field: FieldModel) -> bool:
        """Tell whether a field's name is among the tombstones of a topic; that of a struct's by its full name."""
        names = {field.name} if self._owner.kind == "event" else {f"{self._owner.name}.{field.name}"}
        return any(
            names & held.reserved[topic].names
            for held in (self._both.new,)
            for topic in self._owner.topics
            if topic in held.reserved
        )

    def _tags(self) -> Iterator[Edit]:
        """Name what a field that has the name of the tag breaks against a struct that carries one."""

        def tagged(one: object) -> bool:
            return isinstance(one, Break) and one.kind != "missing"

        ways = self._missing.only(tagged)
        if ways:
            yield self._sides(None, None).edit(
                "UNION_TAG_FIELD_CHANGED",
                f"{self._owner.name!r} has a field in one version where it carries a tag in the other",
                ways,
                help_="give the field another name on the wire than that of the tag",
            )

    def _about(self, wires: set[str]) -> Ways:
        def here(one: object) -> bool:
            return (isinstance(one, Break) and one.kind == "missing" and one.about in wires) or (
                isinstance(one, Loss) and one.about in wires
            )

        return self._missing.only(here)
