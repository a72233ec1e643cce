"""SARIF 2.1.0, the format in which code scanning services and editors take the findings of any tool.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from wakuwaku_gen.app import Outcome, Status
from wakuwaku_gen.check import Rule, rule_of
from wakuwaku_gen.diagnostics import Diagnostic, Severity, Span
from wakuwaku_gen.report.wording import differences, remarks
from wakuwaku_gen.write import Action

__all__ = ["LEVELS", "SCHEMA", "location", "sarif_text"]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def sarif_text(outcome: Outcome, version: str) -> str:
    """Return a SARIF log with one run; `version` is that of the tool.

    Diagnostics are results, hints among them. Files that differ or are in the way, and failures, are notifications.
    """
    rules = sorted({diagnostic.rule for diagnostic in outcome.diagnostics})
    driver = {
        "name": "wakuwaku-gen",
        "version": version,
        "rules": [_rule(rule_of(rule)) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": outcome.status not in (Status.REFUSED, Status.FAILED),
                "exitCode": outcome.status.exit_code,
                "toolExecutionNotifications": _notifications(outcome),
            }
        ],
        "results": [_result(diagnostic, rules.index(diagnostic.rule)) for diagnostic in outcome.diagnostics],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.purpose},
        "help": {"text": f"Bad:\n{rule.bad}\n\nGood:\n{rule.good}"},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def _result(diagnostic: Diagnostic, index: int) -> dict[str, object]:
    help_ = f"\n{diagnostic.help}" if diagnostic.help is not None else ""
    result: dict[str, object] = {
        "ruleId": diagnostic.rule,
        "ruleIndex": index,
        "level": LEVELS[diagnostic.severity],
        "message": {"text": f"{diagnostic.message}{help_}"},
        "locations": [location(diagnostic.span)],
    }
    if diagnostic.notes:
        result["relatedLocations"] = [
            {**location(note.span), "message": {"text": note.message}} for note in diagnostic.notes
        ]
    return result


def location(span: Span) -> dict[str, object]:
    """Return a place as SARIF has it."""
    region = {"startLine": span.line, "startColumn": span.column, "endLine": span.line, "endColumn": span.end}
    return {"physicalLocation": {**_artifact(span.file), "region": region}}


def _artifact(path: PurePosixPath) -> dict[str, object]:
    uri = f"file://{quote(str(path))}" if path.is_absolute() else quote(str(path))
    return {"artifactLocation": {"uri": uri}}


def _notifications(outcome: Outcome) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    if outcome.failure is not None:
        found.append(_notification("error", f"{outcome.failure.message}\n{outcome.failure.help}"))
    if outcome.status is Status.DIFFERENT:
        found += [
            _notification("error", f"{step.why.value}: not as the schema makes it", path)
            for path, step in differences(outcome)
        ]
    for remark in remarks(outcome):
        level = "error" if remark.step.action is Action.REFUSE else "warning"
        found.append(_notification(level, f"{remark.reason}\n{remark.help}", remark.path))
    return found


def _notification(level: str, text: str, path: PurePosixPath | None = None) -> dict[str, object]:
    notification: dict[str, object] = {"level": level, "message": {"text": text}}
    if path is not None:
        notification["locations"] = [{"physicalLocation": _artifact(path)}]
    return notification
