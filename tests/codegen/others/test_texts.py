"""What users of other generators reported about text inside of code; numbers as in `test_names`."""

from __future__ import annotations

import ast
import inspect
import warnings
from pathlib import Path

import pytest

from tests.codegen.building import KEY, imported, rendered
from tests.codegen.check.examples import bound, told
from tests.codegen.render.test_texts import schema_with, shape
from wakuwaku_gen.render.source import normalised

DOCS = [
    r"regex \s+ \N{x} C:\new",
    'has """ inside',
    'ends in "',
    "ends in \\",
    "   ",
    "x" * 10_000,
    "tabs\tand trailing blanks   \nand more  ",
]


@pytest.mark.parametrize("doc", DOCS, ids=range(len(DOCS)))
def test_a_doc_comes_back_as_it_was_written(tmp_path: Path, doc: str) -> None:
    """Cases 13 and 14: backslashes, quotes and blanks, without a warning; an empty doc gets one of ours."""
    schema = f"{KEY}[struct.A]\ndoc = {_toml(doc)}\n"
    source = rendered(tmp_path, boxes=schema)["boxes/events.py"]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = ast.parse(source)

    (node,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "A"]
    assert ast.get_docstring(node) == (normalised(doc) or "Struct boxes.A.")


@pytest.mark.parametrize("text", ['"); import os  #', "{x}", "%s", "{{ 7*7 }}", '"""); import os  #', "\\"])
def test_text_that_looks_like_code_stays_text(tmp_path: Path, text: str) -> None:
    """Case 15: the syntax tree is that of a harmless text, in every file."""
    harmless = rendered(tmp_path / "harmless", words=schema_with("Some placeholder."))
    hostile = rendered(tmp_path / "hostile", words=schema_with(text))

    python = [path for path in harmless if path.endswith(".py")]
    assert {path: shape(hostile[path]) for path in python} == {path: shape(harmless[path]) for path in python}


def test_a_schema_path_that_looks_like_code_stays_a_comment(tmp_path: Path) -> None:
    """Case 15: a file may be called anything."""
    (tmp_path / "schemas" / 'x"); import os #').mkdir(parents=True)
    hostile = tmp_path / "schemas" / 'x"); import os #' / "coding: utf-7.toml"
    hostile.write_text(f'wakuwaku = 1\nnamespace = "boxes"\n{KEY}')
    plain = rendered(tmp_path / "plain", boxes=KEY)

    found = rendered(tmp_path)

    for path, text in plain.items():
        if path.endswith(".py"):
            assert ast.dump(ast.parse(found[path])) == ast.dump(ast.parse(text))


@pytest.mark.parametrize("topic", ['or"ders', "or'ders", "a/b", "a b", "a\\nb", ""])
def test_a_topic_with_quotes_is_told_at_its_place(tmp_path: Path, topic: str) -> None:
    """Case 16: the user sees the schema, never a line of generated code."""
    _, diagnostics = bound(tmp_path, f'[key.K]\ntopic = {_toml(topic)}\nfields.id = "u64"')

    (line,) = told(diagnostics)
    assert line.startswith(f"shop.toml:4:9 WK107 {topic!r} can't name a topic")


def test_attributes_have_their_docs_after_them(tmp_path: Path) -> None:
    """Case 14: they change nothing in the class."""
    schema = f'{KEY}[struct.A]\nfields.x = {{ type = "str", doc = {_toml(DOCS[1])} }}\n'

    with imported(tmp_path, boxes=schema) as boxes:
        assert inspect.signature(boxes.A) == inspect.signature(boxes.A)
        assert boxes.A(x="1").x == "1"


def _toml(text: str) -> str:
    import json  # noqa: PLC0415

    return json.dumps(text, ensure_ascii=False)
