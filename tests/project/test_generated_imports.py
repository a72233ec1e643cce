"""Generated code stands on the public runtime and msgspec alone."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

GENERATED = Path(__file__).parents[2] / "generated"
EXTRA = {"strategies.py": {"hypothesis"}, "test_laws.py": {"hypothesis"}}


def foreign_imports(source: str, own: set[str]) -> list[str]:
    """List what a generated module may not import: all but stdlib, its own packages, msgspec and public wakuwaku."""
    allowed = {*sys.stdlib_module_names, *own, "msgspec"}
    modules: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            modules.append(node.module)
            if node.module.split(".")[0] == "wakuwaku":
                modules += [f"{node.module}.{alias.name}" for alias in node.names if alias.name.startswith("_")]
    return [module for module in modules if not (module.split(".")[0] in allowed or _is_public_runtime(module))]


def _is_public_runtime(module: str) -> bool:
    top, *rest = module.split(".")
    return top == "wakuwaku" and not any(part.startswith("_") for part in rest)


def test_foreign_imports_are_found() -> None:
    """The private runtime, the generator and other libraries are foreign, wherever the import stands."""
    source = """
import datetime, msgspec, shop.events, requests
from wakuwaku import Event
from wakuwaku._core import plan
from wakuwaku import _engine
from . import codecs
def late():
    import wakuwaku_gen
"""

    assert foreign_imports(source, {"shop"}) == [
        "requests",
        "wakuwaku._core",
        "wakuwaku._engine",
        "wakuwaku_gen",
    ]


def test_generated_code_imports_only_the_public_runtime_and_msgspec() -> None:
    """A service needs no generator; only the strategies for tests need Hypothesis, and handlers belong to the user."""
    own = {path.name for path in GENERATED.iterdir() if path.is_dir()}
    modules = [path for path in GENERATED.rglob("*.py") if "handlers" not in path.parts]

    foreign = {
        path.relative_to(GENERATED).as_posix(): names
        for path in modules
        if (names := foreign_imports(path.read_text(encoding="utf-8"), own | EXTRA.get(path.name, set())))
    }

    assert modules
    assert foreign == {}
