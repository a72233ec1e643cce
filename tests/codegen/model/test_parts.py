"""What is wrong with the small parts of a schema is told at the part, and the rest is still understood."""

from __future__ import annotations

import dataclasses
from pathlib import Path, PurePosixPath

import pytest

from tests.codegen.building import KEY, model_of
from tests.codegen.check.examples import bound, told
from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.load.folder import Document
from wakuwaku_gen.load.toml import parse
from wakuwaku_gen.model import build_schema, namespace_data
from wakuwaku_gen.model.constraints import violated
from wakuwaku_gen.model.schema import Constraints


@pytest.mark.parametrize(
    ("example", "lines"),
    [
        ("[enum.E]\nvalues = { A = 1180591620717411303424 }", ["4:12 WK116 1180591620717411303424 does not fit into"]),
        ('[enum.E]\nvalues = { A = 1, B = "b" }', ["4:19 WK116 the values of an enum are all texts or all integers"]),
        (
            "[enum.E]\nvalues = { A = 1.5, B = 2 }",
            ["4:16 WK011 expected a string or an integer or a table"],
        ),
        ("[struct.A]\nallow = { WK450 = 1 }", ["4:19 WK011 expected a string, found an integer"]),
        ('[union.U]\nvariants = ["Missing"]', ["4:14 WK102 unknown type 'Missing'"]),
        ('[struct.A]\n[union.U]\nvariants = [1, "A"]', ["5:13 WK011 expected a string, found an integer"]),
        ('[struct.A]\nfields.x = { type = "float", default = "x" }', ["4:40 WK301 expected a float, found a string"]),
        ('[struct.A]\nfields.x = { type = "str", default = 1 }', ["4:38 WK301 expected a string, found an integer"]),
        ('[struct.A]\nfields.x = { type = "i8", default = 1.5 }', ["4:37 WK301 expected an integer, found a float"]),
        ('[struct.A]\nfields.x = { type = "bool", default = 1 }', ["4:39 WK301 expected a boolean, found an integer"]),
        (
            '[struct.A]\nfields.x = { type = "bytes", default = 1 }',
            ["4:40 WK301 expected a string of base64, found an"],
        ),
        *(
            (
                f"[struct.A]\nfields.x = {{ type = 'u8', wire = {wire} }}",
                [f"4:34 WK112 a name on the wire can't hold {bad}"],
            )
            for wire, bad in (("'a\"b'", "'\"'"), ("'a\\b'", r"'\\'"), (r'"a\u0001"', r"'\x01'"), (r'"a\n"', r"'\n'"))
        ),
    ],
)
def test_a_part_that_is_wrong_is_told_at_its_place(tmp_path: Path, example: str, lines: list[str]) -> None:
    found = told(bound(tmp_path, example)[1])
    assert len(found) == len(lines), found
    for line, start in zip(found, lines, strict=True):
        assert line.startswith(f"shop.toml:{start}"), line


def test_the_name_of_a_file_is_shown_when_it_lies_elsewhere(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    root = parse(b'wakuwaku = 1\nnamespace = "shop"\n', PurePosixPath("shop.toml"), diagnostics)
    assert root is not None
    document = Document(Path("/linked/shop.toml"), PurePosixPath("more/shop.toml"), root)
    folder = Path("/project/schemas")
    model = build_schema([document], diagnostics, root=folder, out_parent=folder.parent)
    assert model.namespaces[0].sources == ("more/shop.toml",)


def test_a_default_of_an_unknown_kind_is_a_bug_of_ours(tmp_path: Path) -> None:
    (namespace,) = model_of(tmp_path, boxes=f'{KEY}[struct.A]\nfields.x = {{ type = "u8", default = 1 }}').namespaces
    (struct,) = namespace.structs
    odd = dataclasses.replace(struct, fields=(dataclasses.replace(struct.fields[0], default=object()),))
    with pytest.raises(TypeError, match="a default of type object"):
        namespace_data(dataclasses.replace(namespace, structs=(odd,)))


def test_a_missing_value_breaks_no_constraint() -> None:
    assert violated(None, Constraints(min_length=1)) is None
    assert violated(b"", Constraints(min_length=1)) == "min_length = 1"
    assert violated(0.3, Constraints(multiple_of=0.1)) == "multiple_of = 0.1"
