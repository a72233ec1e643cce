"""Build the bound model from the raw schema."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.load import Document, Scalar, Table
from wakuwaku_gen.model.annotation import Annotations
from wakuwaku_gen.model.cycles import check_buildable, ordered
from wakuwaku_gen.model.declared import Declaration, Declared, collect, doc_of
from wakuwaku_gen.model.defaults import Defaults
from wakuwaku_gen.model.derived import check_derived
from wakuwaku_gen.model.digest import digests
from wakuwaku_gen.model.endless import check_endless
from wakuwaku_gen.model.enums import build_enum, build_union
from wakuwaku_gen.model.events import EventDraft, build_topics, read_event, read_key, read_reserved
from wakuwaku_gen.model.fields import FieldDraft, check_wires, read_fields
from wakuwaku_gen.model.schema import (
    AllowModel,
    EventModel,
    FieldModel,
    KeyModel,
    NamespaceModel,
    ReservedModel,
    SchemaModel,
    StructModel,
)
from wakuwaku_gen.model.types import TypeName

__all__ = ["build_schema"]


def build_schema(
    documents: Sequence[Document], diagnostics: Diagnostics, *, root: Path, out_parent: Path
) -> SchemaModel:
    """Bind a schema: resolve every reference, choose every name, check every default.

    `root` is the schema folder and `out_parent` the folder that holds the output; generated headers show file names
    relative to them. What is wrong is reported, and left out of the model: it is whole only when nothing was reported.
    """
    declared = collect(documents, diagnostics)
    builder = _Builder(declared, diagnostics)
    namespaces = [
        builder.namespace(name, files, tuple(_source(file, root, out_parent) for file in files))
        for name, files in sorted(declared.namespaces.items())
    ]
    by_name = digests(namespaces) if not diagnostics.failed else {}
    return SchemaModel(
        namespaces=tuple(dataclasses.replace(one, digest=by_name.get(one.name, "")) for one in namespaces),
        allows=tuple(allow for declaration in declared.types.values() for allow in _allows(declaration)),
    )


def _source(document: Document, root: Path, out_parent: Path) -> str:
    path = Path(os.path.normpath(document.path))
    for base in (out_parent, root):
        above = Path(os.path.normpath(base.absolute()))
        if path.is_relative_to(above):
            return path.relative_to(above).as_posix()
    return document.name.as_posix()


def _allows(declaration: Declaration) -> Iterator[AllowModel]:
    tables: list[tuple[str | None, Table]] = [(None, declaration.table)]
    tables.extend((name, node) for name, node in declaration.table.table("fields").items() if isinstance(node, Table))
    for field, table in tables:
        for rule, node in table.table("allow").items():
            if isinstance(node, Scalar) and isinstance(node.value, str):
                yield AllowModel(declaration.id, field, rule, node.value, node.key)


class _Builder:
    """Read all declarations, since they may name each other in any order, then build namespace by namespace."""

    def __init__(self, declared: Declared, diagnostics: Diagnostics) -> None:
        self._declared = declared
        self._diagnostics = diagnostics
        annotations = Annotations(declared, diagnostics)
        self._enums = {one.id: build_enum(one, diagnostics) for one in declared.of_kind("enum")}
        self._unions = {one.id: build_union(one, annotations, diagnostics) for one in declared.of_kind("union")}
        self._tagged = {variant for union in self._unions.values() for variant in union.variants}
        self._structs = {one.id: self._struct_fields(one, annotations) for one in declared.of_kind("struct")}
        self._keys = {one.id: read_key(one, annotations, diagnostics) for one in declared.of_kind("key")}
        self._events: dict[TypeName, EventDraft] = {}
        for one in declared.of_kind("event"):
            draft = read_event(one, self._keys, declared, annotations, diagnostics)
            if draft is not None:
                self._events[one.id] = draft
        spans = {name: declaration.span for name, declaration in declared.types.items()}
        stuck = check_buildable(self._structs, self._unions, spans, diagnostics)
        self._order = ordered(self._structs, self._unions)
        self._defaults = Defaults(self._enums, self._structs, diagnostics)
        self._finished = {name: self._finish(drafts) for name, drafts in self._structs.items()}
        check_endless(self._finished, stuck, diagnostics)
        self._key_fields = {name: self._finish(draft.fields) for name, draft in self._keys.items()}
        self._names: dict[str, list[TypeName]] = {}
        for name in (*self._order, *(name for name, one in declared.types.items() if one.kind != "struct")):
            self._names.setdefault(name.namespace, []).append(name)

    def _struct_fields(self, declaration: Declaration, annotations: Annotations) -> tuple[FieldDraft, ...]:
        entries = declaration.table.table("fields")
        fields = read_fields(entries, "struct", declaration.id.namespace, annotations, self._diagnostics)
        check_wires(fields, self._diagnostics, tagged=declaration.id in self._tagged)
        return fields

    def _finish(self, drafts: Sequence[FieldDraft]) -> tuple[FieldModel, ...]:
        return tuple(self._defaults.finish(draft) for draft in drafts)

    def namespace(self, name: str, files: Sequence[Document], sources: tuple[str, ...]) -> NamespaceModel:
        """Build one namespace, without its digest."""
        names = self._names.get(name, [])
        keys = tuple(self._built_keys(names))
        events = tuple(self._built_events(names))
        topics = build_topics(keys, events)
        types = {id_.name: self._declared.types[id_].span for id_ in names}
        check_derived(types, keys, topics, events, self._diagnostics)
        return NamespaceModel(
            name=name,
            package=tuple(name.split(".")),
            sources=sources,
            doc=doc_of(files, self._diagnostics),
            keys=keys,
            enums=tuple(self._enums[one] for one in names if one in self._enums),
            structs=tuple(self._struct(one) for one in names if one in self._structs),
            unions=tuple(self._unions[one] for one in names if one in self._unions),
            events=events,
            topics=topics,
            reserved=tuple(self._reserved(name, files)),
            digest="",
        )

    def _built_keys(self, names: Sequence[TypeName]) -> Iterator[KeyModel]:
        for name in names:
            draft = self._keys.get(name)
            if draft is not None and (key := draft.finish(self._key_fields[name])) is not None:
                yield key

    def _built_events(self, names: Sequence[TypeName]) -> Iterator[EventModel]:
        for name in names:
            draft = self._events.get(name)
            if draft is not None:
                fields = (*self._key_fields[draft.key], *self._finish(draft.fields))
                if (event := draft.finish(fields)) is not None:
                    yield event

    def _struct(self, name: TypeName) -> StructModel:
        declaration = self._declared.types[name]
        return StructModel(
            id=name,
            fields=self._finished[name],
            tagged=name in self._tagged,
            doc=declaration.table.text("doc") or "",
            span=declaration.span,
            draft=declaration.table.text("stability") == "draft",
        )

    def _reserved(self, namespace: str, files: Sequence[Document]) -> Iterator[ReservedModel]:
        for file in files:
            for key, node in file.root.table("reserved").items():
                reserved = read_reserved(key, node, namespace, self._declared, self._diagnostics)
                if reserved is not None:
                    yield reserved
