"""Emit codecs.py: one codec per event, and one table of them per topic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wakuwaku_gen.model.schema import EventModel, NamespaceModel, TopicModel
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.emitter import RenderedFile, file_in, header
from wakuwaku_gen.render.layout import assignment, call, mapping, subscript
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import docstring, identifier, literal
from wakuwaku_gen.render.templates import fill

__all__ = ["emit_codecs"]

_CODECS: Final = "_Codecs"


def emit_codecs(namespace: NamespaceModel, catalog: Catalog) -> Iterator[RenderedFile]:
    """Emit the module that turns events into bytes and back; a namespace without a key needs none."""
    if not namespace.topics:
        return
    scope = Scope(namespace, catalog, "codecs")
    blocks = [
        [_table_type(scope)],
        [_codec(event, scope) for event in namespace.events],
        [_table(topic, scope) for topic in namespace.topics],
    ]
    text = fill(
        "codecs.py.jinja",
        header=header(namespace),
        doc=docstring(f"Codecs of the events of {namespace.name}, and the codecs of each topic by tag.", 0),
        imports=scope.imports(),
        blocks=blocks,
    )
    yield file_in(namespace, "codecs.py", text)


def _codec(event: EventModel, scope: Scope) -> str:
    codec = call(scope.use("_wakuwaku.Codec"), scope.reference(event.id))
    return assignment(identifier(event.names.codec), scope.use("_typing.Final"), codec)


def _table_type(scope: Scope) -> str:
    codec = subscript(scope.use("_wakuwaku.Codec"), scope.use("_typing.Any"))
    kind = subscript(scope.use("_abc.Mapping"), scope.use("_builtins.int"), codec)
    return assignment(_CODECS, scope.use("_typing.TypeAlias"), kind)


def _table(topic: TopicModel, scope: Scope) -> str:
    codecs = ((literal(event.tag), scope.reference(event.id, "codecs", event.names.codec)) for event in topic.events)
    table = call(scope.use("_types.MappingProxyType"), mapping(tuple(codecs)))
    return assignment(identifier(topic.codecs), subscript(scope.use("_typing.Final"), _CODECS), table)
