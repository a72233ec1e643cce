"""What users of other generators reported about types, defaults and order; numbers as in `test_names`."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.codegen.building import KEY, imported, model_of
from tests.codegen.check.examples import bound, told
from wakuwaku import Codec, DecodeError
from wakuwaku_gen.render import render

PACKED = '[event.Packed]\ntag = 1\nkey = "BoxKey"\n'


def decode(event: Any, **values: object) -> Any:
    return Codec(event).decode(msgspec.msgpack.encode({"id": 1, **values}))


def test_a_required_field_may_follow_an_optional_one(tmp_path: Path) -> None:
    """Case 19: fields are given by keyword, so their order does not matter."""
    with imported(tmp_path, boxes=KEY + PACKED + 'fields.a = "str | None"\nfields.b = "u8"\n') as boxes:
        assert decode(boxes.Packed, b=1) == boxes.Packed(id=1, b=1)


COMBINATIONS = list(itertools.product(["required", "optional", "default"], [False, True], [False, True]))


def test_every_combination_of_default_wire_name_and_doc_decodes(tmp_path: Path) -> None:
    """Case 20: what may be left out may be left out under any name."""
    lines: list[str] = []
    body: dict[str, object] = {}
    for number, (kind, wire, doc) in enumerate(COMBINATIONS):
        more = [f'type = "{"u8 | None" if kind == "optional" else "u8"}"']
        more += ["default = 7"] if kind == "default" else []
        more += [f'wire = "Wire{number}"'] if wire else []
        more += ['doc = "Something."'] if doc else []
        lines.append(f"f{number} = {{ {', '.join(more)} }}")
        if kind == "required":
            body[f"Wire{number}" if wire else f"f{number}"] = number

    with imported(tmp_path, boxes=KEY + PACKED + "[event.Packed.fields]\n" + "\n".join(lines)) as boxes:
        event = decode(boxes.Packed, **body)

        for number, (kind, _, _) in enumerate(COMBINATIONS):
            expected = {"required": number, "optional": None, "default": 7}[kind]
            assert getattr(event, f"f{number}") == expected
        with pytest.raises(DecodeError, match="missing required field"):
            decode(boxes.Packed)


def test_defaults_are_never_shared(tmp_path: Path) -> None:
    """Case 21: lists, sets and structs do not change, and mappings are made anew."""
    schema = (
        KEY
        + '[struct.Lid]\nfields.tags = { type = "list[str]", default = ["a"] }\n'
        + 'fields.marks = { type = "dict[str, u8]", default = { a = 1 } }\n'
        + PACKED
        + """[event.Packed.fields]
empty = { type = "list[u8]", default = [] }
filled = { type = "list[u8]", default = [1] }
none = { type = "dict[str, u8]", default = {} }
some = { type = "dict[str, u8]", default = { a = 1 } }
lid = { type = "Lid", default = {} }
"""
    )

    with imported(tmp_path, boxes=schema) as boxes:
        for one, other in ((boxes.Packed(id=1), boxes.Packed(id=1)), (decode(boxes.Packed), decode(boxes.Packed))):
            assert (one.empty, one.filled, one.lid.tags) == ((), (1,), ("a",))
            assert one.none is not other.none
            assert one.some is not other.some
            assert one.lid.marks is not other.lid.marks


def test_all_keys_of_a_field_go_together(tmp_path: Path) -> None:
    """Case 23: nullable, default, doc, constraint, wire name and equality, in every pair."""
    keys = ['default = "abc"', 'doc = "D."', "min_length = 2", 'wire = "W{n}"', "compare = false", 'pattern = "^a"']
    lines = []
    for number, (kind, one, other) in enumerate(itertools.product(["str", "str | None"], keys, keys)):
        given = dict.fromkeys([one.format(n=number), other.format(n=number)])
        lines.append(f'f{number} = {{ type = "{kind}", {", ".join(given)} }}')
    schema = KEY + PACKED + "[event.Packed.fields]\n" + "\n".join(lines)

    with imported(tmp_path, boxes=schema) as boxes:
        info = msgspec.inspect.type_info(boxes.Packed)
        assert isinstance(info, msgspec.inspect.StructType)
        assert len(info.fields) == len(lines) + 1
        event = boxes.Packed(id=1, **{field.name: "abc" for field in info.fields if field.name != "id"})
        assert Codec(boxes.Packed).decode(Codec(boxes.Packed).encode(event)) == event


def test_types_may_hold_each_other_in_any_order(tmp_path: Path) -> None:
    """Case 24: in one file, across files, themselves, and in rings."""
    schemas = {
        "one": '[struct.A]\nfields.b = "two.B | None"\nfields.own = "list[A]"\n[struct.X]\nfields.y = "Y | None"\n'
        '[struct.Y]\nfields.z = "list[Z]"\n[struct.Z]\nfields.x = "X | None"\n',
        "two": '[struct.B]\nfields.a = "one.A | None"\n',
        "boxes": KEY + PACKED + 'fields.a = "one.A"\nfields.x = "one.X"\n',
    }

    with imported(tmp_path, **schemas) as boxes:
        event = decode(boxes.Packed, a={"own": [{"own": []}], "b": {"a": {"own": []}}}, x={"y": {"z": [{}]}})

        assert event.a.b.a.own == ()
        assert event.x.y.z[0].x is None


def test_a_chain_of_two_thousand_structs_is_rendered(tmp_path: Path) -> None:
    """Case 24: nothing here calls itself once per type."""
    chain = "".join(f'[struct.S{number}]\nfields.next = "S{number + 1} | None"\n' for number in range(2000))

    files = {file.path.as_posix(): file.text for file in render(model_of(tmp_path, boxes=f"{chain}[struct.S2000]"))}

    assert files["boxes/events.py"].count("class S") == 2001


@pytest.mark.parametrize(
    "schema",
    [
        '[struct.A]\nfields.a = "A"',
        '[struct.A]\nfields.b = "B"\n[struct.B]\nfields.a = "tuple[A, u8]"',
        '[struct.A]\nfields.a = { type = "A", default = {} }',
        '[struct.A]\nfields.a = { type = "A | None", default = {} }',
        '[struct.A]\nfields.a = { type = "list[A]", min_length = 1 }',
        '[struct.A]\nfields.u = "U"\n[union.U]\nvariants = ["A"]',
    ],
)
def test_a_value_that_never_ends_is_refused(tmp_path: Path, schema: str) -> None:
    """Case 24: where A needs A, at the place."""
    lines = told(bound(tmp_path, schema)[1])

    assert len(lines) == 1
    assert "WK119" in lines[0]


def test_a_reader_meets_a_value_that_its_enum_does_not_know(tmp_path: Path) -> None:
    """Case 26: a closed enum refuses the record, an open one keeps the value and sends it on."""
    schema = (
        KEY
        + '[enum.Closed]\nvalues = ["A", "B"]\n[enum.Open]\nopen = true\nvalues = ["A", "B"]\n'
        + PACKED
        + 'fields.closed = "Closed | None"\nfields.open = "Open"\n'
    )

    with imported(tmp_path, boxes=schema) as boxes:
        event = decode(boxes.Packed, open="C")
        assert msgspec.msgpack.decode(Codec(boxes.Packed).encode(event))["open"] == "C"
        with pytest.raises(DecodeError, match="closed"):
            decode(boxes.Packed, open="A", closed="C")
