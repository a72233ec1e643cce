"""Emit what makes the output a package: __init__.py and py.typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wakuwaku_gen.model.schema import NamespaceModel
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.emitter import RenderedFile, file_in, header
from wakuwaku_gen.render.layout import BREAK_AT, Brackets, statement, width, with_pragma
from wakuwaku_gen.render.source import docstring, identifier, literal
from wakuwaku_gen.render.templates import fill

__all__ = ["emit_package"]


def emit_package(namespace: NamespaceModel, catalog: Catalog) -> Iterator[RenderedFile]:  # noqa: ARG001 - an emitter
    """Emit the package's front, which imports the types when they are first asked for."""
    names = sorted(map(identifier, _declared(namespace)), key=lambda name: (_is_no_constant(name), _by_number(name)))
    doc = namespace.doc if namespace.doc.strip() else f"Events of {namespace.name}."
    if names:
        text = fill(
            "init.py.jinja",
            header=header(namespace),
            doc=with_pragma(docstring(doc, 0)),
            import_names=_import_line(names),
            all_names=statement("__all__ = ", Brackets("[", tuple(map(literal, names)), "]")),
        )
    else:
        text = f"{header(namespace)}\n{with_pragma(docstring(doc, 0))}\n"
    yield file_in(namespace, "__init__.py", text)
    yield file_in(namespace, "py.typed", "")


def _declared(namespace: NamespaceModel) -> Iterator[str]:
    yield from (enum.id.name for enum in namespace.enums)
    yield from (struct.id.name for struct in namespace.structs)
    yield from (union.id.name for union in namespace.unions)
    yield from (key.id.name for key in namespace.keys)
    yield from (event.id.name for event in namespace.events)


def _import_line(names: Iterable[str]) -> str:
    # Import sorters look at letter case only to tell constants from classes; sorters of __all__ look at it everywhere.
    names = sorted(names, key=lambda name: (_is_no_constant(name), _by_number(name.lower()), name))
    line = f"from .events import {', '.join(names)}"
    if width(f"    {line}") <= BREAK_AT:
        return line
    return "\n".join(["from .events import (", *(f"        {name}," for name in names), "    )"])


def _is_no_constant(name: str) -> bool:
    return len(name) == 1 or not name.isupper()


def _by_number(name: str) -> list[tuple[int, str]]:
    parts: list[str] = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
