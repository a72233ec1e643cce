"""Emit handlers/: one stub per event, the user's from the moment it is written."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku_gen.model.schema import EventModel, NamespaceModel
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.combiners import combiner_stub
from wakuwaku_gen.render.emitter import FileKind, RenderedFile, file_in
from wakuwaku_gen.render.layout import call, prefixed, statement, subscript, with_pragma
from wakuwaku_gen.render.prose import what_a_batch_holds
from wakuwaku_gen.render.source import docstring, identifier, literal
from wakuwaku_gen.render.templates import fill

__all__ = ["emit_stubs"]


def emit_stubs(namespace: NamespaceModel, catalog: Catalog) -> Iterator[RenderedFile]:
    """Emit a handler to fill in for each event, and a combiner for rules that are `custom`."""
    if not namespace.events:
        return
    doc = docstring(f"Handlers of the events of {namespace.name}.", 0)
    yield file_in(namespace, "handlers/__init__.py", f"{doc}\n", FileKind.STUB)
    for event in namespace.events:
        module = identifier(event.names.module)
        yield file_in(namespace, f"handlers/{module}.py", _stub(event), FileKind.STUB)
        if event.custom:
            combiner = f"handlers/{identifier(event.names.combiner_module)}.py"
            yield file_in(namespace, combiner, combiner_stub(namespace, catalog, event), FileKind.STUB, stays=True)


def _stub(event: EventModel) -> str:
    name, contract = identifier(event.id.name), identifier(event.names.contract)
    batch = subscript("Batch", name)
    signature = call("async def handle", "self", prefixed("events: ", batch))
    return fill(
        "stub.py.jinja",
        doc=docstring(f"Apply {name}.", 0),
        import_contract=f"from ..contracts import {contract}",
        import_event=f"from ..events import {name}",
        opening=statement("class ", call(identifier(event.names.handler), contract), ":"),
        class_doc=docstring(f"Apply {name}."),
        max_batch=statement("max_batch = ", literal(event.max_batch), indent=4),
        signature=statement("", signature, " -> None:", indent=4),
        method_doc=with_pragma(docstring(f"Apply {what_a_batch_holds(event)}", 8)),
    )
