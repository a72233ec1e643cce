"""The facts the verdicts stand on are measured again: what msgspec reads of what it writes, in its strict mode."""

from __future__ import annotations

import datetime as dt
import enum
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Annotated, Any
from uuid import UUID

import msgspec
import pytest
from msgspec import Meta

from wakuwaku_gen.compat.catalogue import Catalogue
from wakuwaku_gen.compat.spaces import SCALARS, Scalar, rewritten, takes, writes
from wakuwaku_gen.diagnostics import Span
from wakuwaku_gen.model.constraints import UNCONSTRAINED
from wakuwaku_gen.model.schema import Constraints, EnumMember, EnumModel
from wakuwaku_gen.model.types import (
    BoolType,
    BytesType,
    DateTimeType,
    DateType,
    DecimalType,
    EnumRef,
    FloatType,
    IntType,
    StrType,
    TimeDeltaType,
    TimeType,
    TypeName,
    UuidType,
)


class Color(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Card(msgspec.Struct, tag="Card"):
    number: int = 0


class Cash(msgspec.Struct, tag="Cash"):
    till: int = 0


class Plain(msgspec.Struct):
    number: int = 0


class Strict(msgspec.Struct):
    note: str | None


HERE = Span(PurePosixPath("m.toml"))
#: Each scalar, its annotation, and values of it.
KINDS: dict[str, tuple[Scalar, Any, list[Any]]] = {
    "bool": (BoolType(), bool, [True]),
    "int": (IntType(64, signed=True), int, [0, 5, -7]),
    "float": (FloatType(), float, [1.0, 1.5]),
    "str": (StrType(), str, ["", "x"]),
    "bytes": (BytesType(), bytes, [b"", b"x"]),
    "UUID": (UuidType(), UUID, [UUID(int=7)]),
    "Decimal": (DecimalType(), Decimal, [Decimal("1.50")]),
    "datetime": (
        DateTimeType(aware=True),
        Annotated[dt.datetime, Meta(tz=True)],
        [dt.datetime(2024, 1, 31, tzinfo=dt.UTC)],
    ),
    "naive_datetime": (
        DateTimeType(aware=False),
        Annotated[dt.datetime, Meta(tz=False)],
        [dt.datetime.fromisoformat("2024-01-31")],
    ),
    "date": (DateType(), dt.date, [dt.date(2024, 1, 31)]),
    "time": (TimeType(), Annotated[dt.time, Meta(tz=False)], [dt.time(12)]),
    "timedelta": (TimeDeltaType(), dt.timedelta, [dt.timedelta(seconds=5)]),
    "str enum": (EnumRef(TypeName("m", "Color")), Color, [Color.RED]),
    "int enum": (EnumRef(TypeName("m", "Level")), Level, [Level.LOW]),
}
#: Beside itself, what each kind is read as by a reader of another one: all of its values.
READ_BY = {
    "int": {"float", "Decimal"},
    "float": {"Decimal"},
    "UUID": {"str"},
    "Decimal": {"str"},
    "naive_datetime": {"str"},
    "date": {"str"},
    "time": {"str"},
    "timedelta": {"str"},
    "str enum": {"str"},
    "int enum": {"int", "float", "Decimal"},
}
COLOR, LEVEL = TypeName("m", "Color"), TypeName("m", "Level")
HELD = Catalogue(
    types={
        COLOR: EnumModel(COLOR, (EnumMember("RED", "red", "", HERE),), "str", open=False, doc="", span=HERE),
        LEVEL: EnumModel(LEVEL, (EnumMember("LOW", 1, "", HERE),), "int", open=False, doc="", span=HERE),
    }
)


def wire(value: object) -> Any:
    """Return a value as it stands on the wire."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value))


def reads(annotation: Any, value: object) -> bool:
    try:
        msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=annotation)
    except (msgspec.ValidationError, ValueError):
        return False
    return True


@pytest.mark.parametrize("written", KINDS)
def test_the_table_of_kinds_is_what_msgspec_does(written: str) -> None:
    """Every kind read as every other one."""
    for read, (_, annotation, _) in KINDS.items():
        expected = read == written or read in READ_BY.get(written, set())
        assert all(reads(annotation, value) for value in KINDS[written][2]) == expected, read


@pytest.mark.parametrize("written", KINDS)
@pytest.mark.parametrize("read", KINDS)
def test_the_checker_takes_what_msgspec_takes(written: str, read: str) -> None:
    """Value by value, of all that decide."""
    writer, reader = KINDS[written][0], KINDS[read][0]
    for value in writes(writer, UNCONSTRAINED, HELD, UNCONSTRAINED):
        assert (takes(reader, UNCONSTRAINED, HELD, value) is None) == reads(KINDS[read][1], value), value


@pytest.mark.parametrize("read", KINDS)
def test_what_is_written_again_is_as_the_checker_says(read: str) -> None:
    """By a reader of another kind, too."""
    reader, annotation, _ = KINDS[read]
    for writer, _, _ in KINDS.values():
        for value in writes(writer, UNCONSTRAINED, HELD, UNCONSTRAINED):
            if takes(reader, UNCONSTRAINED, HELD, value) is None:
                left = wire(msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=annotation))
                assert repr(left) == repr(wire(rewritten(reader, value))), value


LIMITS: list[tuple[Any, Constraints, Any, Scalar]] = [
    (Annotated[int, Meta(ge=5)], Constraints(ge=5), int, IntType(64, signed=True)),
    (Annotated[float, Meta(gt=1.5, le=9)], Constraints(gt=1.5, le=9), float, FloatType()),
    (Annotated[float, Meta(multiple_of=0.5)], Constraints(multiple_of=0.5), float, FloatType()),
    (Annotated[str, Meta(min_length=2, max_length=3)], Constraints(min_length=2, max_length=3), str, StrType()),
    (Annotated[str, Meta(pattern="b+")], Constraints(pattern="b+"), str, StrType()),
    (Annotated[bytes, Meta(min_length=1)], Constraints(min_length=1), bytes, BytesType()),
]


@pytest.mark.parametrize(("annotation", "limits", "base", "type_"), LIMITS, ids=lambda one: str(one)[:40])
def test_constraints_hold_when_decoding(annotation: Any, limits: Constraints, base: Any, type_: Scalar) -> None:
    """And are checked neither by a constructor nor by an encoder."""
    refused = 0
    for value in writes(type_, UNCONSTRAINED, HELD, limits):
        assert (takes(type_, limits, HELD, value) is None) == reads(annotation, value), value
        refused += not reads(annotation, value)
        assert reads(base, value)
    assert refused


def test_records_are_maps_that_may_hold_more() -> None:
    """Unknown keys are passed over; a missing one is an error without a default, nullable or not."""
    assert reads(Plain, {"number": 1, "other": 2})
    assert reads(Plain, {})
    assert not reads(Strict, {})
    assert not reads(Plain, {1: 2})


def test_tags_of_structs() -> None:
    """A struct that is expected alone may lack its tag, one of several may not; an unknown tag is an error."""
    assert reads(Card, {"number": 1})
    assert not reads(Card | Cash, {"number": 1})
    assert reads(Card | Cash, {"type": "Cash"})
    assert not reads(Card | Cash, {"type": "Coin"})
    assert not reads(Card, {"type": "Cash"})
    assert reads(Plain, {"type": "Card", "number": 1})


def test_enums_and_numbers() -> None:
    """An unknown value is an error; a bool is no integer, a float never one, and an integer as a float is rounded."""
    assert not reads(Color, "blue")
    assert not reads(int, True)
    assert not reads(int, 1.0)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(2**53 + 1), type=float) == 2**53
    assert not reads(Annotated[float, Meta(ge=0)], float("nan"))


def test_collections() -> None:
    """The length of the array counts for sets, too; a tuple has its exact length."""
    assert reads(Annotated[frozenset[int], Meta(min_length=2)], [1, 1])
    assert not reads(Annotated[frozenset[int], Meta(max_length=1)], [1, 1])
    assert not reads(tuple[int, int], [1])
    assert reads(tuple[int, ...], [])
    assert not reads(dict[str, int], [])


def test_every_kind_is_here() -> None:
    """A new scalar gets its row."""
    assert {type(kind) for kind, _, _ in KINDS.values()} == set(SCALARS)
