"""Generate packages out of TOML and import them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from wakuwaku_gen.check import bind
from wakuwaku_gen.model.schema import SchemaModel
from wakuwaku_gen.render import RenderedFile, render

KEY = """
[key.BoxKey]
topic = "boxes"
doc = "One box."
[key.BoxKey.fields]
id = "u64"
"""


def model_of(folder: Path, **schemas: str) -> SchemaModel:
    """Return the model of schema texts, one file each; `folder` gets the files."""
    for name, text in schemas.items():
        path = folder / "schemas" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'wakuwaku = 1\nnamespace = "{name}"\n{text}', encoding="utf-8")
    model, diagnostics = bind(folder / "schemas", out_parent=folder)
    assert model is not None, diagnostics.sorted()
    return model


def rendered(folder: Path, **schemas: str) -> dict[str, str]:
    """Return the text of all files made of schema texts, by path."""
    return {file.path.as_posix(): file.text for file in render(model_of(folder, **schemas))}


def write_files(folder: Path, files: list[RenderedFile]) -> None:
    """Write files below a folder."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")


@contextmanager
def imported(folder: Path, **schemas: str) -> Iterator[ModuleType]:
    """Generate code for schema texts and import the package of the last one; afterwards it is forgotten."""
    write_files(folder / "out", render(model_of(folder, **schemas)))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(f"out.{list(schemas)[-1]}")
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name == "out" or name.startswith("out.")]:
            del sys.modules[name]
