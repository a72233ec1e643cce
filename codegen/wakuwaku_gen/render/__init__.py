"""The model as files: every emitter turns a namespace into values, and nothing is written here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from wakuwaku_gen.model.schema import NamespaceModel, SchemaModel
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.codecs import emit_codecs
from wakuwaku_gen.render.contracts import emit_contracts
from wakuwaku_gen.render.emitter import EMITTER_API, Emitter, EmitterError, FileKind, RenderedFile, file_in
from wakuwaku_gen.render.events import emit_events
from wakuwaku_gen.render.laws import emit_laws
from wakuwaku_gen.render.package import emit_package
from wakuwaku_gen.render.plugins import installed_emitters
from wakuwaku_gen.render.schema_json import emit_schema_json
from wakuwaku_gen.render.strategies import emit_strategies
from wakuwaku_gen.render.stubs import emit_stubs

__all__ = [
    "BUILT_IN",
    "EMITTER_API",
    "Catalog",
    "Emitter",
    "EmitterError",
    "FileKind",
    "RenderedFile",
    "file_in",
    "installed_emitters",
    "render",
]

#: What makes the output; one more kind of file is one more entry here.
BUILT_IN: Final[tuple[Emitter, ...]] = (
    Emitter("package", emit_package, api=1),
    Emitter("events", emit_events, api=1),
    Emitter("codecs", emit_codecs, api=1),
    Emitter("contracts", emit_contracts, api=1),
    Emitter("schema", emit_schema_json, api=1),
    Emitter("strategies", emit_strategies, api=1),
    Emitter("laws", emit_laws, api=1),
    Emitter("stubs", emit_stubs, api=1),
)


def render(schema: SchemaModel, more: Iterable[Emitter] = ()) -> list[RenderedFile]:
    """Return all files of a schema, sorted by path; the same model gives the same bytes, always and everywhere.

    The schema must have passed its checks; `more` are emitters beside the built-in ones. Paths are below the output
    folder. Raises `EmitterError` when an emitter fails, leaves its folder, or makes a file that another one makes.
    """
    catalog = Catalog(schema)
    packages = {PurePosixPath(*namespace.package): namespace.name for namespace in schema.namespaces}
    made: dict[str, tuple[Emitter, RenderedFile]] = {}
    for emitter in (*BUILT_IN, *more):
        for namespace in schema.namespaces:
            for file in _emitted(emitter, namespace, catalog):
                _check_place(emitter, file, namespace, packages)
                first, _ = made.setdefault(file.path.as_posix().casefold(), (emitter, file))
                if made[file.path.as_posix().casefold()][1] is not file:
                    message = f"the emitters {first.name!r} and {emitter.name!r} both make {file.path}"
                    raise EmitterError(message, f"rename the file of {emitter.name!r}, or uninstall one of the two")
    return sorted((file for _, file in made.values()), key=lambda file: file.path)


def _emitted(emitter: Emitter, namespace: NamespaceModel, catalog: Catalog) -> Sequence[RenderedFile]:
    if emitter in BUILT_IN:
        return list(emitter.emit(namespace, catalog))
    try:
        return list(emitter.emit(namespace, catalog))
    except Exception as error:
        message = f"the emitter {emitter.name!r} failed on namespace {namespace.name!r}: "
        raise EmitterError(
            message + f"{type(error).__name__}: {error}", "tell its author, or uninstall the package"
        ) from error


def _check_place(
    emitter: Emitter, file: RenderedFile, namespace: NamespaceModel, packages: dict[PurePosixPath, str]
) -> None:
    """Refuse a file that does not lie in the package of its namespace, or that lies in one inside of it."""
    path = file.path
    package = PurePosixPath(*namespace.package)
    inside = path.is_relative_to(package) and path != package and ".." not in path.parts and "\\" not in str(path)
    owner = next((packages[folder] for folder in path.parents if folder in packages), None)
    if not inside or owner != namespace.name:
        message = f"the emitter {emitter.name!r} leaves the folder {package} of namespace {namespace.name!r}: {path}"
        raise EmitterError(message, "make paths with `file_in`")
