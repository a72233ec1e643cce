"""Emit schema.json: the resolved namespace, for compatibility checks, docs and other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from wakuwaku_gen.model import namespace_data
from wakuwaku_gen.model.schema import NamespaceModel
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.emitter import RenderedFile, file_in

__all__ = ["emit_schema_json"]


def emit_schema_json(namespace: NamespaceModel, catalog: Catalog) -> Iterator[RenderedFile]:  # noqa: ARG001 - an emitter
    """Emit the resolved schema, as `model.digest` has it, with its digest and the files it comes from."""
    data = {"digest": namespace.digest, "sources": list(namespace.sources), **namespace_data(namespace)}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    yield file_in(namespace, "schema.json", f"{msgspec.json.format(text, indent=2)}\n")  # `json` indents slowly
