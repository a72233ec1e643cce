"""Make catalogues and findings out of parts of schemas, as examples of rules have them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.codegen.check.examples import files_of, write
from wakuwaku_gen.check import bind
from wakuwaku_gen.compat.axes import Level
from wakuwaku_gen.compat.catalogue import Catalogue, catalogue_of
from wakuwaku_gen.compat.checker import Baseline, compare
from wakuwaku_gen.compat.finding import Finding

__all__ = ["bound", "findings", "found", "rules"]


def bound(example: str) -> Catalogue:
    """Return the catalogue of a part of a schema; the head of the file and the key `OrderKey` may be left out."""
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), files_of(example))
        model, diagnostics = bind(root, out_parent=root.parent, shown_from=root)
    assert model is not None, diagnostics.sorted()
    return catalogue_of(model)


def findings(before: str | Sequence[str], after: str, level: Level = Level.BACKWARD, **more: Any) -> list[Finding]:
    """Return what is found between released versions, called 1.0.0, 2.0.0 …, and a new one."""
    texts = (before,) if isinstance(before, str) else before
    past = [Baseline(f"{number}.0.0", bound(text), number - 1) for number, text in enumerate(texts, 1)]
    return compare(bound(after), past, level=level, **more)


def rules(found_: Sequence[Finding], *, hints: bool = False) -> dict[str, str]:
    """Return the axes of what was found, by rule and place; harmless findings on request."""
    return {f"{one.rule} {one.place}": str(one.axes) for one in found_ if hints or one.severity.value != "hint"}


def found(before: str | Sequence[str], after: str, level: Level = Level.BACKWARD) -> dict[str, str]:
    """Return what is found, harmless findings too, as rule and place with the axes."""
    return rules(findings(before, after, level), hints=True)
