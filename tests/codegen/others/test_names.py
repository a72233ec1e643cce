"""What users of other generators reported about names, as schemas of ours, each with the answer it gets here.

The number in a test's docstring is that of the report in the list of cases that the generator was designed by.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.codegen.building import KEY, imported
from tests.codegen.check.examples import bound, told
from wakuwaku import Codec, Event
from wakuwaku_gen.model.names import field_problem

CUSTOM = '[event.Paid]\ntag = 1\nkey = "OrderKey"\nalgebra = "associative"\ncombine.x = "custom"\nfields.x = "u8"\n'
PACKED = '[event.Packed]\ntag = 1\nkey = "BoxKey"\n'


@pytest.mark.parametrize("default", [False, True])
def test_fields_called_like_their_types(tmp_path: Path, default: bool) -> None:
    """Case 1: `int: int`, `list: list[int]`, `due: date | None` work, with and without defaults."""
    fields = {
        "int": ("int", "1"),
        "other": ("int", "2"),
        "str": ("str | None", '"x"'),
        "list": ("list[int]", "[1]"),
        "bytes": ("bytes", '"aGVsbG8="'),
        "date": ("date", "2024-01-31"),
        "due": ("date | None", "2024-02-01"),
        "dict": ("dict[str, int]", "{ a = 1 }"),
    }
    lines = [
        f'{name} = {{ type = "{kind}", default = {value} }}' if default else f'{name} = "{kind}"'
        for name, (kind, value) in fields.items()
    ]
    body = {"id": 1, "int": 1, "other": 2, "list": [3], "bytes": b"a", "date": "2024-01-31", "dict": {"a": 2}}

    with imported(tmp_path, boxes=KEY + PACKED + "[event.Packed.fields]\n" + "\n".join(lines)) as boxes:
        event = Codec(boxes.Packed).decode(msgspec.msgpack.encode(body))

        assert (event.int, event.other, event.list, event.dict) == (1, 2, (3,), {"a": 2})
        assert event.due == (None if not default else event.due)
        assert Codec(boxes.Packed).decode(Codec(boxes.Packed).encode(event)) == event


def test_types_called_like_what_generated_code_imports(tmp_path: Path) -> None:
    """Case 2: events and structs may be called List, Optional, Struct, Meta, Enum, Any; a field may be `msgspec`."""
    names = ["List", "Optional", "Struct", "Meta", "Any", "Datetime", "Event", "Key", "Codec", "Mapping"]
    structs = "".join(f"[struct.{name}]\n" for name in names)
    fields = "".join(f'{name.lower()} = "{name} | None"\n' for name in names if name != "Key")
    schema = f'{KEY}{structs}[enum.Enum]\nvalues = ["A"]\n{PACKED}[event.Packed.fields]\nmsgspec = "Enum"\n{fields}'

    with imported(tmp_path, boxes=schema) as boxes:
        event = boxes.Packed(id=1, msgspec=boxes.Enum.A, list=boxes.List(), any=boxes.Any())

        assert Codec(boxes.Packed).decode(Codec(boxes.Packed).encode(event)) == event


@pytest.mark.parametrize("name", ["class", "from", "async", "match", "None", "type"])
def test_a_field_called_like_a_keyword_is_refused_with_a_way_out(tmp_path: Path, name: str) -> None:
    """Case 4: the message shows how to keep the name on the wire."""
    _, diagnostics = bound(tmp_path, f'[struct.A]\nfields.{name} = "str"')

    (found,) = diagnostics.items
    assert found.message == f"{name!r} is a Python keyword"
    assert found.help == f'keep it on the wire only: {name.lower()}_ = {{ type = …, wire = "{name}" }}'


def test_a_name_on_the_wire_is_used_everywhere(tmp_path: Path) -> None:
    """Case 4: class, codec, default and docs of a field agree on `class_`, and the wire has `class`."""
    schema = (
        KEY
        + '[enum.Kind]\nvalues = { and_ = "and" }\n'
        + PACKED
        + '[event.Packed.fields]\nclass_ = { type = "Kind", wire = "class", default = "and_", doc = "Its kind." }\n'
    )

    with imported(tmp_path, boxes=schema) as boxes:
        event = Codec(boxes.Packed).decode(msgspec.msgpack.encode({"id": 1}))
        wire = msgspec.msgpack.decode(Codec(boxes.Packed).encode(event))

        assert event.class_ is boxes.Kind.and_
        assert wire == {"id": 1, "class": "and"}
        given = Codec(boxes.Packed).decode(msgspec.msgpack.encode({"id": 1, "class": "and"}))
        assert given == event


def test_an_enum_member_called_like_a_keyword_is_refused(tmp_path: Path) -> None:
    """Case 4: its value may still be the keyword."""
    _, diagnostics = bound(tmp_path, '[enum.E]\nvalues = ["and"]')

    (found,) = diagnostics.items
    assert (found.message, found.help) == (
        "'and' is a Python keyword",
        'name it apart from its value: { AND = "and" }',
    )


@pytest.mark.parametrize("name", sorted({*(one for one in dir(Event) if not one.startswith("__")), "self", "cls"}))
def test_a_field_called_like_an_attribute_of_events_is_refused(tmp_path: Path, name: str) -> None:
    """Case 5: the list is what the base class has, and the message shows how to keep the name on the wire."""
    _, diagnostics = bound(tmp_path, f'[struct.A]\nfields.{name} = "str"')

    (found,) = diagnostics.items
    assert name in found.message


@pytest.mark.parametrize("name", ["__post_init__", "__init__", "__eq__", "__wakuwaku__", "_x"])
def test_a_field_called_like_a_special_method_is_refused(tmp_path: Path, name: str) -> None:
    """Case 5: it would break msgspec when an event is made."""
    assert field_problem(name) is not None
    assert told(bound(tmp_path, f'[struct.A]\nfields.{name} = "str"')[1])[0].startswith("shop.toml:4:8 WK103")


@pytest.mark.parametrize("name", ["topic", "tag", "client", "encode", "decode", "algebra", "ordering", "events"])
def test_fields_that_other_generators_need_for_themselves_are_fine(tmp_path: Path, name: str) -> None:
    """Case 5: what is described of an event stands in one attribute, so most names are free."""
    with imported(tmp_path, boxes=f'{KEY}{PACKED}fields.{name} = "str"\n') as boxes:
        event = boxes.Packed(id=1, **{name: "x"})

        assert Codec(boxes.Packed).decode(Codec(boxes.Packed).encode(event)) == event


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            '[struct.OrderItem]\nfields.a = "str"\n[struct.Order]\nfields.item = { type = "struct", fields = {} }',
            "WK010",
        ),
        (
            '[event.Order]\ntag = 1\nkey = "OrderKey"\n[struct.OrderHandler]',
            "WK111 the type 'OrderHandler' and the handler of 'Order' would both be called 'OrderHandler'",
        ),
        (
            f"{CUSTOM}[struct.PaidCombiner]",
            "WK111 the type 'PaidCombiner' and the combiner of 'Paid' would both be called 'PaidCombiner'",
        ),
    ],
)
def test_no_type_gets_a_name_that_another_one_has(tmp_path: Path, schema: str, message: str) -> None:
    """Case 7: there are no inline structs with derived names, and what is derived of events is checked."""
    _, diagnostics = bound(tmp_path, schema)

    assert [line for line in told(diagnostics) if message in line], told(diagnostics)


@pytest.mark.parametrize("name", ["mro", "name", "value", "_x_", "__a", "count", "title"])
def test_enum_members_that_break_enums_are_refused(tmp_path: Path, name: str) -> None:
    """Case 8: some fail at import, some vanish without a word, some fail in the type checker only."""
    _, diagnostics = bound(tmp_path, f'[enum.E]\nvalues = ["OK", "{name}"]')

    (found,) = diagnostics.items
    assert (found.rule, str(found.span)) == ("WK108", "shop.toml:4:17")


@pytest.mark.parametrize("name", ["Nm³", "ﬁeld", "µ", "μ", "数", "ß"])
def test_names_beyond_ascii_are_refused(tmp_path: Path, name: str) -> None:
    """Case 10: Python would fold some of them into others."""
    _, fields = bound(tmp_path / "field", f'[struct.A]\nfields."{name}" = "str"')
    _, members = bound(tmp_path / "member", f'[enum.E]\nvalues = ["{name}"]')
    _, types = bound(tmp_path / "type", f'[struct."{name}"]')

    for diagnostics in (fields, members, types):
        assert len(diagnostics.items) == 1
        assert name in diagnostics.items[0].message


def test_values_and_docs_beyond_ascii_are_fine(tmp_path: Path) -> None:
    """Case 10: only names have to be ASCII."""
    schema = (
        KEY + '[enum.Unit]\ndoc = "数"\nvalues = { CUBIC = "Nm³", MICRO = "µ" }\n' + PACKED + 'fields.unit = "Unit"\n'
    )

    with imported(tmp_path, boxes=schema) as boxes:
        assert boxes.Unit("Nm³") is boxes.Unit.CUBIC
        assert boxes.Unit.__doc__ == "数"


@pytest.mark.parametrize(
    ("example", "message"),
    [
        ("[struct.Http]\n[struct.HTTP]", "WK110 the type names 'Http' and 'HTTP' differ only in letter case"),
        (
            '# file: orders.toml\n# file: Orders.toml\nnamespace = "x"',
            "WK009 two files whose names differ only in letter",
        ),
        ("# file: con.toml\n", "WK009 'con.toml' is the name of a device on Windows"),
        ("# file: nul.toml\n", "WK009 'nul.toml' is the name of a device on Windows"),
    ],
)
def test_names_that_some_file_systems_can_not_keep_apart_are_refused(
    tmp_path: Path, example: str, message: str
) -> None:
    """Case 11: letter case and devices."""
    _, diagnostics = bound(tmp_path, example)

    assert any(message in line for line in told(diagnostics)), told(diagnostics)


def test_a_handler_of_an_event_called_like_a_device_has_another_file(tmp_path: Path) -> None:
    """Case 11: a derived name gets an underscore."""
    with imported(tmp_path, boxes=KEY + PACKED.replace("Packed", "Con")):
        assert (tmp_path / "out" / "boxes" / "handlers" / "con_.py").is_file()
