"""The digest changes with what a schema means, and with nothing else."""

import json
from pathlib import Path

import pytest

from tests.codegen.check.examples import bound, told
from wakuwaku_gen.model import namespace_data

LINE = """
[struct.Line]
doc = "One article."
fields.sku = "str"
fields.quantity = { type = "u32", default = 1 }
"""
NOTE = """
[struct.Note]
fields.text = "str"
fields.price = { type = "Decimal | None", default = "1.50" }
"""
EXAMPLE = LINE + NOTE
SKU = 'fields.sku = "str"\n'
QUANTITY = 'fields.quantity = { type = "u32", default = 1 }\n'


def digests(folder: Path, example: str) -> dict[str, str]:
    model, diagnostics = bound(folder, example)
    assert model is not None, told(diagnostics)
    return {namespace.name: namespace.digest for namespace in model.namespaces}


@pytest.mark.parametrize(
    "same",
    [
        "# a comment\n" + EXAMPLE,
        EXAMPLE.replace("\n", "\n\n  "),
        EXAMPLE.replace('fields.text = "str"', 'fields.text = { type = "str" }'),
        '[struct.Note.fields]\ntext = "str"\nprice = { type = "Decimal|None", default = "1.50" }\n' + LINE,
        "# file: z.toml\n" + EXAMPLE,
        f"# file: a.toml\n{NOTE}# file: b.toml\n{LINE}",
    ],
)
def test_comments_spelling_places_and_files_do_not_count(same: str, tmp_path: Path) -> None:
    assert digests(tmp_path / "a", EXAMPLE) == digests(tmp_path / "b", same)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("One article.", "An article."),
        ('"u32"', '"u16"'),
        ("default = 1 ", "default = 2 "),
        ('"1.50"', '"1.5"'),
        ("fields.text", "fields.words"),
        ("struct.Note", "struct.Remark"),
        ('fields.sku = "str"\n', 'fields.sku = { type = "str", min_length = 1 }\n'),
        (f"{SKU}{QUANTITY}", f"{QUANTITY}{SKU}"),
    ],
)
def test_what_the_schema_says_counts(old: str, new: str, tmp_path: Path) -> None:
    assert old in EXAMPLE
    assert digests(tmp_path / "a", EXAMPLE) != digests(tmp_path / "b", EXAMPLE.replace(old, new))


def test_a_type_of_another_namespace_counts_where_it_is_reached(tmp_path: Path) -> None:
    example = (
        '# file: a.toml\nnamespace = "a"\n[struct.Money]\nfields.cents = "i64"\n'
        '# file: b.toml\nnamespace = "b"\n[struct.Bill]\nfields.total = "list[a.Money]"\n'
        '# file: c.toml\nnamespace = "c"\n[struct.Other]\n'
    )
    before = digests(tmp_path / "a", example)
    after = digests(tmp_path / "b", example.replace("i64", "u64"))
    assert {name for name in before if before[name] != after[name]} == {"a", "b"}


def test_a_digest_is_sixty_four_hex_digits_and_the_data_is_json(tmp_path: Path) -> None:
    model, _ = bound(tmp_path, EXAMPLE)
    assert model is not None
    assert len(bytes.fromhex(model.namespaces[0].digest)) == 32
    data = json.loads(json.dumps(namespace_data(model.namespaces[0])))
    assert data["types"]["Line"]["fields"][1] == {"name": "quantity", "type": "u32", "default": 1}
