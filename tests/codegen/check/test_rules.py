"""Every rule is declared once, explained by examples, and does what its examples say."""

import re
from pathlib import Path

import pytest

import wakuwaku_gen
from tests.codegen.check.examples import MISSING_DOC, bound, told
from wakuwaku_gen.check import RULES, Rule, rule_of
from wakuwaku_gen.diagnostics import Severity

SOURCES = sorted(Path(wakuwaku_gen.__file__).parent.rglob("*.py"))


def runs(example: str) -> bool:
    """Tell whether an example is a schema, not just a comment on what one can't show."""
    return any(line and not line.startswith("#") for line in example.splitlines())


def test_ids_are_unique_and_sorted() -> None:
    ids = [rule.id for rule in RULES]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"WK[0-4]\d\d", rule_id) for rule_id in ids)


def test_warnings_and_hints_have_the_upper_half_of_each_hundred() -> None:
    assert all((int(rule.id[2:]) % 100 >= 50) == (rule.severity is not Severity.ERROR) for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_explained(rule: Rule) -> None:
    assert rule.title
    assert not rule.title.endswith(".")
    assert rule.purpose.endswith(".")
    assert rule.bad.strip()
    assert rule.good.strip()
    assert runs(rule.bad) == runs(rule.good)


@pytest.mark.parametrize("rule", [rule for rule in RULES if runs(rule.bad)], ids=lambda rule: rule.id)
def test_the_bad_example_breaks_its_rule_and_no_other(rule: Rule, tmp_path: Path) -> None:
    model, diagnostics = bound(tmp_path, rule.bad, docs=rule.id == MISSING_DOC)
    assert {(item.rule, item.severity) for item in diagnostics.items} == {(rule.id, rule.severity)}, told(diagnostics)
    assert (model is None) == (rule.severity is Severity.ERROR)


@pytest.mark.parametrize("rule", [rule for rule in RULES if runs(rule.good)], ids=lambda rule: rule.id)
def test_the_good_example_breaks_nothing(rule: Rule, tmp_path: Path) -> None:
    model, diagnostics = bound(tmp_path, rule.good, docs=rule.id == MISSING_DOC)
    assert told(diagnostics) == []
    assert model is not None


def test_every_id_in_the_source_is_declared_and_every_rule_is_used() -> None:
    stages = [path for path in SOURCES if path.parent.name in {"load", "model", "check"}]
    named = {rule_id for path in stages for rule_id in re.findall(r'"(WK\d{3})"', path.read_text(encoding="utf-8"))}
    assert named == {rule.id for rule in RULES}
    front = [path for path in stages if path.parent.name in {"load", "model"} or path.name == "registry.py"]
    reported = {rule_id for path in front for rule_id in re.findall(r'"(WK\d{3})"', path.read_text(encoding="utf-8"))}
    assert reported == {rule.id for rule in RULES if rule.check is None}


def test_an_unknown_id_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        rule_of("WK999")
