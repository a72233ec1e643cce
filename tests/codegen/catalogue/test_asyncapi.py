"""The AsyncAPI document is one by the official schema, and its payloads are those the codecs write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tests.codegen.building import KEY, imported, model_of
from tests.codegen.fuzz.schemas import Files, schema_tables, schema_texts
from tests.codegen.fuzz.trials import folder, write
from wakuwaku import Codec
from wakuwaku_gen.catalogue import asyncapi_document
from wakuwaku_gen.check import bind

HERE = Path(__file__).parent
OFFICIAL = json.loads((HERE / "asyncapi-3.0.0.json").read_text(encoding="utf-8"))
CASES = HERE.parents[1] / "cases"


def document(schemas: Path) -> dict[str, Any]:
    model, diagnostics = bind(schemas, out_parent=schemas.parent)
    assert model is not None, diagnostics.sorted()
    return asyncapi_document(model, title="Events")


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from (value for name, value in node.items() if name == "$ref" and isinstance(value, str))
        for value in node.values():
            yield from references(value)
    if isinstance(node, list):
        for value in node:
            yield from references(value)


def check(made: dict[str, Any]) -> None:
    """Hold a document to the official schema, follow its references, and hold its payloads to draft 7."""
    assert json.loads(json.dumps(made)) == made
    Draft7Validator(OFFICIAL).validate(made)
    for reference in references(made):
        node = made
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]
    for message in made["components"]["messages"].values():
        Draft7Validator.check_schema(message["payload"])


@pytest.mark.parametrize("case", ["language", "every_type", "unions", "combining", "texts", "namespaces", "empty"])
def test_a_document_is_valid_by_the_official_schema(case: str) -> None:
    """With all its references."""
    check(document(CASES / case / "input" / "schemas"))


@settings(max_examples=15, deadline=None)
@given(schema_tables())
def test_the_document_of_any_schema_is_valid(files: Files) -> None:
    """Whatever its names and texts are."""
    with folder() as root:
        check(document(write(root, schema_texts(files))))


def test_a_document_tells_what_the_schema_says(tmp_path: Path) -> None:
    """Topic, key, events with their laws, docs, and what AsyncAPI has a word for."""
    schema = (
        KEY
        + """
[struct.Line]
doc = "A line."
fields.sku = { type = "str", min_length = 1, wire = "Sku", default = "x", doc = "A unit." }
[event.Packed]
tag = 7
key = "BoxKey"
algebra = "associative"
doc = "It was packed."
deprecated = "use Sent"
fields.lines = { type = "list[Line]", wire = "Lines" }
combine.lines = "concat"
"""
    )
    made: Any = asyncapi_document(model_of(tmp_path, boxes=schema), title="Boxes", version="2.1")

    assert made["info"] == {"title": "Boxes", "version": "2.1"}
    assert made["channels"]["boxes"]["messages"] == {"Packed": {"$ref": "#/components/messages/boxes.Packed"}}
    assert made["channels"]["boxes"]["x-wakuwaku"]["fields"] == ["id"]
    assert sorted(made["operations"]) == ["consume-boxes", "publish-boxes"]
    packed = made["components"]["messages"]["boxes.Packed"]
    assert packed["x-wakuwaku"] == {
        "tag": 7,
        "algebra": "associative",
        "ordering": "relaxed",
        "max_batch": 1,
        "combine": {"Lines": "concat"},
        "deprecated": "use Sent",
    }
    assert packed["description"] == "It was packed."
    assert packed["payload"]["required"] == ["id", "Lines"]
    assert packed["payload"]["properties"]["Lines"] == {
        "type": "array",
        "items": {"$ref": "#/components/schemas/boxes.Line"},
    }
    line = made["components"]["schemas"]["boxes.Line"]
    assert line["description"] == "A line."
    assert line["properties"]["Sku"] == {"type": "string", "minLength": 1, "description": "A unit.", "default": "x"}


VALUES = (
    KEY
    + """
[enum.Colour]
values = ["RED"]
[enum.Level]
open = true
values = { LOW = 1 }
[struct.Leaf.fields]
colour = "Colour"
[struct.Branch.fields]
twigs = { type = "list[Tree]", default = [] }
[union.Tree]
variants = ["Leaf", "Branch"]
[event.Grown]
tag = 1
key = "BoxKey"
[event.Grown.fields]
tree = "Tree"
level = { type = "Level", default = "LOW", doc = "How high." }
number = { type = "i16", gt = -5, le = 40, multiple_of = 5 }
ratio = { type = "float", ge = 0, lt = 1 }
text = { type = "str | None", pattern = "^[a-z]", max_length = 9 }
parts = "tuple[u8, bytes, UUID]"
names = { type = "set[str]", max_length = 3 }
by_id = { type = "dict[UUID, Decimal]", max_length = 2 }
by_colour = "dict[Colour, date]"
when = "tuple[datetime, naive_datetime, time, timedelta]"
flag = "bool"
"""
)


def test_what_the_codecs_write_is_what_the_document_says(tmp_path: Path) -> None:
    """A drawn event, as JSON has it, is a payload by the schema of its message."""
    made: Any = asyncapi_document(model_of(tmp_path / "model", boxes=VALUES), title="Boxes")
    payload = made["components"]["messages"]["boxes.Grown"]["payload"]
    validator = Draft7Validator({**payload, "components": made["components"]})

    with imported(tmp_path, boxes=VALUES) as package:
        strategies = __import__("out.boxes.strategies", fromlist=["GROWN"])

        @settings(deadline=None, max_examples=60)
        @given(st.data())
        def holds(data: st.DataObject) -> None:
            event = data.draw(strategies.GROWN)
            assert isinstance(Codec(package.Grown).encode(event), bytes)
            validator.validate(json.loads(msgspec.json.encode(event)))

        holds()


def test_without_a_version_it_is_that_of_the_schema(tmp_path: Path) -> None:
    """It changes when the schema does, and not otherwise."""
    one = asyncapi_document(model_of(tmp_path / "a", boxes=KEY), title="Boxes")
    other = asyncapi_document(model_of(tmp_path / "b", boxes=KEY + "# a comment\n"), title="Boxes")
    changed = asyncapi_document(model_of(tmp_path / "c", boxes=KEY + "[struct.A]\n"), title="Boxes")

    assert one == other
    assert one["info"] != changed["info"]
