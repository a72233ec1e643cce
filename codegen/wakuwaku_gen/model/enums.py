"""Enums and unions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from wakuwaku_gen.diagnostics import Diagnostics, Note
from wakuwaku_gen.load.nodes import Array, Scalar, Table
from wakuwaku_gen.model.annotation import Annotations
from wakuwaku_gen.model.declared import Declaration
from wakuwaku_gen.model.names import member_problem
from wakuwaku_gen.model.schema import EnumMember, EnumModel, UnionModel
from wakuwaku_gen.model.types import TypeName

__all__ = ["build_enum", "build_union"]


def build_enum(declaration: Declaration, diagnostics: Diagnostics) -> EnumModel:
    """Build an enum; report bad names, equal values, and values that are neither all texts nor all integers."""
    table = declaration.table
    members = list(_members(table))
    values = table.entries.get("values")
    if not members and isinstance(values, Array | Table) and not _entries(values):
        diagnostics.error("WK116", values.span, "an enum has at least one member", 'such as values = ["EUR"]')
    for member in members:
        if problem := member_problem(member.name):
            diagnostics.error(problem.rule, member.span, problem.message, problem.help)
    base: Literal["str", "int"] = "int" if members and isinstance(members[0].value, int) else "str"
    return EnumModel(
        id=declaration.id,
        members=tuple(_sound_members(members, base, diagnostics)),
        base=base,
        open=bool(table.flag("open")),
        doc=table.text("doc") or "",
        span=declaration.span,
        draft=table.text("stability") == "draft",
    )


def _entries(values: Array | Table) -> int:
    return len(values.items if isinstance(values, Array) else values.entries)


def _members(table: Table) -> Iterator[EnumMember]:
    for item in table.array("values"):
        if isinstance(item, Scalar) and isinstance(item.value, str):
            yield EnumMember(item.value, item.value, "", item.span)
    for name, node in table.table("values").items():
        doc = ""
        value = node
        if isinstance(node, Table):
            doc = node.text("doc") or ""
            value = node.entries.get("value", node)
        if isinstance(value, Scalar) and isinstance(value.value, str | int):
            yield EnumMember(name, value.value, doc, node.key)


def _sound_members(members: Sequence[EnumMember], base: str, diagnostics: Diagnostics) -> Iterator[EnumMember]:
    by_value: dict[str | int, EnumMember] = {}
    for member in members:
        if isinstance(member.value, int) != (base == "int"):
            message = "the values of an enum are all texts or all integers"
            notes = [Note(members[0].span, "the first value is of the other kind")]
            diagnostics.error("WK116", member.span, message, "write all of them in one kind", notes=notes)
            continue
        if isinstance(member.value, int) and not -(2**63) <= member.value < 2**63:
            diagnostics.error("WK116", member.span, f"{member.value} does not fit into 64 bits")
            continue
        first = by_value.setdefault(member.value, member)
        if first is not member:
            message = f"two members have the value {member.value!r}"
            notes = [Note(first.span, "the first one")]
            diagnostics.error("WK117", member.span, message, "remove one, or give it another value", notes=notes)
            continue
        yield member


def build_union(declaration: Declaration, annotations: Annotations, diagnostics: Diagnostics) -> UnionModel:
    """Build a union; report variants that are no structs, or that the wire could not tell apart."""
    variants: dict[str, TypeName] = {}
    nodes = declaration.table.array("variants")
    listed = declaration.table.entries.get("variants")
    if isinstance(listed, Array) and not nodes:
        diagnostics.error("WK118", listed.span, "a union has at least one variant", 'such as variants = ["Card"]')
    for node in nodes:
        if not isinstance(node, Scalar):
            continue
        variant = annotations.named(node, declaration.id.namespace)
        if variant is None:
            continue
        if annotations.kind(variant) != "struct":
            message = f"{variant.name!r} is no struct, so it can't be a variant"
            diagnostics.error("WK118", node.span, message, "put it into a struct")
        elif variant.name in variants:
            message = f"two variants are called {variant.name!r}"
            diagnostics.error(
                "WK118", node.span, message, "the wire tells variants apart by name: remove or rename one"
            )
        else:
            variants[variant.name] = variant
    return UnionModel(
        id=declaration.id,
        variants=tuple(variants.values()),
        doc=declaration.table.text("doc") or "",
        span=declaration.span,
        draft=declaration.table.text("stability") == "draft",
    )
