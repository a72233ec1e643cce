"""JSON for programs; `docs/reference/compat-formats.md` has its JSON Schema."""

from __future__ import annotations

import json

from wakuwaku_gen.compat import Axis, Finding, Outcome, Plan
from wakuwaku_gen.diagnostics import Diagnostic, Span
from wakuwaku_gen.report.compat.wording import consequences

__all__ = ["json_text"]


def json_text(outcome: Outcome, version: str) -> str:  # noqa: ARG001 - all formats for programs are made alike
    """Return one JSON object: how the check ended, all findings (hints and approved ones too), and the plan."""
    failure = outcome.failure
    value = {
        "status": outcome.status.value,
        "exit_code": outcome.status.exit_code,
        "level": outcome.level.value,
        "versions": list(outcome.versions),
        "events": outcome.events,
        "findings": [_finding(finding) for finding in outcome.findings],
        "plan": None if outcome.plan is None else _plan(outcome.plan),
        "diagnostics": [_diagnostic(item) for item in outcome.diagnostics],
        "notices": list(outcome.notices),
        "stale": list(outcome.stale),
        "fixed": [{"file": str(one.path), "done": list(one.done)} for one in outcome.fixed],
        "failure": None if failure is None else {"message": failure.message, "help": failure.help},
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _finding(finding: Finding) -> dict[str, object]:
    edit = finding.edit
    count = finding.evidence
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": edit.message,
        "help": edit.help,
        "at": finding.place,
        "fingerprint": finding.fingerprint,
        "place": None if edit.at is None else _place(edit.at),
        "before": None if edit.before is None else _place(edit.before),
        "versions": list(finding.versions),
        "events": [{"topic": topic, "tag": tag} for topic, tag in finding.events],
        "axes": {axis.value: finding.axes.on(axis).value for axis in Axis},
        "consequences": list(consequences(finding)),
        "proofs": {
            axis.value: {"event": one.event, "body": one.body.hex(), "error": one.error}
            for axis, one in sorted(finding.proofs.items(), key=lambda each: each[0].value)
        },
        "approved": finding.approved,
        "evidence": None if count is None else {"records": count.records, "unread": count.unread},
    }


def _plan(plan: Plan) -> dict[str, object]:
    return {
        "order": plan.order.value,
        "because": list(plan.because),
        "steps": [{"topic": step.topic, "text": step.text} for step in plan.steps],
    }


def _diagnostic(item: Diagnostic) -> dict[str, object]:
    return {
        "severity": item.severity.value,
        "rule": item.rule,
        "message": item.message,
        "place": _place(item.span),
        "help": item.help,
    }


def _place(span: Span) -> dict[str, object]:
    return {"file": str(span.file), "line": span.line, "column": span.column, "end_column": span.end}
