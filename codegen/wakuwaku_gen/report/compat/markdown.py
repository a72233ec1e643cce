"""Markdown for a comment on a pull request or a job summary."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku_gen.compat import Finding, Order, Outcome
from wakuwaku_gen.report.compat.wording import consequences, shown, span_of, summary
from wakuwaku_gen.report.plain import visible

__all__ = ["markdown_text"]


def markdown_text(outcome: Outcome, *, hints: bool) -> str:
    """Return a heading, a table of findings, and the plan as a numbered list."""
    return "".join(f"{line}\n" for line in _lines(outcome, hints=hints))


def _lines(outcome: Outcome, *, hints: bool) -> Iterator[str]:
    yield "## Schema compatibility"
    yield ""
    if outcome.failure is not None:
        yield f"**{_cell(outcome.failure.message)}**. {_cell(outcome.failure.help)}"
        return
    yield f"{_cell(summary(outcome))}."
    findings = shown(outcome, hints=hints)
    if findings:
        yield from ("", "| | Rule | Where | What, and to whom | Way out |", "|---|---|---|---|---|")
        yield from map(_row, findings)
    for item in outcome.diagnostics:
        yield from ("", f"{item.severity.value}: `{item.span}` {_cell(item.message)}")
    for notice in outcome.notices:
        yield from ("", _cell(notice))
    plan = outcome.plan
    if plan is not None and outcome.versions:
        yield from ("", f"**Deploy: {plan.order.value}.**")
        if plan.order is not Order.ANY:
            yield ""
            yield from (f"{number}. {_cell(step.text)}" for number, step in enumerate(plan.steps, 1))
    if outcome.stale:
        yield from ("", f"The lock does not have {_cell(', '.join(outcome.stale))} as they are now.")


def _row(finding: Finding) -> str:
    said = "<br>".join(_cell(line) for line in (finding.edit.message, *consequences(finding)))
    cells = [finding.severity.value, f"`{finding.rule}`", f"`{span_of(finding)}`", said, _cell(finding.edit.help or "")]
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    escaped = visible(text).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{char}" if char in "\\`*_{}[]|#~" else char for char in escaped)
