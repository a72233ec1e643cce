"""Laws and fences are understood in every spelling; combine rules fit the types they are for."""

from pathlib import Path
from typing import get_args

import pytest

from tests.codegen.check.examples import bound, told
from wakuwaku_gen.model.algebra import COMMUTING, fits, rules_for
from wakuwaku_gen.model.schema import CombineRule, EventModel
from wakuwaku_gen.model.types import (
    BoolType,
    DecimalType,
    FieldType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StrType,
    StructRef,
    TimeDeltaType,
    TypeName,
)


def event(tmp_path: Path, laws: str) -> EventModel:
    model, diagnostics = bound(tmp_path, f'[event.Paid]\ntag = 1\nkey = "OrderKey"\n{laws}')
    assert model is not None, told(diagnostics)
    return model.namespaces[0].events[0]


@pytest.mark.parametrize(
    ("laws", "algebra", "ordering"),
    [
        ("", "non_associative", "relaxed"),
        ('algebra = "idempotent"', "idempotent", "relaxed"),
        ('algebra = "NonAssociative"', "non_associative", "relaxed"),
        ('algebra = "IdempotentCommutative"', "idempotent_commutative", "relaxed"),
        ('algebra = "IDEMPOTENT_COMMUTATIVE"', "idempotent_commutative", "relaxed"),
        ('algebra = ["commutative", "idempotent"]', "idempotent_commutative", "relaxed"),
        ("algebra = []", "non_associative", "relaxed"),
        ('algebra = ["Associative"]', "associative", "relaxed"),
        ('algebra = ["idempotent", "acquire"]', "idempotent", "acquire"),
        ('algebra = "acquire"', "non_associative", "acquire"),
        ('algebra = ["idempotent", "Acquire"]\nordering = "acquire"', "idempotent", "acquire"),
        ('ordering = "AcqRel"', "non_associative", "acq_rel"),
        ('ordering = "RELEASE"', "non_associative", "release"),
    ],
)
def test_every_spelling_is_understood(laws: str, algebra: str, ordering: str, tmp_path: Path) -> None:
    found = event(tmp_path, laws)
    assert (found.algebra, found.ordering) == (algebra, ordering)


ANY = ["first", "last", "keep", "custom"]


@pytest.mark.parametrize(
    ("type_", "rules"),
    [
        (IntType(64, signed=True), ["sum", "product", "min", "max", *ANY]),
        (DecimalType(), ["sum", "product", "min", "max", *ANY]),
        (TimeDeltaType(), ["sum", "min", "max", *ANY]),
        (BoolType(), ["any", "all", *ANY]),
        (StrType(), ["min", "max", "concat", *ANY]),
        (ListType(StrType()), ["concat", *ANY]),
        (SetType(StrType()), ["union", "intersection", *ANY]),
        (MapType(StrType(), StrType()), ["merge", *ANY]),
        (OptionalType(IntType(8, signed=True)), ANY),
        (StructRef(TypeName("shop", "Line")), ANY),
    ],
)
def test_rules_fit_types(type_: FieldType, rules: list[CombineRule]) -> None:
    assert rules_for(type_) == rules
    assert [rule for rule in get_args(CombineRule) if fits(rule, type_)] == sorted(
        rules, key=get_args(CombineRule).index
    )


def test_only_rules_that_look_at_both_sides_alike_commute() -> None:
    assert set(COMMUTING) == set(get_args(CombineRule)) - {"first", "last", "concat", "merge", "custom"}
