"""Changes of an enum, told once at the enum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.breaks import Break, Planted
from wakuwaku_gen.compat.edit import Edit
from wakuwaku_gen.compat.naming.owner import Sides
from wakuwaku_gen.compat.pairs import Both, Node, Ways
from wakuwaku_gen.diagnostics import Span
from wakuwaku_gen.model.schema import EnumModel
from wakuwaku_gen.model.types import EnumRef

__all__ = ["enum_edits"]


def enum_edits(both: Both, node: Node, sides: Sides) -> Iterator[Edit]:
    """Name what differs between two enums."""
    if not isinstance(node.new, EnumRef) or not isinstance(node.old, EnumRef):
        raise TypeError("two enums meet here")
    new, old = both.new.enum(node.new.target), both.old.enum(node.old.target)
    sides = replace(
        sides, owner=replace(sides.owner, identity=str(new.id), name=new.id.name), path="", at=new.span, before=old.span
    )
    if sides.owner.latest and new.id != old.id and old.id not in both.new.types:
        yield sides.edit(
            "TYPE_RENAMED",
            f"{old.id.name!r} is called {new.id} now",
            axes=Axes(source=Verdict.ERROR),
            detail=str(old.id),
        )
    if new.base != old.base:
        yield sides.edit(
            "ENUM_BASE_CHANGED",
            f"the values of {new.id.name!r} are {_kind(new)} now and were {_kind(old)}",
            both.at(node),
            Axes(source=Verdict.ERROR),
            help_="declare another enum, and a field of it under another name",
        )
        return
    changes = _Changes(both, node, sides, new, old)
    yield from changes.values()
    yield from changes.openness()


def _kind(model: EnumModel) -> str:
    return "texts" if model.base == "str" else "integers"


class _Changes:
    def __init__(self, both: Both, node: Node, sides: Sides, new: EnumModel, old: EnumModel) -> None:
        self._both, self._node, self._sides, self._new, self._old = both, node, sides, new, old
        self._now = {member.value: member for member in new.members}
        self._then = {member.value: member for member in old.members}
        self._now_by_name = {member.name: member.value for member in new.members}
        self._then_by_name = {member.name: member.value for member in old.members}

    def values(self) -> Iterator[Edit]:
        """Name members that came, went, or changed their value or name."""
        name = self._new.id.name
        moved = {
            one: (value, self._now_by_name[one])
            for one, value in self._then_by_name.items()
            if one in self._now_by_name and self._now_by_name[one] != value
        }
        for one, (was, is_) in moved.items():
            if was in self._now and is_ in self._then:
                continue  # they changed places, which is told of each value
            ways = Ways(
                self._unread_by_new(was) if was not in self._now else (),
                *self._unread_by_old(is_ if is_ not in self._then else None),
            )
            yield self._at(one).edit(
                "ENUM_WIRE_VALUE_CHANGED",
                f"{one!r} of {name!r} is {is_!r} on the wire now and was {was!r}",
                ways,
                Axes(Verdict.ERROR, Verdict.ERROR, Verdict.ERROR),
                help_=f"keep the value and name it anew: {{ {one} = {_toml(was)} }}",
                detail=f"{was} -> {is_}",
            )
        for value, member in self._now.items():
            then = self._then.get(value)
            if then is not None and then.name != member.name:
                yield from self._renamed(then.name, member.name, value, reassigned=then.name in self._now_by_name)
            elif then is None and member.name not in moved:
                yield self._at(member.name).edit(
                    "ENUM_VALUE_ADDED",
                    f"{name!r} has the new value {value!r}",
                    Ways((), *self._unread_by_old(value)),
                    Axes(source=Verdict.WARNING),
                    help_="bring consumers of the new version out before anyone sends it; an enum with `open = true`"
                    " keeps values it does not know",
                    detail=repr(value),
                )
        for value, member in self._then.items():
            if value not in self._now and member.name not in moved:
                yield self._sides.edit(
                    "ENUM_VALUE_REMOVED",
                    f"{name!r} has lost the value {value!r}",
                    Ways(self._unread_by_new(value)),
                    Axes(source=Verdict.ERROR),
                    help_="keep it: records that hold it stay in the log; or make the enum open",
                    detail=repr(value),
                )

    def _renamed(self, was: str, is_: str, value: object, *, reassigned: bool) -> Iterator[Edit]:
        if reassigned:
            yield self._at(is_).edit(
                "ENUM_VALUE_REASSIGNED",
                f"{value!r} of {self._new.id.name!r} means {is_!r} now and meant {was!r}, which still exists",
                axes=Axes(Verdict.ERROR, Verdict.ERROR, Verdict.ERROR, Verdict.WARNING),
                help_="give each meaning a value of its own: old records would be read as something else",
                detail=f"{value!r}: {was} -> {is_}",
            )
        elif self._sides.owner.latest:
            yield self._at(is_).edit(
                "ENUM_MEMBER_RENAMED",
                f"{was!r} of {self._new.id.name!r} is called {is_!r} now; its value stays {value!r}",
                axes=Axes(source=Verdict.ERROR),
                detail=f"{was} -> {is_}",
            )

    def openness(self) -> Iterator[Edit]:
        """Name an enum that began or ceased to keep values it does not know."""
        if self._new.open == self._old.open:
            return
        known = {*self._now, *self._then}

        def beyond(one: object) -> bool:
            return isinstance(one, Break) and isinstance(one.plant, Planted) and one.plant.value not in known

        ways = self._both.at(self._node).only(beyond)
        if self._new.open:
            yield self._sides.edit(
                "ENUM_OPENED",
                f"{self._new.id.name!r} keeps values it does not know now",
                ways,
                Axes(source=Verdict.WARNING),
                help_="bring consumers of the new version out first: what it keeps it also sends on",
            )
        else:
            yield self._sides.edit(
                "ENUM_CLOSED",
                f"{self._new.id.name!r} refuses values it does not know now",
                ways or Ways(self._any_value()),
                Axes(source=Verdict.WARNING),
                help_="leave it open: records may hold values that were not known",
            )

    def _any_value(self) -> tuple[Break, ...]:
        value = "unknown" if self._new.base == "str" else max((*map(int, self._now), *map(int, self._then))) + 1
        return (Break("member", self._node.place, Planted(value)),)

    def _unread_by_new(self, value: str | int) -> tuple[Break, ...]:
        return () if self._new.open else (Break("member", self._node.place, Planted(value)),)

    def _unread_by_old(self, value: str | int | None) -> tuple[tuple[Break, ...], tuple[Break, ...]]:
        """Return what an old reader refuses, and so does not relay either."""
        if value is None or self._old.open:
            return (), ()
        found = (Break("member", self._node.place, Planted(value)),)
        return found, found

    def _at(self, member: str) -> Sides:
        spans: dict[str, Span] = {one.name: one.span for one in self._new.members}
        return replace(self._sides, path=member, at=spans.get(member, self._sides.at))


def _toml(value: str | int) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
