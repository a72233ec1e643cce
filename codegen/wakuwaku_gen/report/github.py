"""Workflow commands of GitHub Actions, which show as annotations at the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wakuwaku_gen.app import Outcome, Status
from wakuwaku_gen.diagnostics import Diagnostic, Severity
from wakuwaku_gen.report.wording import differences, remarks, summary
from wakuwaku_gen.write import Action

__all__ = ["LEVELS", "annotation", "command", "escaped_property", "github_lines"]

LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


def github_lines(outcome: Outcome, *, hints: bool) -> Iterator[str]:
    """Return one workflow command per finding, and the summary; hints only on request."""
    for diagnostic in outcome.diagnostics:
        if hints or diagnostic.severity is not Severity.HINT:
            yield annotation(diagnostic)
    if outcome.failure is not None:
        yield command("error", "title=wakuwaku-gen", f"{outcome.failure.message}\nhelp: {outcome.failure.help}")
    if outcome.status is Status.DIFFERENT:
        for path, step in differences(outcome):
            place = f"file={escaped_property(str(path))},title={step.why.value}"
            yield command("error", place, "this file is not what the schema makes; run wakuwaku-gen and commit it")
    for remark in remarks(outcome):
        level = "error" if remark.step.action is Action.REFUSE else "warning"
        place = f"file={escaped_property(str(remark.path))},title={remark.step.why.value}"
        yield command(level, place, f"{remark.reason}\nhelp: {remark.help}")
    if outcome.failure is None:
        yield summary(outcome)


def annotation(diagnostic: Diagnostic) -> str:
    """Return the workflow command that shows a diagnostic at its place."""
    span = diagnostic.span
    place = f"line={span.line},endLine={span.line},col={span.column},endColumn={span.end}"
    lines = [diagnostic.message]
    lines += [f"help: {diagnostic.help}"] if diagnostic.help is not None else []
    lines += [f"note: {note.span}: {note.message}" for note in diagnostic.notes]
    level = LEVELS[diagnostic.severity]
    return command(level, f"file={escaped_property(str(span.file))},{place},title={diagnostic.rule}", "\n".join(lines))


def command(level: str, properties: str, message: str) -> str:
    """Return a workflow command; `properties` are escaped already."""
    return f"::{level} {properties}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """Return a value as it stands among the properties of a workflow command."""
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
