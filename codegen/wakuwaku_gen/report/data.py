"""JSON for programs; `docs/reference/output-formats.md` has its JSON Schema."""

from __future__ import annotations

import json

from wakuwaku_gen.app import Outcome
from wakuwaku_gen.diagnostics import Diagnostic, Span

__all__ = ["json_text"]


def json_text(outcome: Outcome) -> str:
    """Return one JSON object: how the run ended, all diagnostics (hints too), and each file with what became of it."""
    failure = outcome.failure
    value = {
        "status": outcome.status.value,
        "exit_code": outcome.status.exit_code,
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in outcome.diagnostics],
        "failure": None if failure is None else {"message": failure.message, "help": failure.help},
        "files": [
            {
                "path": str(planned.shown / step.path),
                "kind": step.kind.value,
                "action": step.action.value,
                "why": step.why.value,
            }
            for planned in outcome.planned
            for step in planned.plan.steps
        ],
        "namespaces": outcome.namespaces,
        "events": outcome.events,
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "severity": diagnostic.severity.value,
        "rule": diagnostic.rule,
        "message": diagnostic.message,
        **_place(diagnostic.span),
        "help": diagnostic.help,
        "notes": [{"message": note.message, **_place(note.span)} for note in diagnostic.notes],
    }


def _place(span: Span) -> dict[str, object]:
    return {"file": str(span.file), "line": span.line, "column": span.column, "end_column": span.end}
