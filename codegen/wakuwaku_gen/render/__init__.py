"""The model as files: every emitter turns a namespace into values, and nothing is written here."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.model.schema import SchemaModel
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.codecs import emit_codecs
from wakuwaku_gen.render.contracts import emit_contracts
from wakuwaku_gen.render.emitter import Emitter, FileKind, RenderedFile
from wakuwaku_gen.render.events import emit_events
from wakuwaku_gen.render.package import emit_package
from wakuwaku_gen.render.schema_json import emit_schema_json
from wakuwaku_gen.render.stubs import emit_stubs

__all__ = ["EMITTERS", "Emitter", "FileKind", "RenderedFile", "render"]

#: What makes the output; one more kind of file is one more entry here.
EMITTERS: Final[tuple[Emitter, ...]] = (
    emit_package,
    emit_events,
    emit_codecs,
    emit_contracts,
    emit_schema_json,
    emit_stubs,
)


def render(schema: SchemaModel) -> list[RenderedFile]:
    """Return all files of a schema, sorted by path; the same model gives the same bytes, always and everywhere.

    The schema must have passed its checks and `limits.unsupported`; paths are below the output folder.
    """
    catalog = Catalog(schema)
    files = [file for namespace in schema.namespaces for emit in EMITTERS for file in emit(namespace, catalog)]
    return sorted(files, key=lambda file: file.path)
