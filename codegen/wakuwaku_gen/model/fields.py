"""Fields as they are written; their defaults wait until every type is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from wakuwaku_gen.diagnostics import Diagnostics, Note, Span
from wakuwaku_gen.load.nodes import Broken, Node, Scalar, Table
from wakuwaku_gen.model.annotation import Annotations
from wakuwaku_gen.model.constraints import UNCONSTRAINED, read_constraints
from wakuwaku_gen.model.names import field_problem
from wakuwaku_gen.model.schema import TAG_FIELD, Constraints
from wakuwaku_gen.model.types import BoolType, BytesType, EnumRef, FieldType, IntType, OptionalType, StrType, UuidType

__all__ = ["FieldDraft", "check_wires", "read_fields"]

_Owner: TypeAlias = Literal["key", "struct", "event"]
#: What msgspec lets no field name hold.
_UNFIT_ON_WIRE: Final = re.compile(r'["\\\x00-\x1f]')


@dataclass(frozen=True, slots=True)
class FieldDraft:
    """Hold a field whose default is not known yet; `default` is how it is written, None when it is not."""

    name: str
    wire: str
    type: FieldType
    constraints: Constraints
    default: Node | None
    required: bool
    compare: bool
    doc: str
    span: Span
    wire_span: Span

    @property
    def optional(self) -> bool:
        """Tell whether it may be left out."""
        return self.default is not None or (isinstance(self.type, OptionalType) and not self.required)


def read_fields(
    entries: Mapping[str, Node], owner: _Owner, namespace: str, annotations: Annotations, diagnostics: Diagnostics
) -> tuple[FieldDraft, ...]:
    """Return the fields of a `fields` table; those without a sound type are reported and left out."""
    reader = _FieldReader(owner, namespace, annotations, diagnostics)
    drafts = [reader.read(name, node) for name, node in entries.items()]
    return tuple(draft for draft in drafts if draft is not None)


class _FieldReader:
    def __init__(self, owner: _Owner, namespace: str, annotations: Annotations, diagnostics: Diagnostics) -> None:
        self._owner = owner
        self._namespace = namespace
        self._annotations = annotations
        self._diagnostics = diagnostics

    def read(self, name: str, node: Node) -> FieldDraft | None:
        if problem := field_problem(name):
            self._diagnostics.error(problem.rule, node.key, problem.message, problem.help)
        table = node if isinstance(node, Table) else Table({"type": node}, node.span, node.key)
        written = table.entries.get("type")
        if not isinstance(written, Scalar):
            return None
        type_ = self._annotations.read(written, self._namespace)
        if type_ is None or (self._owner == "key" and not self._can_be_hashed(type_, written)):
            return None
        wire = table.text("wire")
        if wire == "":
            self._diagnostics.error("WK112", table.place("wire"), "the name on the wire is empty", "remove `wire`")
        elif wire is not None and (unfit := _UNFIT_ON_WIRE.search(wire)):
            message = f"a name on the wire can't hold {unfit[0]!r}"
            help_ = "leave out quotes, backslashes and control characters, which the codec refuses"
            self._diagnostics.error("WK112", table.place("wire"), message, help_)
        return FieldDraft(
            name=name,
            wire=wire or name,
            type=type_,
            constraints=read_constraints(table, type_, self._diagnostics) if len(table.entries) > 1 else UNCONSTRAINED,
            default=self._default(table, type_),
            required=bool(table.flag("required")),
            compare=table.flag("compare") is not False,
            doc=table.text("doc") or "",
            span=node.key,
            wire_span=table.place("wire") if wire else node.key,
        )

    def _can_be_hashed(self, type_: FieldType, written: Scalar) -> bool:
        if isinstance(type_, IntType | BoolType | StrType | BytesType | UuidType | EnumRef):
            return True
        message = "a key's field is an integer, a bool, a str, bytes, a UUID or an enum, and never optional"
        self._diagnostics.error("WK206", written.span, message, "move it to the events")
        return False

    def _default(self, table: Table, type_: FieldType) -> Node | None:
        default = table.entries.get("default")
        required = table.flag("required")
        if required and default is not None:
            message = "a required field has no default"
            notes = [Note(default.key, "the default")]
            self._diagnostics.error("WK306", table.place("required"), message, "remove one of the two", notes=notes)
        elif required is False and default is None and not isinstance(type_, OptionalType):
            message = "a field without a default is required unless it is nullable"
            help_ = "give it a default, or write `T | None`"
            self._diagnostics.error("WK306", table.place("required"), message, help_)
        return None if isinstance(default, Broken) else default


def check_wires(drafts: Iterable[FieldDraft], diagnostics: Diagnostics, *, tagged: bool = False) -> None:
    """Report two fields with one name on the wire, and in a tagged struct one that takes the name of the tag."""
    seen: dict[str, FieldDraft] = {}
    for draft in drafts:
        first = seen.setdefault(draft.wire, draft)
        if first is not draft:
            message = f"two fields are called {draft.wire!r} on the wire"
            notes = [Note(first.wire_span, f"the other one is {first.name!r}")]
            diagnostics.error("WK112", draft.wire_span, message, "give one of them another `wire`", notes=notes)
        if tagged and draft.wire == TAG_FIELD:
            message = f"a struct in a union keeps its own name as {TAG_FIELD!r} on the wire"
            diagnostics.error("WK112", draft.wire_span, message, "give the field another `wire`")
