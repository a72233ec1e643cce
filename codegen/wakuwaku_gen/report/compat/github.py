"""Workflow commands of GitHub Actions, which show as annotations at the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku_gen.compat import Finding, Outcome, Status
from wakuwaku_gen.report.compat.wording import consequences, located, plan_lines, shown, summary
from wakuwaku_gen.report.github import LEVELS, annotation, command, escaped_property

__all__ = ["github_text"]


def github_text(outcome: Outcome, *, hints: bool) -> str:
    """Return one workflow command for each finding, then the plan and the summary."""
    return "".join(f"{line}\n" for line in _lines(outcome, hints=hints))


def _lines(outcome: Outcome, *, hints: bool) -> Iterator[str]:
    for finding in shown(outcome, hints=hints):
        yield _annotation(finding)
    for item in outcome.diagnostics:
        yield annotation(item)
    if outcome.failure is not None:
        yield command("error", "title=wakuwaku compat", f"{outcome.failure.message}\nhelp: {outcome.failure.help}")
        return
    if outcome.status is Status.STALE:
        yield command(
            "error", "title=wakuwaku compat", f"the lock does not have {', '.join(outcome.stale)} as they are now"
        )
    yield from plan_lines(outcome)
    yield summary(outcome)


def _annotation(finding: Finding) -> str:
    file, line, column, end = located(finding)
    place = f"file={escaped_property(file)},line={line},endLine={line},col={column},endColumn={end}"
    lines = [finding.edit.message, *consequences(finding)]
    lines += [f"help: {finding.edit.help}"] if finding.edit.help is not None else []
    return command(LEVELS[finding.severity], f"{place},title={finding.rule}", "\n".join(lines))
