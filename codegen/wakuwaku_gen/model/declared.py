"""Collect what the schema files declare, by namespace and name, before any of it is understood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from wakuwaku_gen.diagnostics import Diagnostics, Note, Span
from wakuwaku_gen.load import Document, Table
from wakuwaku_gen.model.names import namespace_problem, type_problem
from wakuwaku_gen.model.types import TypeName

__all__ = ["Declaration", "Declared", "Kind", "collect", "doc_of"]

Kind: TypeAlias = Literal["key", "enum", "struct", "union", "event"]
_KINDS: Final[tuple[Kind, ...]] = ("key", "enum", "struct", "union", "event")


@dataclass(frozen=True, slots=True)
class Declaration:
    """Hold the raw table of a type; `span` is its name."""

    kind: Kind
    id: TypeName
    table: Table
    span: Span


@dataclass(slots=True)
class Declared:
    """Hold all declarations, in the order of files and lines, and the files of each namespace."""

    namespaces: dict[str, list[Document]] = field(default_factory=dict[str, list[Document]])
    types: dict[TypeName, Declaration] = field(default_factory=dict[TypeName, Declaration])

    def of_kind(self, kind: Kind) -> Iterator[Declaration]:
        """Return the declarations of one kind."""
        return (declaration for declaration in self.types.values() if declaration.kind == kind)


def collect(documents: Sequence[Document], diagnostics: Diagnostics) -> Declared:
    """Collect the declarations; report bad names, and names declared twice or apart only in letter case."""
    declared = Declared()
    folded: dict[tuple[str, str], Declaration] = {}
    for document in documents:
        namespace = document.root.text("namespace")
        if namespace is None:
            continue
        if namespace not in declared.namespaces and (problem := namespace_problem(namespace)):
            diagnostics.error(problem.rule, document.root.place("namespace"), problem.message, problem.help)
        declared.namespaces.setdefault(namespace, []).append(document)
        for declaration in _declarations(document, namespace):
            first = folded.setdefault((namespace, declaration.id.name.casefold()), declaration)
            if first is declaration:
                if problem := type_problem(declaration.id.name):
                    diagnostics.error(problem.rule, declaration.span, problem.message, problem.help)
                declared.types[declaration.id] = declaration
            else:
                _report_twice(first, declaration, diagnostics)
                declared.types.setdefault(declaration.id, declaration)
    return declared


def _declarations(document: Document, namespace: str) -> Iterator[Declaration]:
    found = [
        Declaration(kind, TypeName(namespace, name), node if isinstance(node, Table) else _empty(node.span), node.key)
        for kind in _KINDS
        for name, node in document.root.table(kind).items()
    ]
    return iter(sorted(found, key=lambda declaration: (declaration.span.line, declaration.span.column)))


def _empty(span: Span) -> Table:
    return Table({}, span, span)


def _report_twice(first: Declaration, second: Declaration, diagnostics: Diagnostics) -> None:
    notes = [Note(first.span, "first declared here")]
    if first.id == second.id:
        message = f"{second.id.name!r} is declared twice in namespace {second.id.namespace!r}"
        diagnostics.error("WK109", second.span, message, "rename one of the two", notes=notes)
    else:
        message = f"the type names {first.id.name!r} and {second.id.name!r} differ only in letter case"
        diagnostics.error("WK110", second.span, message, "rename one of the two", notes=notes)


def doc_of(documents: Sequence[Document], diagnostics: Diagnostics) -> str:
    """Return the doc of a namespace, which one of its files may give."""
    given = [document.root for document in documents if document.root.text("doc") is not None]
    for again in given[1:]:
        message = "another file gives the doc of this namespace already"
        notes = [Note(given[0].place("doc"), "first given here")]
        diagnostics.error("WK016", again.place("doc"), message, "keep one of the two", notes=notes)
    return (given[0].text("doc") or "") if given else ""
