"""Types are read from Python annotations, and what is no type is told at its column."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wakuwaku_gen.diagnostics import Diagnostics, Span
from wakuwaku_gen.load.nodes import Scalar, Table
from wakuwaku_gen.model.annotation import Annotations
from wakuwaku_gen.model.declared import Declaration, Declared, Kind
from wakuwaku_gen.model.digest import spell
from wakuwaku_gen.model.types import (
    BoolType,
    BytesType,
    DateTimeType,
    DateType,
    DecimalType,
    EnumRef,
    FieldType,
    FloatType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StrType,
    StructRef,
    TimeDeltaType,
    TimeType,
    TupleType,
    TypeName,
    UnionRef,
    UuidType,
)

PLACE = Span(PurePosixPath("shop.toml"))
DECLARED: dict[str, Kind] = {
    "shop.Currency": "enum",
    "shop.Line": "struct",
    "shop.Payment": "union",
    "shop.OrderKey": "key",
    "shop.Placed": "event",
    "billing.eu.Money": "struct",
}


def read(text: str) -> tuple[FieldType | None, list[str]]:
    declared = Declared()
    for dotted, kind in DECLARED.items():
        namespace, _, name = dotted.rpartition(".")
        declared.namespaces[namespace] = []
        id_ = TypeName(namespace, name)
        declared.types[id_] = Declaration(kind, id_, Table({}, PLACE, PLACE), PLACE)
    diagnostics = Diagnostics()
    span = Span(PurePosixPath("f"), 1, 1, len(text) + 3)
    found = Annotations(declared, diagnostics).read(Scalar(text, span, span), "shop")
    told = [f"{item.span.column - 1}-{item.span.end - 1} {item.rule} {item.message}" for item in diagnostics.items]
    return found, told


LINE = StructRef(TypeName("shop", "Line"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bool", BoolType()),
        ("int", IntType(64, signed=True)),
        ("i8", IntType(8, signed=True)),
        ("i16", IntType(16, signed=True)),
        ("i32", IntType(32, signed=True)),
        ("i64", IntType(64, signed=True)),
        ("u8", IntType(8, signed=False)),
        ("u16", IntType(16, signed=False)),
        ("u32", IntType(32, signed=False)),
        ("u64", IntType(64, signed=False)),
        ("float", FloatType()),
        ("str", StrType()),
        ("bytes", BytesType()),
        ("UUID", UuidType()),
        ("Decimal", DecimalType()),
        ("datetime", DateTimeType(aware=True)),
        ("naive_datetime", DateTimeType(aware=False)),
        ("date", DateType()),
        ("time", TimeType()),
        ("timedelta", TimeDeltaType()),
        ("Currency", EnumRef(TypeName("shop", "Currency"))),
        ("shop.Line", LINE),
        ("Payment", UnionRef(TypeName("shop", "Payment"))),
        ("billing.eu.Money", StructRef(TypeName("billing.eu", "Money"))),
        ("list[Line]", ListType(LINE)),
        (" list [ Line ] ", ListType(LINE)),
        ("set[UUID]", SetType(UuidType())),
        ("dict[str, list[Line | None]]", MapType(StrType(), ListType(OptionalType(LINE)))),
        ("dict[Currency, bool]", MapType(EnumRef(TypeName("shop", "Currency")), BoolType())),
        ("tuple[str]", TupleType((StrType(),))),
        ("tuple[str, Line, bool]", TupleType((StrType(), LINE, BoolType()))),
        ("None | str", OptionalType(StrType())),
    ],
)
def test_a_type_is_read(text: str, expected: FieldType) -> None:
    assert read(text) == (expected, [])


scalars = st.sampled_from(["bool", "i8", "u64", "float", "str", "bytes", "UUID", "Decimal", "datetime", "timedelta"])
declared = st.sampled_from(["shop.Line", "shop.Currency", "shop.Payment", "billing.eu.Money"])
spelled = st.recursive(
    scalars | declared,
    lambda inner: st.one_of(
        inner.map("list[{}]".format),
        inner.filter(lambda text: "None" not in text).map("list[{} | None]".format),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: f"tuple[{', '.join(items)}]"),
        inner.map("dict[str, {}]".format),
    ),
    max_leaves=8,
)


@settings(deadline=None)  # tests do not depend on time
@given(spelled)
def test_what_was_read_is_spelled_as_it_was_written(text: str) -> None:
    found, told = read(text)
    assert told == []
    assert found is not None
    assert spell(found) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1-2 WK113 not a type: invalid syntax"),
        ("list[Lin]", "6-9 WK102 unknown type 'Lin'"),
        ("dict[str, list[Lin] | None]", "16-19 WK102 unknown type 'Lin'"),
        ("  Lin", "3-6 WK102 unknown type 'Lin'"),
        ("biling.eu.Money", "1-10 WK102 unknown namespace 'biling.eu'"),
        ("billing.eu.Mony", "1-16 WK102 unknown type 'billing.eu.Mony'"),
        ("str?", "4-5 WK113 unexpected '?' in a type"),
        ("'str'", '1-2 WK113 unexpected "\'" in a type'),
        ("Größe", "3-4 WK113 unexpected 'ö' in a type"),
        ("list[str", "5-6 WK113 not a type: '[' was never closed"),
        ("str str", "5-6 WK113 not a type: invalid syntax"),
        ("1", "1-2 WK113 not a type"),
        ("None", "1-5 WK113 None alone is no type"),
        ("None | None", "1-12 WK113 None is named twice"),
        ("list[str].x", "1-12 WK113 not a type"),
        ("str if str else str", "1-20 WK113 not a type"),
        ("list", "1-5 WK114 'list' does not say what it holds"),
        ("str[int]", "1-4 WK114 'str' holds no other types"),
        ("List[str]", "1-5 WK114 'List' holds no other types"),
        ("dict[str]", "1-10 WK114 'dict' takes 2 types, not 1"),
        ("list[str, int]", "1-15 WK114 'list' takes 1 type, not 2"),
        ("str | int", "1-10 WK115 only `T | None` joins types here"),
        ("str | int | None", "1-17 WK115 only `T | None` joins types here"),
        ("set[list[str]]", "5-14 WK115 a set holds scalars and enums only"),
        ("dict[float, str]", "6-11 WK115 the key of a dict is a str, an integer, an enum or a UUID"),
        ("list[OrderKey]", "6-14 WK115 'OrderKey' is a key, not the type of a field"),
        ("Placed", "1-7 WK115 'Placed' is an event, not the type of a field"),
        ("list[" * 200 + "str" + "]" * 200, "1-1204 WK113 a type of more than 500 characters"),
    ],
)
def test_what_is_no_type_is_told_at_its_column(text: str, expected: str) -> None:
    found, told = read(text)
    assert found is None
    assert told == [expected]


@settings(deadline=None)  # tests do not depend on time
@given(st.text("[]|,. abNone_lisd", max_size=20) | st.text(max_size=10))
def test_no_text_raises(text: str) -> None:
    found, told = read(text)
    assert (found is None) == (len(told) == 1)


def test_the_deepest_type_that_is_allowed_is_read() -> None:
    found, told = read("list[" * 80 + "str" + "]" * 80)
    assert told == []
    assert found is not None


@pytest.mark.parametrize(
    ("text", "meant"),
    [("string", "str"), ("uuid", "UUID"), ("int32", "i32"), ("uint8", "u8"), ("double", "float"), ("Lien", "Line")],
)
def test_what_people_write_who_come_from_elsewhere_is_understood(text: str, meant: str) -> None:
    declared = Declared(
        types={TypeName("", "Line"): Declaration("struct", TypeName("", "Line"), Table({}, PLACE, PLACE), PLACE)}
    )
    declared.namespaces[""] = []
    diagnostics = Diagnostics()
    Annotations(declared, diagnostics).read(Scalar(text, PLACE, PLACE), "")
    assert diagnostics.items[0].help == f"did you mean {meant!r}?"
