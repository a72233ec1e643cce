"""Keys, events, and the topics they meet on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from wakuwaku_gen.diagnostics import Diagnostics, Note, Span, did_you_mean
from wakuwaku_gen.load.nodes import Node, Scalar, Table
from wakuwaku_gen.model.algebra import fits, read_laws, rules_for
from wakuwaku_gen.model.annotation import Annotations
from wakuwaku_gen.model.declared import Declaration, Declared
from wakuwaku_gen.model.fields import FieldDraft, check_wires, read_fields
from wakuwaku_gen.model.names import bundle_name, codecs_name, event_names, topic_problem
from wakuwaku_gen.model.schema import (
    AlgebraName,
    CombineRule,
    EventModel,
    FieldModel,
    HashName,
    KeyModel,
    OrderingName,
    ReservedModel,
    TopicModel,
)
from wakuwaku_gen.model.types import TypeName

__all__ = ["EventDraft", "KeyDraft", "build_topics", "find_key", "read_event", "read_key", "read_reserved"]


@dataclass(frozen=True, slots=True)
class KeyDraft:
    """Hold a key type whose fields are not finished."""

    declaration: Declaration
    fields: tuple[FieldDraft, ...]

    def finish(self, fields: tuple[FieldModel, ...]) -> KeyModel | None:
        """Return the key type, or None when its topic was reported as missing."""
        table = self.declaration.table
        topic = table.text("topic")
        if topic is None:
            return None
        hash_: HashName = "rust" if table.text("hash") == "rust" else "xxh3"
        return KeyModel(
            id=self.declaration.id,
            topic=topic,
            hash=hash_,
            partitions=table.integer("partitions") or 1,
            fields=fields,
            doc=table.text("doc") or "",
            span=self.declaration.span,
            places=_places(table),
        )


@dataclass(frozen=True, slots=True)
class EventDraft:
    """Hold an event whose fields are not finished; `fields` are its own, without the key's."""

    declaration: Declaration
    key: TypeName
    fields: tuple[FieldDraft, ...]
    algebra: AlgebraName
    ordering: OrderingName
    combine: Mapping[str, CombineRule]

    def finish(self, fields: tuple[FieldModel, ...]) -> EventModel | None:
        """Return the event with all its fields, or None when its tag was reported as missing."""
        table = self.declaration.table
        tag = table.integer("tag")
        if tag is None:
            return None
        places = _places(table)
        places.update({f"combine.{name}": node.span for name, node in table.table("combine").items()})
        return EventModel(
            id=self.declaration.id,
            tag=tag,
            key=self.key,
            algebra=self.algebra,
            ordering=self.ordering,
            max_batch=table.integer("max_batch") or 1,
            fields=fields,
            combine=self.combine,
            doc=table.text("doc") or "",
            deprecated=table.text("deprecated"),
            names=event_names(self.declaration.id.name),
            span=self.declaration.span,
            places=places,
            draft=table.text("stability") == "draft",
        )


def _places(table: Table) -> dict[str, Span]:
    return {name: node.span for name, node in table.entries.items()}


def read_key(declaration: Declaration, annotations: Annotations, diagnostics: Diagnostics) -> KeyDraft:
    """Read a key type."""
    table = declaration.table
    topic = table.text("topic")
    if topic is not None and (problem := topic_problem(topic)):
        diagnostics.error(problem.rule, table.place("topic"), problem.message, problem.help)
    entries = table.table("fields")
    if "fields" in table.entries and isinstance(table.entries["fields"], Table) and not entries:
        help_ = 'such as fields.order_id = "u64"'
        diagnostics.error("WK207", table.entries["fields"].span, "a key has at least one field", help_)
    fields = read_fields(entries, "key", declaration.id.namespace, annotations, diagnostics)
    check_wires(fields, diagnostics)
    return KeyDraft(declaration, fields)


def find_key(node: Node | None, namespace: str, declared: Declared, diagnostics: Diagnostics) -> TypeName | None:
    """Return the key type a name means, or None after reporting that there is none in the namespace."""
    if not isinstance(node, Scalar):
        return None
    name = TypeName(namespace, str(node.value))
    found = declared.types.get(name)
    if found is not None and found.kind == "key":
        return name
    keys = [key.id.name for key in declared.of_kind("key") if key.id.namespace == namespace]
    if found is not None:
        help_ = "name one that is declared as [key.…]"
        diagnostics.error("WK205", node.span, f"{name.name!r} is no key but declared as [{found.kind}.…]", help_)
        return None
    elsewhere = [key.id for key in declared.of_kind("key") if name.name in {key.id.name, str(key.id)}]
    hint = f"declare it: [key.{name.name}]"
    if elsewhere:
        hint = f"an event and its key share a namespace; {elsewhere[0].name!r} is in another"
    help_ = did_you_mean(name.name, keys) or hint
    diagnostics.error("WK205", node.span, f"unknown key {name.name!r} in namespace {namespace!r}", help_)
    return None


def read_event(
    declaration: Declaration,
    keys: Mapping[TypeName, KeyDraft],
    declared: Declared,
    annotations: Annotations,
    diagnostics: Diagnostics,
) -> EventDraft | None:
    """Read an event, or return None after reporting that its key is unknown."""
    table = declaration.table
    namespace = declaration.id.namespace
    key = find_key(table.entries.get("key"), namespace, declared, diagnostics)
    entries = table.table("fields")
    fields = read_fields(entries, "event", namespace, annotations, diagnostics)
    algebra, ordering = read_laws(table, diagnostics)
    of_key = {field.name: field for field in keys[key].fields} if key is not None else {}
    own = tuple(field for field in fields if not _repeats(field, of_key, diagnostics))
    check_wires((*of_key.values(), *own), diagnostics)
    if key is None:
        return None
    combining = _Combining(declaration, entries, of_key, diagnostics)
    combine = combining.read(own) if algebra == "associative" else {}
    if algebra not in {"associative", None}:
        combining.refuse()
    return EventDraft(declaration, key, own, algebra or "non_associative", ordering, combine)


def _repeats(field: FieldDraft, of_key: Mapping[str, FieldDraft], diagnostics: Diagnostics) -> bool:
    first = of_key.get(field.name)
    if first is None:
        return False
    message = f"the event has the field {field.name!r} already, from its key"
    notes = [Note(first.span, "the key's field")]
    diagnostics.error("WK208", field.span, message, "remove it: the key's fields come first", notes=notes)
    return True


class _Combining:
    """Read the combine rules of one event."""

    def __init__(
        self,
        declaration: Declaration,
        entries: Mapping[str, Node],
        of_key: Mapping[str, FieldDraft],
        diagnostics: Diagnostics,
    ) -> None:
        self._declaration = declaration
        self._rules = declaration.table.table("combine")
        self._entries = entries
        self._of_key = of_key
        self._diagnostics = diagnostics

    def refuse(self) -> None:
        """Report rules of an event that is not associative."""
        node = self._declaration.table.entries.get("combine")
        if node is not None:
            message = "only an associative event has combine rules"
            self._diagnostics.error("WK406", node.key, message, 'write `algebra = "associative"`, or remove the rules')

    def read(self, own: Sequence[FieldDraft]) -> dict[str, CombineRule]:
        """Return the rule of each field; report those that are missing, unknown or do not fit."""
        names = [name for name in self._entries if name not in self._of_key]
        for name, node in self._rules.items():
            if name in self._of_key:
                help_ = "remove it: both events have the same key"
                self._diagnostics.error("WK407", node.key, f"{name!r} is a field of the key", help_)
            elif name not in self._entries:
                message = f"the event has no field {name!r}"
                self._diagnostics.error("WK407", node.key, message, did_you_mean(name, names))
        missing = [name for name in names if name not in self._rules]
        if missing:
            self._miss(missing)
        return {field.name: rule for field in own if (rule := self._rule(field)) is not None}

    def _miss(self, missing: Iterable[str]) -> None:
        table = self._declaration.table
        where = table.entries.get("combine", table).span
        message = f"no combine rule for {', '.join(map(repr, missing))}"
        help_ = f"an associative event needs one per field: [event.{self._declaration.id.name}.combine]"
        self._diagnostics.error("WK405", where, message, help_)

    def _rule(self, field: FieldDraft) -> CombineRule | None:
        node = self._rules.get(field.name)
        if not isinstance(node, Scalar):
            return None
        rule = cast("CombineRule", node.value)
        if fits(rule, field.type):
            return rule
        message = f"{rule!r} does not combine fields such as {field.name!r}"
        self._diagnostics.error("WK408", node.span, message, f"it can be {', '.join(rules_for(field.type))}")
        return None


def read_reserved(
    key_name: str, node: Node, namespace: str, declared: Declared, diagnostics: Diagnostics
) -> ReservedModel | None:
    """Read the tombstones of a key's topic."""
    key = find_key(Scalar(key_name, node.key, node.key), namespace, declared, diagnostics)
    if key is None or not isinstance(node, Table):
        return None
    tags = (item.value for item in node.array("tags") if isinstance(item, Scalar))
    names = (item.value for item in node.array("names") if isinstance(item, Scalar))
    return ReservedModel(
        key=key,
        tags=tuple(tag for tag in tags if isinstance(tag, int)),
        names=tuple(name for name in names if isinstance(name, str)),
        span=node.key,
    )


def build_topics(keys: Sequence[KeyModel], events: Sequence[EventModel]) -> tuple[TopicModel, ...]:
    """Return the topics of a namespace, each with its events by tag."""
    by_key: dict[TypeName, list[EventModel]] = {}
    for event in events:
        by_key.setdefault(event.key, []).append(event)
    return tuple(
        TopicModel(
            name=key.topic,
            key=key.id,
            events=tuple(sorted(by_key.get(key.id, []), key=lambda event: event.tag)),
            codecs=codecs_name(key.topic),
            bundle=bundle_name(key.topic),
        )
        for key in keys
    )
