"""The JSON Schema that editors get says yes and no where the loader does, since both come of one table."""

from __future__ import annotations

import tomllib
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft4Validator

from tests.codegen.check.examples import files_of
from tests.codegen.check.test_robustness import SCHEMA, spoiled
from tests.codegen.check.test_rules import runs
from wakuwaku_gen.check import RULES, Rule
from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.json_schema import json_schema
from wakuwaku_gen.load.conform import conform
from wakuwaku_gen.load.toml import parse

ROOT = Path(__file__).parents[2]
#: What one key, without the rest of the schema, can tell.
STRUCTURAL = {"WK010", "WK011", "WK012", "WK013", "WK014", "WK015"}
FIXTURES = sorted([*ROOT.glob("schemas/**/*.toml"), *ROOT.glob("tests/cases/*/input/schemas/**/*.toml")])

VALIDATOR = Draft4Validator(json_schema())


def is_valid(text: str) -> bool:
    values: dict[str, Any] = tomllib.loads(text)
    return VALIDATOR.is_valid(values)


def loads(text: str) -> bool:
    diagnostics = Diagnostics()
    root = parse(text.encode(), PurePosixPath("a.toml"), diagnostics)
    return root is not None and conform(root, diagnostics) and not diagnostics.items


def test_it_is_a_schema_of_draft_4() -> None:
    """As Taplo and Tombi want it."""
    Draft4Validator.check_schema(json_schema())
    assert json_schema()["$schema"] == "http://json-schema.org/draft-04/schema#"


def test_every_key_is_described() -> None:
    """So that editors have something to show."""
    tables = [json_schema(), *dict[str, Any](json_schema()["definitions"]).values()]  # type: ignore[call-overload]
    properties = [one for table in tables for one in table["properties"].values()]
    assert all(one["description"].strip() for one in properties)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_fixture_is_valid_where_the_loader_takes_it(path: Path) -> None:
    """Every schema of the project and of the golden cases."""
    text = path.read_text(encoding="utf-8")
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert not loads(text)
    else:
        assert is_valid(text) == loads(text)


@pytest.mark.parametrize("rule", [rule for rule in RULES if runs(rule.good)], ids=lambda rule: rule.id)
def test_the_good_example_of_every_rule_is_valid(rule: Rule) -> None:
    """All of its files."""
    assert all(is_valid(text) for text in files_of(rule.good).values())


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.id in STRUCTURAL], ids=lambda rule: rule.id)
def test_a_structural_mistake_is_invalid(rule: Rule) -> None:
    """Unknown and missing keys, wrong kinds, values and numbers out of range."""
    assert not all(is_valid(text) for text in files_of(rule.bad).values())


@settings(deadline=None)  # tests do not depend on time
@given(spoiled())
def test_it_agrees_with_the_loader_on_any_schema(text: str) -> None:
    """Neither takes what the other refuses."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert is_valid(text) == loads(text)


def test_the_schema_that_is_spoiled_here_is_valid() -> None:
    """So that the test above finds both answers."""
    assert is_valid(SCHEMA)
