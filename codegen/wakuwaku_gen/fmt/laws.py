"""Write algebra and ordering in the one spelling: a single law, and fences where they belong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.fmt.tree import Atom, File, Inline, Pair, comments_of
from wakuwaku_gen.load import Array, Node, Scalar, Table
from wakuwaku_gen.model.algebra import read_laws

__all__ = ["Laws", "laws_of", "spell_laws"]

_FENCES: Final = frozenset({"relaxed", "acquire", "release", "acqrel"})
_SEPARATORS: Final = re.compile(r"[_\- ]")


@dataclass(frozen=True, slots=True)
class Laws:
    """Hold what an event's algebra and ordering mean, and how its `algebra` says it.

    `fenced` when there is a fence among the laws, `lawless` when there is nothing else.
    """

    algebra: str
    ordering: str
    fenced: bool
    lawless: bool


def laws_of(root: Table, diagnostics: Diagnostics) -> dict[str, Laws]:
    """Return the laws of each event of a schema file; what is wrong with them is reported."""
    return {name: _read(node, diagnostics) for name, node in root.table("event").items() if isinstance(node, Table)}


def _read(event: Table, diagnostics: Diagnostics) -> Laws:
    algebra, ordering = read_laws(event, diagnostics)
    words = [_is_fence(word) for word in _words(event.entries.get("algebra"))]
    return Laws(algebra or "", ordering, fenced=any(words), lawless=bool(words) and all(words))


def _words(node: Node | None) -> list[str]:
    items = node.items if isinstance(node, Array) else [node]
    return [str(item.value) for item in items if isinstance(item, Scalar)]


def _is_fence(word: str) -> bool:
    return _SEPARATORS.sub("", word).lower() in _FENCES


def spell_laws(file: File, laws: Mapping[str, Laws]) -> None:
    """Give every event its laws in the one spelling; comments stay, with what took the place of what they were at."""
    for section in file.sections:
        _spell(section.pairs, section.path, laws, inline=False)


def _spell(pairs: list[Pair], above: tuple[str, ...], laws: Mapping[str, Laws], *, inline: bool) -> None:
    for pair in list(pairs):
        match (*above, *pair.key):
            case ("event", name, "algebra"):
                _algebra(pair, pairs, laws[name], inline=inline)
            case ("event", name, "ordering"):
                pair.value = Atom(f'"{laws[name].ordering}"')
            case path if isinstance(pair.value, Inline):
                _spell(pair.value.pairs, path, laws, inline=True)
            case _:
                pass


def _algebra(pair: Pair, pairs: list[Pair], laws: Laws, *, inline: bool) -> None:
    remarks = comments_of(pair.value)
    if inline and remarks:  # there is no other place for them inside of braces
        return
    pair.above += remarks
    pair.value = Atom(f'"{laws.algebra}"')
    if not laws.fenced:
        return
    name = (*pair.key[:-1], "ordering")
    ordering = next((other for other in pairs if other.key == name), None)
    if ordering is None:
        ordering = Pair(name, Atom(f'"{laws.ordering}"'))
        pairs.insert(pairs.index(pair) + 1, ordering)
    if laws.lawless:
        ordering.above = [*pair.above, *([pair.behind] if pair.behind else []), *ordering.above]
        pairs.remove(pair)
