"""A warning can be permitted at its place, for a reason, and only there."""

from pathlib import Path

import pytest

from tests.codegen.check.examples import bound, told

EVENT = '[event.Paid]\ntag = 1\nkey = "OrderKey"\nalgebra = "associative"\ncombine.amount = "sum"\n'


@pytest.mark.parametrize(
    "allowed",
    [
        EVENT + 'fields.amount = { type = "float", allow = { WK450 = "an estimate" } }',
        EVENT + 'fields.amount = "float"\nallow = { WK450 = "an estimate" }',
    ],
)
def test_a_permit_holds_for_its_field_or_for_all_of_its_event(allowed: str, tmp_path: Path) -> None:
    model, diagnostics = bound(tmp_path, allowed)
    assert told(diagnostics) == []
    assert model is not None


def test_a_permit_elsewhere_does_not_hold_and_is_told_to_be_unused(tmp_path: Path) -> None:
    rest = 'combine.tax = "sum"\nfields.tax = { type = "Decimal", allow = { WK450 = "?" } }\nfields.amount = "float"'
    model, diagnostics = bound(tmp_path, EVENT + rest)
    assert [line.split(" ", 2)[:2] for line in told(diagnostics)] == [
        ["shop.toml:7:18", "WK450"],
        ["shop.toml:9:44", "WK050"],
    ]
    assert model is not None


def test_a_permit_of_no_rule_is_an_error(tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, '[struct.A]\nallow = { WK45 = "?" }')
    assert told(diagnostics) == ["shop.toml:4:11 WK017 there is no rule 'WK45'"]
    assert diagnostics.items[0].help is not None
