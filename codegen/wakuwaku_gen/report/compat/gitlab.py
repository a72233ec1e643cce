"""Code Quality reports of GitLab, which show in the diff of a merge request.

Source: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json
from typing import Final

from wakuwaku_gen.compat import Outcome
from wakuwaku_gen.diagnostics import Severity
from wakuwaku_gen.report.compat.wording import consequences, located

__all__ = ["gitlab_text"]

_SEVERITIES: Final = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.HINT: "info"}


def gitlab_text(outcome: Outcome, version: str) -> str:  # noqa: ARG001 - all formats for programs are made alike
    """Return a JSON array with one entry for each finding that is not approved, and one for a failure."""
    entries = [
        _entry(
            finding.rule,
            "; ".join((finding.edit.message, *consequences(finding))),
            finding.fingerprint,
            _SEVERITIES[finding.severity],
            located(finding)[:2],
        )
        for finding in outcome.findings
        if finding.approved is None
    ]
    entries += [
        _entry(
            item.rule,
            item.message,
            f"{item.rule}:{item.span}",
            _SEVERITIES[item.severity],
            (str(item.span.file), item.span.line),
        )
        for item in outcome.diagnostics
    ]
    if outcome.failure is not None:
        message = f"{outcome.failure.message}; {outcome.failure.help}"
        entries.append(_entry("compat", message, outcome.failure.message, "blocker", ("schemas", 1)))
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _entry(rule: str, text: str, fingerprint: str, severity: str, place: tuple[str, int]) -> dict[str, object]:
    path, line = place
    return {
        "type": "issue",
        "check_name": rule,
        "description": text,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": path, "lines": {"begin": line}},
    }
