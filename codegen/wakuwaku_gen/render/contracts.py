"""Emit contracts.py: one abstract handler per event, and one bundle of handlers per topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wakuwaku_gen.model.schema import EventModel, NamespaceModel, TopicModel
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.combiners import combiner_contract
from wakuwaku_gen.render.emitter import RenderedFile, file_in, header
from wakuwaku_gen.render.layout import Either, assignment, call, keyword, mapping, statement, subscript, with_pragma
from wakuwaku_gen.render.prose import event_doc, what_a_batch_holds
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import docstring, identifier, literal
from wakuwaku_gen.render.templates import fill

__all__ = ["emit_contracts"]


@dataclass(frozen=True, slots=True)
class _Contract:
    opening: str
    doc: str
    event: str
    max_batch: str


@dataclass(frozen=True, slots=True)
class _Bundle:
    opening: str
    doc: str
    topic: str
    fields: Sequence[str]


def emit_contracts(namespace: NamespaceModel, catalog: Catalog) -> Iterator[RenderedFile]:
    """Emit the module that handlers are written against; a namespace without a key needs none."""
    if not namespace.topics:
        return
    scope = Scope(namespace, catalog, "contracts")
    text = fill(
        "contracts.py.jinja",
        header=header(namespace),
        doc=docstring(f"Handler contracts of {namespace.name}: one per event, and one bundle per topic.", 0),
        contracts=[_contract(event, scope) for event in namespace.events],
        combiners=[combiner_contract(event, scope) for event in namespace.events if event.custom],
        bundles=[_bundle(topic, scope) for topic in namespace.topics],
        imports=scope.imports(),
    )
    yield file_in(namespace, "contracts.py", text)


def _contract(event: EventModel, scope: Scope) -> _Contract:
    name = scope.reference(event.id)
    base = subscript(scope.use("_wakuwaku.Handler"), name)
    topic = scope.catalog.keys[event.key].topic
    doc = f"Apply {event.id.name}.\n\n{event_doc(event, topic)}\n\nA batch holds {what_a_batch_holds(event)}"
    return _Contract(
        opening=statement("class ", call(identifier(event.names.contract), base), ":"),
        doc=with_pragma(docstring(doc)),
        event=statement("event = ", name, indent=4),
        max_batch=statement("max_batch = ", literal(event.max_batch), indent=4),
    )


def _bundle(topic: TopicModel, scope: Scope) -> _Bundle:
    scope.use("_dataclasses.dataclass")
    about = call(
        scope.use("_wakuwaku.Topic"),
        keyword("name", literal(topic.name)),
        keyword("codecs", scope.reference(topic.key, "codecs", topic.codecs)),
        keyword("fields", mapping(tuple((literal(event.tag), literal(event.names.field)) for event in topic.events))),
    )
    doc = f"Name the handler of every event of topic {topic.name}; Ignore() is the way to leave one out."
    return _Bundle(
        opening=statement("class ", call(identifier(topic.bundle), scope.use("_wakuwaku.HandlerBundle")), ":"),
        doc=with_pragma(docstring(doc)),
        topic=assignment("__wakuwaku__", scope.use("_typing.ClassVar"), about, indent=4),
        fields=[_field(event, scope) for event in topic.events],
    )


def _field(event: EventModel, scope: Scope) -> str:
    contract = scope.reference(event.id, "contracts", event.names.contract)
    kind = Either(contract, scope.use("_wakuwaku.Ignore"))
    return statement(f"{identifier(event.names.field)}: ", kind, indent=4)
