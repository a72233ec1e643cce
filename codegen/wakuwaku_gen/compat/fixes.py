"""Make the edits that a finding offers; comments, order and spacing of the files stay as they are."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Table

from wakuwaku_gen.compat.catalogue import Catalogue
from wakuwaku_gen.compat.edit import Fix, KeepWire, Reserve
from wakuwaku_gen.diagnostics import Span

__all__ = ["Fixed", "edited", "write_files"]


@dataclass(frozen=True, slots=True)
class Fixed:
    """Hold a file before and after its edits, and what was done to it."""

    path: Path
    before: str
    after: str
    done: tuple[str, ...]


def edited(fixes: Iterable[Fix], held: Catalogue) -> list[Fixed]:
    """Return the files of a version with fixes made; none is written. Raises `OSError` for one that can't be read."""
    texts: dict[Path, str] = {}
    documents: dict[Path, tomlkit.TOMLDocument] = {}
    done: dict[Path, list[str]] = {}
    for fix in fixes:
        path = Path(_span(fix, held).file)
        if path not in documents:
            texts[path] = path.read_bytes().decode()
            documents[path] = tomlkit.parse(texts[path])
        said = _keep(documents[path], fix) if isinstance(fix, KeepWire) else _reserve(documents[path], fix, held)
        if said:
            done.setdefault(path, []).append(said)
    return [Fixed(path, texts[path], documents[path].as_string(), tuple(said)) for path, said in done.items()]


def _span(fix: Fix, held: Catalogue) -> Span:
    return fix.at if isinstance(fix, KeepWire) else held.keys[fix.topic].span


def _keep(document: tomlkit.TOMLDocument, fix: KeepWire) -> str | None:
    fields = _table(document, fix.kind, fix.owner, "fields")
    field = None if fields is None else fields.get(fix.name)
    if fields is None or field is None:
        return None
    if isinstance(field, Table | InlineTable):
        field["wire"] = fix.wire
    else:
        inline: Any = tomlkit.inline_table()
        inline.update({"type": str(field), "wire": fix.wire})
        fields[fix.name] = inline
    return f"{fix.owner}.{fix.name} keeps the name {fix.wire!r} on the wire"


def _table(document: Mapping[str, Any], *path: str) -> Any:
    found: Any = document
    for name in path:
        found = found.get(name)
        if found is None:
            return None
    return found


def _reserve(document: tomlkit.TOMLDocument, fix: Reserve, held: Catalogue) -> str | None:
    key = held.keys[fix.topic].id.name
    whole: Any = document
    reserved: Any = whole.get("reserved")
    if reserved is None:
        reserved = tomlkit.table(is_super_table=True)
        whole.append("reserved", reserved)
    table: Any = reserved.get(key)
    if table is None:
        table = tomlkit.table()
        reserved.append(key, table)
    added: list[str] = []
    for name, values in (("tags", fix.tags), ("names", fix.names)):
        present: Any = table.get(name)
        if values and present is None:
            table[name] = present = tomlkit.array()
        for value in values:
            if value not in present:
                present.append(value)
                added.append(repr(value))
    return f"{key} reserves {', '.join(added)}" if added else None


def write_files(texts: Mapping[Path, str]) -> None:
    """Write files, each as a whole or not at all; raises `OSError`."""
    for path, text in texts.items():
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                Path(name).chmod(path.stat().st_mode)
            else:
                Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
