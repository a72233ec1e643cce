"""Draw schemas that are most likely broken: valid ones with something changed, in their tables or in their text."""

from __future__ import annotations

import copy
import datetime as dt
from typing import Any

from hypothesis import strategies as st

from tests.codegen.fuzz.schemas import Files, schema_tables, schema_texts
from tests.codegen.fuzz.texts import TEXTS

__all__ = ["spoiled_tables", "spoiled_texts"]

_KEYS = [
    *(
        "type",
        "default",
        "fields",
        "values",
        "tag",
        "topic",
        "key",
        "allow",
        "combine",
        "wire",
        "doc",
        "required",
        "open",
    ),
    *("variants", "algebra", "ordering", "max_batch", "reserved", "tags", "names", "compare", "pattern", "ge", "le"),
    *(
        "class",
        "None",
        "Key",
        "x",
        "é",
        "",
        "a b",
        "__init__",
        "event",
        "struct",
        "enum",
        "union",
        "wakuwaku",
        "namespace",
    ),
]
_VALUES: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(
        [
            *("list[", "list[list[int]", "dict[float, int]", "set[set[int]]", "X", "a.b", "int | str", "None", "str?"),
            *(
                "Any | None | None",
                "tuple[]",
                "list",
                "shop.X",
                "sum",
                "custom",
                "associative",
                "u64",
                "acquire",
                ".",
                "1",
            ),
            *([], [1], [[]], [""], {}, {"x": 1}, {"type": "u8"}, {"value": 1}, {"default": 1, "type": "str"}),
            *(0, -1, 2**63, 2**64, -(2**63) - 1, 10**40, 1.5, float("inf"), float("nan"), True),
            *(dt.date(2024, 1, 31), dt.time(12), dt.datetime(2024, 1, 31, tzinfo=dt.UTC), "P1D", "aGVsbG8=", "é" * 300),
        ]
    ),
    TEXTS,
    st.integers(),
    st.floats(),
)


def _tables(node: Any) -> list[dict[str, Any]]:
    """Return all tables of a file that have something in them."""
    if not isinstance(node, dict):
        return []
    return [*([node] if node else []), *(inner for value in node.values() for inner in _tables(value))]


@st.composite
def spoiled_tables(draw: st.DrawFn) -> dict[str, str]:
    """Draw schema files of which some keys or values are others, missing, or somewhere else."""
    files: Files = copy.deepcopy(draw(schema_tables()))
    for _ in range(draw(st.integers(1, 3))):
        filled = [table for file in files.values() for table in _tables(file)]
        table = draw(st.sampled_from(filled))
        name = draw(st.sampled_from(sorted(table)))
        match draw(st.sampled_from(["drop", "value", "rename", "add", "move", "twin"])):
            case "drop":
                del table[name]
            case "value":
                table[name] = draw(_VALUES)
            case "rename":
                table[draw(st.sampled_from(_KEYS))] = table.pop(name)
            case "add":
                table[draw(st.sampled_from(_KEYS))] = draw(_VALUES)
            case "move":
                other = draw(st.sampled_from(filled))
                table[name] = copy.deepcopy(other[draw(st.sampled_from(sorted(other)))])
            case _:
                table[name.swapcase()] = copy.deepcopy(table[name])
    return schema_texts(files)


@st.composite
def spoiled_texts(draw: st.DrawFn) -> dict[str, str]:
    """Draw schema files whose text has characters or lines that are gone, doubled, swapped or inserted."""
    texts = dict(schema_texts(draw(schema_tables())))
    name = draw(st.sampled_from(sorted(texts)))
    text = texts[name]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(text) - 1)))
        end = at + draw(st.integers(0, 20))
        match draw(st.sampled_from(["cut", "double", "insert", "line", "swap"])):
            case "cut":
                text = text[:at] + text[end:]
            case "double":
                text = text[:end] + text[at:]
            case "insert":
                text = text[:at] + draw(st.sampled_from([*"[]{}=\"'#,.\n\t\r\x00\ufeff", '"""', "\ud7ff"])) + text[at:]
            case "line":
                lines = text.split("\n")
                lines.insert(at % len(lines), lines[end % len(lines)])
                text = "\n".join(lines)
            case _:
                lines = text.split("\n")
                one, other = at % len(lines), end % len(lines)
                lines[one], lines[other] = lines[other], lines[one]
                text = "\n".join(lines)
    return {**texts, name: text}
