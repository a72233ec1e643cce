"""Put the keys of each table into the order of the language's table of keys; names the user chose keep theirs."""

from __future__ import annotations

from collections.abc import Sequence

from wakuwaku_gen.fmt.tree import Array, File, Inline, Pair, Value
from wakuwaku_gen.load.language import ROOT, Named, OneOf, Record, Shape
from wakuwaku_gen.load.language import Sequence as SequenceShape

__all__ = ["put_in_order"]


def put_in_order(file: File) -> None:
    """Sort the pairs of all tables; sections stay where they are, and so do fields, whose order has a meaning."""
    for section in file.sections:
        _sort(section.pairs, _below(ROOT, section.path))


def _sort(pairs: list[Pair], shape: Shape | None) -> None:
    record = _first(shape, Record)
    if isinstance(record, Record):
        # Declarations of all kinds, which stand at the root in dotted keys, keep their order among each other.
        names = [key.name for key in record.keys if record is not ROOT or not isinstance(key.shape, Named)]
        pairs.sort(key=lambda pair: _rank(names, pair.key))
    for pair in pairs:
        _sort_value(pair.value, _below(shape, pair.key))


def _rank(names: Sequence[str], path: Sequence[str]) -> int:
    return names.index(path[0]) if path[0] in names else len(names)


def _sort_value(value: Value, shape: Shape | None) -> None:
    if isinstance(value, Inline):
        _sort(value.pairs, shape)
    elif isinstance(value, Array):
        sequence = _first(shape, SequenceShape)
        for item in value.items:
            _sort_value(item.value, sequence.item if isinstance(sequence, SequenceShape) else None)


def _below(shape: Shape | None, path: Sequence[str]) -> Shape | None:
    """Return the shape of what stands at a path below a table; None where anything may stand."""
    for name in path:
        table = _first(shape, Record, Named)
        if isinstance(table, Record):
            shape = next((key.shape for key in table.keys if key.name == name), None)
        else:
            shape = table.item if isinstance(table, Named) else None
    return shape


def _first(shape: Shape | None, *kinds: type) -> Shape | None:
    """Return the first of the shapes that is of some kind; those of a choice are told apart by their kinds."""
    choices = shape.shapes if isinstance(shape, OneOf) else (shape,)
    return next((one for one in choices if isinstance(one, kinds)), None)
