"""Make whole schema files of the parts that rules give as examples."""

import re
from pathlib import Path

from wakuwaku_gen.check import bind
from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.model.schema import SchemaModel

MISSING_DOC = "WK150"
KEY = '[key.OrderKey]\ntopic = "orders"\nfields.order_id = "u64"\n'


def files_of(example: str) -> dict[str, str]:
    """Return the files of an example by name, with what examples leave out."""
    parts = re.split(r"^# file: (.+)\n?", example, flags=re.MULTILINE)
    named = dict(zip(parts[1::2], parts[2::2], strict=True)) or {"shop.toml": example}
    return {name: _completed(text) for name, text in named.items()}


def _completed(text: str) -> str:
    head = ""
    if "wakuwaku =" not in text:
        head = "wakuwaku = 1\n" + ("" if "namespace =" in text else 'namespace = "shop"\n')
    needs_key = "OrderKey" in text and "[key.OrderKey]" not in text
    return head + text + ("\n" + KEY if needs_key else "\n")


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write schema files below a folder, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


def bound(folder: Path, example: str, *, docs: bool = False) -> tuple[SchemaModel | None, Diagnostics]:
    """Bind an example; places are shown as `shop.toml:3:1`. Examples leave docs out, which `docs` takes notice of."""
    write(folder, files_of(example))
    model, diagnostics = bind(folder, out_parent=folder.parent, shown_from=folder)
    if not docs:
        diagnostics.items = [item for item in diagnostics.items if item.rule != MISSING_DOC]
    return model, diagnostics


def told(diagnostics: Diagnostics) -> list[str]:
    """Return diagnostics as lines of place, rule and message."""
    return [f"{item.span} {item.rule} {item.message}" for item in diagnostics.sorted()]
