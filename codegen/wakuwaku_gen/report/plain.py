"""Text for people: places with the source line and a caret, then what was done."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from wakuwaku_gen.app import Change, Outcome, Status
from wakuwaku_gen.diagnostics import Diagnostic, Severity, Span
from wakuwaku_gen.report.wording import VERBS, differences, remarks, summary

__all__ = ["LineOf", "diagnostics_text", "text_err", "text_out", "unified_diff", "visible"]

#: Returns the source line of a place, or None when there is none to show.
LineOf: TypeAlias = Callable[[Span], str | None]


def text_out(outcome: Outcome) -> Iterator[str]:
    """Return the lines for standard output: the changes file by file (or as a diff), and the summary."""
    for change in outcome.changes:
        yield from unified_diff(change)
    if not outcome.changes:
        for path, step in differences(outcome):
            verb = step.why.value if outcome.status is Status.DIFFERENT else VERBS[step.action]
            yield f"{verb:<8} {path}"
    if outcome.planned and outcome.status is not Status.REFUSED:
        yield summary(outcome)


def text_err(outcome: Outcome, line_of: LineOf, *, hints: bool) -> Iterator[str]:
    """Return the lines for standard error: what is wrong, and what to know of files that were left alone."""
    yield from diagnostics_text(outcome.diagnostics, line_of, hints=hints)
    if outcome.failure is not None:
        yield f"error: {visible(outcome.failure.message)}"
        yield f"help: {visible(outcome.failure.help)}"
    for remark in remarks(outcome):
        yield f"{remark.path}: {remark.reason}"
        yield f"help: {remark.help}"
    if outcome.status in (Status.INVALID, Status.REFUSED):
        yield summary(outcome)


def diagnostics_text(diagnostics: Sequence[Diagnostic], line_of: LineOf, *, hints: bool = False) -> Iterator[str]:
    """Return diagnostics with their source lines; hints only on request."""
    for diagnostic in diagnostics:
        if hints or diagnostic.severity is not Severity.HINT:
            yield from _diagnostic_text(diagnostic, line_of)


def _diagnostic_text(diagnostic: Diagnostic, line_of: LineOf) -> Iterator[str]:
    level = "" if diagnostic.severity is Severity.ERROR else f"{diagnostic.severity.value}: "
    yield f"{diagnostic.span}: {diagnostic.rule} {level}{visible(diagnostic.message)}"
    yield from _excerpt(diagnostic.span, line_of(diagnostic.span))
    if diagnostic.help is not None:
        yield f"help: {visible(diagnostic.help)}"
    for note in diagnostic.notes:
        yield f"note: {note.span}: {visible(note.message)}"
        yield from _excerpt(note.span, line_of(note.span))


def _excerpt(span: Span, line: str | None) -> Iterator[str]:
    if line is None or not line.strip():
        return
    number = f"{span.line:>5}"
    before, marked = line[: span.column - 1], line[span.column - 1 : span.end - 1]
    yield f"{number} | {visible(line)}"
    yield f"{' ' * len(number)} | {' ' * _columns(before)}{'^' * max(1, _columns(marked))}"


def unified_diff(change: Change) -> Iterator[str]:
    """Return what changes in one file, as `diff -u` shows it; a file that is made or goes is compared with none."""
    before, after = (None if text is None else text.splitlines() for text in (change.before, change.after))
    old = "/dev/null" if before is None else f"a/{change.path}"
    new = "/dev/null" if after is None else f"b/{change.path}"
    if not before and not after:  # an empty file shows no line, so its name has to do
        yield from (f"--- {old}", f"+++ {new}")
    yield from map(visible, difflib.unified_diff(before or [], after or [], old, new, lineterm=""))


def visible(text: str) -> str:
    """Return a text without what a terminal would obey; schema text may hold such characters."""
    return "".join(
        char if char.isprintable() else " " if char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
