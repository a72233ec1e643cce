"""Defaults are checked against type and constraints, and become values of the field's type."""

import datetime as dt
from decimal import Decimal
from pathlib import Path, PurePosixPath
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.check.examples import bound, told
from wakuwaku_gen.diagnostics import Span
from wakuwaku_gen.model.defaults import _DURATION, _duration
from wakuwaku_gen.model.schema import FieldModel

TYPES = """
[enum.Currency]
values = { EURO = "EUR", DOLLAR = "USD" }
[enum.Level]
values = { LOW = 1, HIGH = 2 }
[struct.Line.fields]
sku = { type = "str", min_length = 1 }
quantity = { type = "u32", ge = 1, default = 1 }
[struct.Card]
[union.Payment]
variants = ["Card"]
"""


def field(tmp_path: Path, declaration: str) -> tuple[FieldModel | None, list[str]]:
    model, diagnostics = bound(tmp_path, f"[struct.A.fields]\nx = {declaration}\n{TYPES}")
    if model is None:
        return None, told(diagnostics)
    (found,) = (struct.fields[0] for struct in model.namespaces[0].structs if struct.id.name == "A")
    return found, told(diagnostics)


@pytest.mark.parametrize(
    ("type_", "written", "value"),
    [
        ("bool", "true", True),
        ("u64", "18446744073709551615", 2**64 - 1),
        ("i8", "-128", -128),
        ("float", "3", 3.0),
        ("float", "-0.5", -0.5),
        ("str", '"é"', "é"),
        ("str", '""', ""),
        ("bytes", '"aGk="', b"hi"),
        ("UUID", '"6BA7B810-9dad-11d1-80b4-00c04fd430c8"', UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")),
        ("Decimal", '"9.90"', Decimal("9.90")),
        ("Decimal", "9", Decimal(9)),
        ("datetime", "2024-01-31T12:00:00+02:00", dt.datetime(2024, 1, 31, 10, tzinfo=dt.UTC)),
        ("naive_datetime", "2024-01-31 12:00:00", dt.datetime(2024, 1, 31, 12)),  # noqa: DTZ001 - what naive means
        ("date", "2024-01-31", dt.date(2024, 1, 31)),
        ("time", "12:00:00.5", dt.time(12, 0, 0, 500000)),
        ("timedelta", '"P1DT12H"', dt.timedelta(days=1, hours=12)),
        ("timedelta", '"-PT0.25S"', -dt.timedelta(milliseconds=250)),
        ("Currency", '"EURO"', "EUR"),
        ("Level", '"LOW"', 1),
        ("str | None", '"x"', "x"),
        ("list[str]", "[]", ()),
        ("list[list[u8]]", "[[1], []]", ((1,), ())),
        ("set[Level]", '["HIGH", "LOW"]', (2, 1)),
        ("tuple[str, u8]", '["a", 1]', ("a", 1)),
        ("dict[str, u8]", "{ a = 1 }", {"a": 1}),
        ("dict[i8, str]", '{ -1 = "a" }', {-1: "a"}),
        ("dict[Currency, u8]", "{ EURO = 1 }", {"EUR": 1}),
        ("Line", '{ sku = "a" }', {"sku": "a"}),
        ("list[Line]", '[{ sku = "a", quantity = 3 }]', ({"sku": "a", "quantity": 3},)),
    ],
)
def test_a_default_becomes_a_value_of_the_type(type_: str, written: str, value: object, tmp_path: Path) -> None:
    found, lines = field(tmp_path, f'{{ type = "{type_}", default = {written} }}')
    assert found is not None, lines
    assert found.has_default
    assert (found.default, type(found.default)) == (value, type(value))


@pytest.mark.parametrize(
    ("declaration", "has_default"),
    [
        ('"str"', False),
        ('"str | None"', True),
        ('{ type = "str | None", required = true }', False),
        ('{ type = "str | None", required = false }', True),
        ('{ type = "str", default = "x", required = false }', True),
    ],
)
def test_a_nullable_field_may_be_left_out_unless_it_is_required(
    declaration: str, has_default: bool, tmp_path: Path
) -> None:
    found, lines = field(tmp_path, declaration)
    assert found is not None, lines
    assert found.has_default is has_default


@pytest.mark.parametrize(
    ("type_", "written", "expected"),
    [
        ("bool", "1", "WK301 expected a boolean, found an integer"),
        ("u8", "true", "WK301 expected an integer, found a boolean"),
        ("u8", "256", "WK301 256 is out of range"),
        ("u8", "-1", "WK301 -1 is out of range"),
        ("u8", "1.0", "WK301 expected an integer, found a float"),
        ("float", "inf", "WK301 a default is a finite number"),
        ("float", "nan", "WK301 a default is a finite number"),
        ("float", "1" + "0" * 400, "WK301 a default is a finite number"),
        ("str", "1", "WK301 expected a string, found an integer"),
        ("bytes", '"é"', "WK301 bytes are written as base64"),
        ("UUID", '"1234"', "WK301 expected a string of a UUID, found '1234'"),
        ("Decimal", "9.9", "WK301 expected a string of a decimal number, found a float"),
        ("Decimal", '"NaN"', "WK301 expected a string of a decimal number, found 'NaN'"),
        ("datetime", "2024-01-31T12:00:00", "WK301 expected a date and time with an offset, found a date and time"),
        ("datetime", "0001-01-01T00:00:00+10:00", "WK301 the instant does not exist in UTC between the years"),
        ("naive_datetime", "2024-01-31T12:00:00Z", "WK301 expected a date and time without an offset, found a date"),
        ("date", "2024-01-31T12:00:00Z", "WK301 expected a date, found a date and time"),
        ("time", '"12:00"', "WK301 expected a time, found a string"),
        ("timedelta", "5", "WK301 expected a string of an ISO 8601 duration, found an integer"),
        ("timedelta", '"P"', "WK301 expected a string of an ISO 8601 duration, found 'P'"),
        ("timedelta", '"P9999999999D"', "WK301 the span of time is too long"),
        ("Currency", '"EUR"', "WK301 'EUR' is no member of Currency"),
        ("Currency", "[]", "WK301 expected a member of Currency, found an array"),
        ("list[u8]", "[1, 300]", "WK301 300 is out of range"),
        ("list[u8]", "{}", "WK301 expected an array, found a table"),
        ("set[u8]", "[1, 1]", "WK301 the set holds this value already"),
        ("tuple[u8, u8]", "[1]", "WK301 the tuple holds 2 values, not 1"),
        ("dict[u8, u8]", "{ 256 = 1 }", "WK301 256 is out of range"),
        ("dict[u8, u8]", '{ 1 = 1, "01" = 2 }', "WK301 the dict has this key already"),
        ("dict[str, u8]", "[]", "WK301 expected a table, found an array"),
        ("Line", "{}", "WK301 Line needs 'sku'"),
        ("Line", '{ sku = "a", qty = 1 }', "WK301 Line has no field 'qty'"),
        ("Line", '{ sku = "" }', "WK302 the default breaks the field's own min_length = 1"),
        ("Line", "[]", "WK301 expected a table with the fields of Line, found an array"),
        ("Payment", "{}", "WK301 a union has no default"),
    ],
)
def test_a_default_that_does_not_fit_is_told(type_: str, written: str, expected: str, tmp_path: Path) -> None:
    found, lines = field(tmp_path, f'{{ type = "{type_}", default = {written} }}')
    assert found is None
    (line,) = lines
    assert line.partition(" ")[2].startswith(expected)


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ('{ type = "u8", required = false }', "WK306 a field without a default is required unless it is nullable"),
        ('{ type = "str", max_length = 1, default = "ab" }', "WK302 the default breaks the field's own max_length = 1"),
        ('{ type = "list[u8]", min_length = 1, default = [] }', "WK302 the default breaks the field's own min_length"),
        ('{ type = "str", pattern = "^a", default = "b" }', "WK302 the default breaks the field's own pattern = '^a'"),
        ('{ type = "u8", multiple_of = 5, default = 7 }', "WK302 the default breaks the field's own multiple_of = 5"),
        ('{ type = "Decimal", gt = 0, default = "0.00" }', "WK302 the default breaks the field's own gt = 0"),
        ('{ type = "float | None", lt = 1, default = 1 }', "WK302 the default breaks the field's own lt = 1"),
        ('{ type = "u8", le = 3, default = 4 }', "WK302 the default breaks the field's own le = 3"),
    ],
)
def test_a_default_obeys_the_constraints(declaration: str, expected: str, tmp_path: Path) -> None:
    _, lines = field(tmp_path, declaration)
    (line,) = lines
    assert line.partition(" ")[2].startswith(expected)


def test_a_decimal_default_is_a_multiple_in_exact_arithmetic(tmp_path: Path) -> None:
    found, lines = field(tmp_path, '{ type = "Decimal", multiple_of = 0.1, default = "0.3" }')
    assert found is not None, lines


def test_a_float_default_is_a_multiple_in_the_arithmetic_of_the_decoder(tmp_path: Path) -> None:
    _, lines = field(tmp_path, '{ type = "float", multiple_of = 0.1, default = 0.3 }')
    (line,) = lines
    assert "WK302 the default breaks the field's own multiple_of = 0.1" in line
    found, lines = field(tmp_path, '{ type = "float", multiple_of = 0.5, default = -1.5 }')
    assert found is not None, lines


@settings(deadline=None)  # tests do not depend on time
@given(st.timedeltas(dt.timedelta(0), dt.timedelta(days=400)))
def test_every_span_of_time_can_be_written(span: dt.timedelta) -> None:
    text = f"P{span.days}DT{span.seconds}.{span.microseconds:06}S"
    assert _DURATION.fullmatch(text)
    assert _duration(text, Span(PurePosixPath("shop.toml"))) == span


RING = "b = { type = 'B | None', default = {} }"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ('a = { type = "A | None", default = {} }', "shop.toml:4:8"),
        ('a = { type = "list[A]", default = [{}] }', "shop.toml:4:8"),
        ('a = { type = "dict[str, A]", default = { x = {} } }', "shop.toml:4:8"),
        ('a = { type = "tuple[u8, A | None] | None", default = [1, {}] }', "shop.toml:4:8"),
        (f"{RING}\n[struct.B]\nfields.a = {{ type = 'A | None', default = {{}} }}", "shop.toml:4:8"),
    ],
)
def test_a_default_that_never_ends_is_told(fields: str, place: str, tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, f"[struct.A]\nfields.{fields}")
    (found,) = diagnostics.items
    assert (str(found.span), found.rule) == (place, "WK119")
    assert found.message.startswith("the default of ")
    assert " never ends: it holds another 'A' with that default" in found.message


@pytest.mark.parametrize(
    "fields",
    [
        'a = { type = "list[A]", default = [{ a = [] }] }',
        'a = "A | None"',
    ],
)
def test_a_default_of_its_own_type_that_ends_is_fine(fields: str, tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, f"[struct.A]\nfields.{fields}")
    assert "WK119" not in {item.rule for item in diagnostics.items}
