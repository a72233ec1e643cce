"""Two versions of a schema side by side: catalogues, codecs that the checker makes, and codecs that are generated."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from wakuwaku_gen.check import check_schema
from wakuwaku_gen.compat.catalogue import Catalogue, Record, catalogue_of
from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.load.conform import conform
from wakuwaku_gen.load.folder import Document
from wakuwaku_gen.load.toml import parse
from wakuwaku_gen.model import build_schema
from wakuwaku_gen.model.schema import SchemaModel
from wakuwaku_gen.render import render

__all__ = ["ADDRESS", "catalogue", "generated", "model", "record"]

ADDRESS = ("boxes", 1)
_numbers = itertools.count()


def model(text: str) -> SchemaModel | None:
    """Return the model of a schema file with the namespace `box`; None when it has an error."""
    diagnostics = Diagnostics()
    path = Path("box.toml")
    root = parse(f'wakuwaku = 1\nnamespace = "box"\n{text}'.encode(), path, diagnostics)  # type: ignore[arg-type]
    if root is None or not conform(root, diagnostics):
        return None
    document = Document(path.absolute(), path, root)  # type: ignore[arg-type]
    built = build_schema([document], diagnostics, root=Path.cwd(), out_parent=Path.cwd())
    check_schema(built, diagnostics)
    return None if diagnostics.failed else built


def catalogue(text: str) -> Catalogue:
    """Return the catalogue of a schema file that has no error."""
    built = model(text)
    assert built is not None
    return catalogue_of(built)


def record(held: Catalogue) -> Record:
    """Return the event at `ADDRESS`."""
    event = held.events[ADDRESS]
    return Record(event.id, event.fields)


@contextmanager
def generated(folder: Path, built: SchemaModel) -> Iterator[ModuleType]:
    """Generate code and import it as a package of its own; afterwards it is forgotten."""
    name = f"version_{next(_numbers)}"
    for file in render(built):
        if (
            file.path.name in {"__init__.py", "events.py", "codecs.py", "strategies.py"}
            and "handlers" not in file.path.parts
        ):
            path = folder / name / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(f"{name}.box")
    finally:
        sys.path.remove(str(folder))
        for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
            del sys.modules[loaded]
