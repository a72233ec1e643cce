"""Every rule of compatibility is declared once, explained by two versions, and finds between them what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import wakuwaku_gen.compat
from tests.codegen.check.test_rules import runs
from tests.codegen.compat.sides import bound, findings
from wakuwaku_gen.compat import Axes, Axis, CompatRule, Verdict
from wakuwaku_gen.compat.axes import Level
from wakuwaku_gen.compat.checker import draft_edits
from wakuwaku_gen.compat.naming import name_changes
from wakuwaku_gen.compat.pairs import Both
from wakuwaku_gen.compat.rules import ALWAYS, RULES, current_id
from wakuwaku_gen.report.compat.wording import consequences

EXPECTED = Path(__file__).with_name("rules.txt")
SOURCES = sorted(Path(wakuwaku_gen.compat.__file__).parent.rglob("*.py"))
SHOWN = [rule for rule in RULES if runs(rule.after)]
#: What an example can't leave out beside its own finding.
BESIDE = {
    "EQUALITY_FIELD_ADDED": {"FIELD_ADDED_DEFAULT"},
    "FIELD_REMOVED_NOT_RESERVED": {"FIELD_REMOVED_DEFAULT"},
    "NAME_REUSED": {"EVENT_REMOVED", "EVENT_ADDED"},
    "RESERVED_USED": {"FIELD_ADDED_DEFAULT"},
    "UNION_TAG_FIELD_CHANGED": {"FIELD_REMOVED_REQUIRED"},
    "DRAFT_TYPE_USED": {"EVENT_ADDED"},
}


def test_ids_are_unique_and_sorted() -> None:
    ids = [rule.id for rule in RULES]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"[A-Z]+(_[A-Z]+)+", rule_id) for rule_id in ids)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_explained(rule: CompatRule) -> None:
    assert rule.title
    assert not rule.title.endswith(".")
    assert rule.purpose.endswith(".")
    assert all(one.strip() for one in (*rule.versions, rule.after))
    assert re.fullmatch("[.WE]{4}", rule.axes)


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.id)
def test_an_example_is_found_with_the_verdict_on_each_axis(rule: CompatRule) -> None:
    """And nothing is found beside it that would not have to be."""
    new = bound(rule.after)
    past = [bound(version) for version in rule.versions]
    edits = [
        named.edit
        for held in past
        for named in name_changes(Both(new, held), recent=None if held is past[-1] else past[-1])
    ]
    edits += [named.edit for named in draft_edits(new)]

    assert rule.axes in {str(edit.axes) for edit in edits if edit.rule == rule.id}
    assert {edit.rule for edit in edits} - {rule.id} == BESIDE.get(rule.id, set())


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.id)
def test_a_verdict_of_decoding_carries_its_proof(rule: CompatRule) -> None:
    """Bytes of one version, and the words with which the decoder of the other one refuses them."""
    for finding in findings(rule.before, rule.after, Level.SOURCE):
        for axis, breaks in ((Axis.BACKWARD, finding.edit.backward), (Axis.FORWARD, finding.edit.forward)):
            if breaks:
                assert finding.axes.on(axis) is Verdict.ERROR
                assert finding.proofs[axis].error
                assert finding.proofs[axis].body


def test_the_words_of_every_rule_are_as_expected(request: pytest.FixtureRequest) -> None:
    """What is told of each example; `make golden` writes it anew."""
    lines: list[str] = []
    for rule in SHOWN:
        told = findings(rule.before, rule.after, Level.SOURCE)
        for finding in told:
            if finding.rule == rule.id:
                lines += [f"{finding.severity.value} {rule.id} {finding.axes}: {finding.edit.message}"]
                lines += [f"  - {line}" for line in consequences(finding)]
                lines += [f"  help: {finding.edit.help}"] if finding.edit.help else []
    text = "\n".join(lines) + "\n"
    if request.config.getoption("--update", default=False):
        EXPECTED.write_text(text, encoding="utf-8")
    assert text == EXPECTED.read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", [rule for rule in SHOWN if rule.always], ids=lambda rule: rule.id)
@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
def test_a_rule_of_the_runtime_holds_whatever_the_level(rule: CompatRule, level: Level) -> None:
    """An error on any axis fails."""
    expected = "error" if "E" in rule.axes else "warning"
    assert {one.severity.value for one in findings(rule.before, rule.after, level) if one.rule == rule.id} == {expected}


def test_every_id_in_the_source_is_declared_and_every_rule_is_used() -> None:
    modules = [path for path in SOURCES if path.parent.name == "naming" or path.name in {"checker.py", "golden.py"}]
    quoted = re.compile(r'"([A-Z]+(?:_[A-Z]+)+)"')
    named = {one for path in modules for one in quoted.findall(path.read_text(encoding="utf-8"))}
    assert named == {rule.id for rule in RULES}


def test_axes_are_read_and_written() -> None:
    assert str(Axes.of("E.W.")) == "E.W."
    assert {rule.id for rule in RULES} > ALWAYS
    assert current_id("EVENT_ADDED") == "EVENT_ADDED"
