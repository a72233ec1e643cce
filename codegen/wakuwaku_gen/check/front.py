"""The whole front half: a folder of schema files to a model that is known to be sound."""

from __future__ import annotations

from pathlib import Path

from wakuwaku_gen.check.registry import check_schema
from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.garbage import uncollected
from wakuwaku_gen.load import load_folder
from wakuwaku_gen.model.build import build_schema
from wakuwaku_gen.model.schema import SchemaModel

__all__ = ["bind"]


def bind(root: Path, *, out_parent: Path, shown_from: Path | None = None) -> tuple[SchemaModel | None, Diagnostics]:
    """Load, bind and check the schema files below a folder; the model is None when there is an error.

    `out_parent` is the folder that holds the output, which generated headers name schema files from; `shown_from`
    is the one diagnostics show paths from, by default the current directory.
    """
    with uncollected():
        return _bind(root, out_parent, shown_from)


def _bind(root: Path, out_parent: Path, shown_from: Path | None) -> tuple[SchemaModel | None, Diagnostics]:
    diagnostics = Diagnostics()
    folder = load_folder(root, diagnostics, shown_from=shown_from)
    if not folder.complete:  # what a lost file declares would look unknown everywhere else
        return None, diagnostics
    model = build_schema(folder.documents, diagnostics, root=root, out_parent=out_parent)
    check_schema(model, diagnostics)
    return (None if diagnostics.failed else model), diagnostics
