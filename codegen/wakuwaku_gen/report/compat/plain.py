"""Text for people, whole or one line a finding."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku_gen.compat import Finding, Outcome, Status
from wakuwaku_gen.diagnostics import Diagnostic, Note, Severity
from wakuwaku_gen.report.compat.wording import consequences, plan_lines, proofs, shown, span_of, summary
from wakuwaku_gen.report.plain import LineOf, diagnostics_text, visible

__all__ = ["oneline_text", "text_of"]

#: Bytes of a proof that are shown; what is longer is cut.
_BYTES = 48


def text_of(outcome: Outcome, line_of: LineOf, *, hints: bool) -> str:
    """Return the findings with their places, consequences, proofs and ways out, then the plan and the summary."""
    return "".join(f"{line}\n" for line in _lines(outcome, line_of, hints=hints))


def _lines(outcome: Outcome, line_of: LineOf, *, hints: bool) -> Iterator[str]:
    for fixed in outcome.fixed:
        yield from (f"fixed {fixed.path}: {visible(done)}" for done in fixed.done)
    for finding in shown(outcome, hints=hints):
        yield from _finding(finding, line_of)
        yield ""
    yield from diagnostics_text(outcome.diagnostics, line_of, hints=hints)
    yield from (f"note: {visible(notice)}" for notice in outcome.notices)
    if outcome.failure is not None:
        yield f"error: {visible(outcome.failure.message)}"
        yield f"help: {visible(outcome.failure.help)}"
        return
    yield from plan_lines(outcome)
    yield summary(outcome)
    if outcome.status is Status.STALE:
        yield f"the lock does not have {', '.join(outcome.stale)} as they are now"
        yield "help: add a version: wakuwaku release SCHEMAS --version …"


def _finding(finding: Finding, line_of: LineOf) -> Iterator[str]:
    edit = finding.edit
    span = edit.at or edit.before
    told = [*consequences(finding)]
    if span is None:
        yield f"{finding.rule} {visible(edit.message)}"
    else:
        notes = (
            (Note(edit.before, f"as of {finding.versions[-1]}"),)
            if edit.before and edit.at and finding.versions
            else ()
        )
        diagnostic = Diagnostic(span, finding.rule, edit.message, None, notes, finding.severity)
        yield from diagnostics_text([diagnostic], _of_schemas(line_of), hints=True)
    yield from (f"  - {visible(line)}" for line in told)
    for axis, body, error in proofs(finding):
        cut = body if len(body) <= 2 * _BYTES else f"{body[: 2 * _BYTES]}…"
        yield f"  proof, {axis}: {cut}"
        yield f"         {visible(error)}"
    if len(finding.names) > 1:
        yield f"  concerns {', '.join(finding.names)}"
    if finding.approved is not None:
        yield f"  approved: {visible(finding.approved)}"
    elif finding.severity is not Severity.HINT:
        yield f"  at {finding.place}, fingerprint {finding.fingerprint}"
    if edit.help is not None:
        yield f"help: {visible(edit.help)}"


def _of_schemas(line_of: LineOf) -> LineOf:
    """Leave out the lines of a lock, which are long and for programs."""
    return lambda span: None if span.file.suffix == ".lock" else line_of(span)


def oneline_text(outcome: Outcome, *, hints: bool) -> str:
    """Return one line for each finding, and the summary."""
    lines = [_one(finding) for finding in shown(outcome, hints=hints)]
    lines += [f"{item.span}: {item.rule} {visible(item.message)}" for item in outcome.diagnostics]
    if outcome.failure is not None:
        lines.append(f"error: {visible(outcome.failure.message)}; {visible(outcome.failure.help)}")
    else:
        lines.append(summary(outcome))
    return "".join(f"{line}\n" for line in lines)


def _one(finding: Finding) -> str:
    level = "" if finding.severity is Severity.ERROR else f"{finding.severity.value}: "
    told = "; ".join(consequences(finding))
    return visible(f"{span_of(finding)}: {finding.rule} {level}{finding.edit.message}{': ' if told else ''}{told}")
