"""Each format of `wakuwaku compat` is what its readers take; expected texts are beside, `make golden` writes them."""

from __future__ import annotations

import datetime as dt
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from jsonschema import Draft4Validator

from tests.codegen.compat.sides import bound
from wakuwaku_gen.compat import CompatError, Level, Outcome, Status
from wakuwaku_gen.compat.approvals import Approval, Approvals
from wakuwaku_gen.compat.checker import Baseline, compare
from wakuwaku_gen.compat.finding import Count
from wakuwaku_gen.compat.plan import plan_of
from wakuwaku_gen.diagnostics import Diagnostic, Severity, Span
from wakuwaku_gen.report.compat import FORMATS, CompatFormat, print_compat

ROOT = Path(__file__).parents[3]
EXPECTED = Path(__file__).with_name("compat_formats")
BEFORE = (
    '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n[event.OrderPlaced.fields]\ntotal = "u64"\nname = "str"\n'
    'color = "Color"\n[enum.Color]\nvalues = ["RED"]\n'
    '[event.OrderPaid]\ntag = 2\nkey = "OrderKey"\nalgebra = "idempotent"\n'
)
AFTER = (
    '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n[event.OrderPlaced.fields]\ntotal = "u8"\nfull_name = "str"\n'
    'color = "Color"\n[enum.Color]\nvalues = ["RED", "BLUE"]\n'
    '[event.OrderPaid]\ntag = 2\nkey = "OrderKey"\nalgebra = "commutative"\n'
)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """Findings of all weights, one of them approved, one with evidence, and a remark on an approval."""
    place = Span(PurePosixPath("schemas/wakuwaku.approvals"), 1)
    approvals = Approvals([Approval("ALGEBRA_CHANGED", "orders/2", "no <record> & no one", place)], dt.date(2030, 1, 1))
    new = bound(AFTER)
    findings = compare(new, [Baseline("1.0.0", bound(BEFORE), 0)], approvals=approvals)
    findings = [replace(one, evidence=Count(1204, 3)) if one.rule == "INT_NARROWED" else one for one in findings]
    remark = Diagnostic(place, "APPROVAL_UNUSED", "nothing there", "remove it", severity=Severity.WARNING)
    return Outcome(
        Status.INCOMPATIBLE,
        findings,
        plan_of(findings),
        ["1.0.0"],
        [remark],
        ["one more thing"],
        events=2,
        level=Level.BACKWARD,
    )


FAILED = Outcome(Status.FAILED, failure=CompatError("there is no ref 'x' here", "git fetch origin x"))
STALE = Outcome(Status.STALE, versions=["1.0.0"], stale=["orders/1"], plan=plan_of([]), events=1)


@pytest.mark.parametrize("style", FORMATS)
def test_a_format_is_as_expected(style: CompatFormat, outcome: Outcome, request: pytest.FixtureRequest) -> None:
    """Byte by byte."""
    text = "".join(
        f"--- {name}\n{print_compat(one, style, lambda _: None, version='1.2.3')}"
        for name, one in {"findings": outcome, "failed": FAILED, "stale": STALE}.items()
    )
    path = EXPECTED / f"{style}.txt"
    if request.config.getoption("--update", default=False):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def json_schema() -> dict[str, Any]:
    page = (ROOT / "docs/reference/compat-formats.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    described: dict[str, Any] = json.loads(block)
    Draft4Validator.check_schema(described)
    return described


def test_json_is_as_described(outcome: Outcome) -> None:
    """By the JSON Schema of the page."""
    for one in (outcome, FAILED, STALE):
        Draft4Validator(json_schema()).validate(json.loads(print_compat(one, "json", lambda _: None)))


def test_junit_is_xml_with_one_failure_a_place(outcome: Outcome) -> None:
    root = ET.fromstring(print_compat(outcome, "junit", lambda _: None))
    assert root.tag == "testsuites"
    assert int(root.attrib["failures"]) == len(root.findall(".//failure")) > 0
    assert int(root.attrib["tests"]) == len(root.findall(".//testcase"))
    assert ET.fromstring(print_compat(FAILED, "junit", lambda _: None)).find(".//error") is not None


def test_sarif_names_every_rule_it_uses(outcome: Outcome) -> None:
    (run,) = json.loads(print_compat(outcome, "sarif", lambda _: None))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {result["ruleId"] for result in run["results"]} == set(rules)
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    assert [one["ruleId"] for one in run["results"] if "suppressions" in one] == ["ALGEBRA_CHANGED"]


def test_gitlab_has_a_fingerprint_for_each_entry(outcome: Outcome) -> None:
    entries = json.loads(print_compat(outcome, "gitlab", lambda _: None))
    fingerprints = [entry["fingerprint"] for entry in entries]
    assert len(set(fingerprints)) == len(fingerprints)
    assert all(entry["location"]["lines"]["begin"] >= 1 for entry in entries)


def test_people_see_harmless_and_approved_findings_on_request(outcome: Outcome) -> None:
    for style in ("text", "oneline", "github", "markdown"):
        assert "ALGEBRA_CHANGED" not in print_compat(outcome, style, lambda _: None)
        assert "ALGEBRA_CHANGED" in print_compat(outcome, style, lambda _: None, hints=True)
