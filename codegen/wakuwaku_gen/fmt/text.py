"""The text of one schema file to its formatted text."""

from __future__ import annotations

from pathlib import PurePosixPath

from wakuwaku_gen.diagnostics import Diagnostics, Span
from wakuwaku_gen.fmt.laws import Laws, laws_of, spell_laws
from wakuwaku_gen.fmt.layout import print_file
from wakuwaku_gen.fmt.order import put_in_order
from wakuwaku_gen.fmt.tree import read_file
from wakuwaku_gen.load import Table
from wakuwaku_gen.load.conform import conform
from wakuwaku_gen.load.nodes import plain
from wakuwaku_gen.load.toml import parse

__all__ = ["format_schema"]


def format_schema(data: bytes, file: PurePosixPath, diagnostics: Diagnostics) -> str | None:
    """Return a schema file in the one form, with line feeds alone; None after reporting why it has none.

    `file` is the path as shown. Only what one file can tell is an error here: TOML, keys, kinds of values, laws.
    """
    root = _read(data, file, diagnostics)
    if root is None:
        return None
    laws = laws_of(root, diagnostics)
    if diagnostics.failed:
        return None
    tree = read_file(data.decode().replace("\r\n", "\n"))
    if tree is None:
        message = "this is TOML, but written in a way that can't be formatted"
        diagnostics.error("WK006", Span(file), message, "please report it, with the file")
        return None
    spell_laws(tree, laws)
    put_in_order(tree)
    text = print_file(tree)
    if _meaning(_read(text.encode(), file, Diagnostics())) != _meaning(root):
        raise AssertionError(f"{file} would mean something else when it is formatted")
    return text


def _read(data: bytes, file: PurePosixPath, diagnostics: Diagnostics) -> Table | None:
    root = parse(data, file, diagnostics)
    return root if root is not None and conform(root, diagnostics) and not diagnostics.failed else None


def _meaning(root: Table | None) -> tuple[object, dict[str, tuple[str, str]]]:
    """Return all values, but for each event's laws what they mean."""
    if root is None:
        return None, {}
    laws: dict[str, Laws] = laws_of(root, Diagnostics())
    for event in root.table("event").values():
        if isinstance(event, Table):
            event.entries.pop("algebra", None)
            event.entries.pop("ordering", None)
    return plain(root), {name: (one.algebra, one.ordering) for name, one in laws.items()}
