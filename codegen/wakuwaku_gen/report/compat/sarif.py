"""SARIF 2.1.0 of a check of compatibility.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
"""

from __future__ import annotations

import json

from wakuwaku_gen.compat import CompatRule, Finding, Outcome, Status
from wakuwaku_gen.compat.rules import BY_ID
from wakuwaku_gen.report.compat.wording import consequences
from wakuwaku_gen.report.sarif import LEVELS, SCHEMA, location

__all__ = ["sarif_text"]


def sarif_text(outcome: Outcome, version: str) -> str:
    """Return a SARIF log with one run; approved findings are suppressed results."""
    rules = sorted({finding.rule for finding in outcome.findings})
    failure = outcome.failure
    notifications = [
        {"level": LEVELS[item.severity], "message": {"text": item.message}, "locations": [location(item.span)]}
        for item in outcome.diagnostics
    ]
    if failure is not None:
        notifications.append({"level": "error", "message": {"text": f"{failure.message}\n{failure.help}"}})
    run = {
        "tool": {
            "driver": {"name": "wakuwaku compat", "version": version, "rules": [_rule(BY_ID[rule]) for rule in rules]}
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": outcome.status is not Status.FAILED,
                "exitCode": outcome.status.exit_code,
                "toolExecutionNotifications": notifications,
            }
        ],
        "results": [_result(finding, rules.index(finding.rule)) for finding in outcome.findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: CompatRule) -> dict[str, object]:
    before = "\n\n".join(rule.versions)
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.purpose},
        "help": {"text": f"Before:\n{before}\n\nAfter:\n{rule.after}"},
    }


def _result(finding: Finding, index: int) -> dict[str, object]:
    edit = finding.edit
    lines = [edit.message, *consequences(finding), *([edit.help] if edit.help is not None else [])]
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": "\n".join(lines)},
        "partialFingerprints": {"wakuwaku/v1": finding.fingerprint},
    }
    span = edit.at or edit.before
    if span is not None:
        result["locations"] = [location(span)]
    if edit.before is not None and edit.at is not None:
        result["relatedLocations"] = [{**location(edit.before), "message": {"text": "as it was"}}]
    if finding.approved is not None:
        result["suppressions"] = [{"kind": "external", "justification": finding.approved}]
    return result
