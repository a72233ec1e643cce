"""Constraints fit their type and leave some value."""

from pathlib import Path

import pytest

from tests.codegen.check.examples import bound, told
from wakuwaku_gen.model.schema import Constraints


def constraints(tmp_path: Path, declaration: str) -> tuple[Constraints | None, list[str]]:
    model, diagnostics = bound(tmp_path, f"[struct.A.fields]\nx = {{ {declaration} }}")
    return None if model is None else model.namespaces[0].structs[0].fields[0].constraints, told(diagnostics)


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ('type = "u8"', Constraints()),
        ('type = "u8", gt = 0, le = 9, multiple_of = 3', Constraints(gt=0, le=9, multiple_of=3)),
        ('type = "float", ge = 0.5, lt = 1', Constraints(ge=0.5, lt=1)),
        ('type = "Decimal", ge = 0', Constraints(ge=0)),
        (
            'type = "str | None", min_length = 0, max_length = 9, pattern = "a"',
            Constraints(min_length=0, max_length=9, pattern="a"),
        ),
        ('type = "bytes", max_length = 9', Constraints(max_length=9)),
        ('type = "dict[str, u8]", min_length = 1', Constraints(min_length=1)),
        ('type = "u8", gt = 254', Constraints(gt=254)),
    ],
)
def test_constraints_that_fit_are_kept(declaration: str, expected: Constraints, tmp_path: Path) -> None:
    assert constraints(tmp_path, declaration) == (expected, [])


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ('type = "str", ge = 1', "WK303 'ge' restricts numbers, which this field is not"),
        ('type = "bool", ge = 1', "WK303 'ge' restricts numbers, which this field is not"),
        ('type = "bytes", pattern = "a"', "WK303 'pattern' restricts texts, which this field is not"),
        ('type = "tuple[u8]", min_length = 1', "WK303 'min_length' restricts texts, bytes and collections, which"),
        ('type = "u8", ge = 0.5', "WK304 'ge' of an integer is an integer"),
        ('type = "float", ge = nan', "WK304 'ge' needs a finite number"),
        ('type = "u64", le = 18446744073709551616', "WK304 'le' does not fit into 64 bits"),
        ('type = "i64", le = 9223372036854775808', "WK304 'le' does not fit into 64 bits"),
        ('type = "u8", multiple_of = 0', "WK304 'multiple_of' needs a number greater than 0"),
        ('type = "str", pattern = "[[a]"', "WK304 not a regular expression: "),
        ('type = "str", min_length = -1', "WK015 -1 is out of range"),
        ('type = "u8", gt = 0, ge = 0', "WK305 'gt' and 'ge' are two bounds on one side"),
        ('type = "u8", lt = 9, le = 9', "WK305 'lt' and 'le' are two bounds on one side"),
        ('type = "u8", ge = 5, lt = 5', "WK305 'ge' and 'lt' leave no value"),
        ('type = "u8", gt = 5, lt = 6', "WK305 'gt' and 'lt' leave no value"),
        ('type = "float", gt = 5, le = 5', "WK305 'gt' and 'le' leave no value"),
        ('type = "u8", ge = 256', "WK305 'ge' leaves no value of this type"),
        ('type = "u8", lt = 0', "WK305 'lt' leaves no value of this type"),
        ('type = "str", max_length = 1, min_length = 2', "WK305 'min_length' and 'max_length' leave no value"),
    ],
)
def test_constraints_that_do_not_fit_are_told(declaration: str, expected: str, tmp_path: Path) -> None:
    found, lines = constraints(tmp_path, declaration)
    assert found is None
    (line,) = lines
    assert line.partition(" ")[2].startswith(expected)


def test_a_conflict_is_told_at_the_second_with_a_note_at_the_first(tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, '[struct.A.fields]\nx = { type = "u8", le = 1, ge = 9 }')
    (found,) = diagnostics.items
    assert (str(found.span), [str(note.span) for note in found.notes]) == ("shop.toml:4:28", ["shop.toml:4:20"])
