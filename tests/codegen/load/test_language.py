"""The table of keys is complete, and what does not conform to it is told with its place."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import get_args

import pytest

from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.load.conform import conform
from wakuwaku_gen.load.language import COMBINE_RULES, CONSTRAINTS, ROOT, Named, OneOf, Record, Sequence, Shape
from wakuwaku_gen.load.nodes import Broken
from wakuwaku_gen.load.toml import parse
from wakuwaku_gen.model.schema import CombineRule, Constraints

FILE = PurePosixPath("shop.toml")
SCHEMAS = Path(__file__).parents[3] / "schemas"


def records(shape: Shape) -> Iterator[Record]:
    match shape:
        case Record(keys=keys):
            yield shape
            for key in keys:
                yield from records(key.shape)
        case Named(item=item) | Sequence(item=item):
            yield from records(item)
        case OneOf(shapes):
            for one in shapes:
                yield from records(one)
        case _:
            pass


@pytest.mark.parametrize("record", list(records(ROOT)), ids=lambda record: record.name)
def test_every_key_has_a_doc_and_is_there_once(record: Record) -> None:
    names = [key.name for key in record.keys]
    assert len(names) == len(set(names))
    assert all(key.doc.endswith((".", "}.")) for key in record.keys)


def test_the_table_and_the_model_know_the_same_constraints_and_rules() -> None:
    assert [key.name for key in CONSTRAINTS] == [field.name for field in dataclasses.fields(Constraints)]
    assert list(COMBINE_RULES) == list(get_args(CombineRule))


def told(text: str) -> list[str]:
    diagnostics = Diagnostics()
    root = parse(text.encode(), FILE, diagnostics)
    assert root is not None
    conform(root, diagnostics)
    return [f"{item.span} {item.rule} {item.message} | {item.help}" for item in diagnostics.sorted()]


HEAD = 'wakuwaku = 1\nnamespace = "shop"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("doc = 'x'", "shop.toml:1:1 WK012 a schema file needs the key 'namespace' | namespace: The namespace; it "),
        (HEAD + "dock = 'x'", "shop.toml:3:1 WK010 unknown key 'dock' in a schema file | did you mean 'doc'?"),
        (HEAD + "Doc = 'x'", "shop.toml:3:1 WK010 unknown key 'Doc' in a schema file | did you mean 'doc'?"),
        (
            HEAD + "[struct.Line.fields]\nsku = { type = 'str', compare = false }",
            "shop.toml:4:23 WK010 unknown key 'compare' in a field of a struct | 'compare' belongs to a field of an",
        ),
        (
            HEAD + "topic = 'x'",
            "shop.toml:3:1 WK010 unknown key 'topic' in a schema file | 'topic' belongs to a key",
        ),
        (
            HEAD + "xyz.abc = 1",
            "shop.toml:3:1 WK010 unknown key 'xyz' in a schema file | a schema file has wakuwaku, namespace, doc, key",
        ),
        (HEAD + "event = 3", "shop.toml:3:9 WK011 expected a table with the name of an event before each `=`, found"),
        (HEAD + "[[event]]", "shop.toml:3:1 WK011 expected a table with the name of an event before each `=`, found"),
        (HEAD + "[event.A]\ntag = true\nkey='K'", "shop.toml:4:7 WK011 expected an integer, found a boolean | None"),
        (
            HEAD + "[union.A]\nvariants = ['B', 3]",
            "shop.toml:4:18 WK011 expected a string, found an integer | None",
        ),
        (
            HEAD + "[struct.A.fields]\nx = 3",
            "shop.toml:4:5 WK011 expected a string or a table (a field of a struct), found an integer | None",
        ),
        (HEAD + "[enum.A]\nvalues = 1.5", "shop.toml:4:10 WK011 expected an array with a string in each place or "),
        (
            HEAD + "[struct.A]\nfields.x = { doc = 'é' }",
            "shop.toml:4:12 WK012 a field of a struct needs the key 'type'",
        ),
    ],
)
def test_what_does_not_conform_is_told(text: str, expected: str) -> None:
    assert [line for line in told(text) if line.startswith(expected)], told(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[[event]]\n[[event]]\n[[event]]\nkey = 1", "3:1"),
        ("event = { OrderPlaced = { tag = 1, key = 'K',  kee = 'K' } }", "3:48"),
        ("[enum.A]\nvalues = [\n  'A',\n  'é', 3,\n]", "6:8"),
    ],
)
def test_places_are_exact_in_all_spellings(text: str, place: str) -> None:
    assert told(HEAD + text)[0].startswith(f"shop.toml:{place} ")


def test_what_was_reported_is_still_there_but_broken() -> None:
    root = parse((HEAD + "doc = 3").encode(), FILE, Diagnostics())
    assert root is not None
    conform(root, Diagnostics())
    assert isinstance(root.entries["doc"], Broken)
    assert root.text("doc") is None


def test_a_file_of_another_version_of_the_language_is_not_judged_by_this_one() -> None:
    assert [line.split(" ")[1] for line in told("wakuwaku = 2\nfuture = 1")] == ["WK013"]


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.toml")), ids=lambda path: path.name)
def test_the_schemas_of_this_project_conform(path: Path) -> None:
    assert told(path.read_text(encoding="utf-8")) == []
