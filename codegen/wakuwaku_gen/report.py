"""The one printer: an outcome as text for people, as JSON, or as annotations for GitHub."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal, TypeAlias, assert_never

from wakuwaku_gen.app import Outcome, Status
from wakuwaku_gen.diagnostics import Diagnostic, Severity, Span
from wakuwaku_gen.write import Action, Step, Why

__all__ = ["Format", "Printed", "print_outcome"]

Format: TypeAlias = Literal["text", "json", "github"]

_VERBS: Final = {Action.CREATE: "created", Action.UPDATE: "updated", Action.DELETE: "deleted", Action.KEEP: "unchanged"}
_REFUSALS: Final = {
    Why.EDITED: ("it was edited by hand", "undo the edit, or give it up with --force"),
    Why.FOREIGN: ("a file that is not ours is in the way", "move it elsewhere, or choose another folder with -o"),
    Why.BLOCKED: ("something is in the way", "move it elsewhere, or choose another folder with -o"),
}
_ORPHAN: Final = ("nothing in the schema needs this handler any more", "move what you still need, then delete the file")
_GITHUB_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


@dataclass(frozen=True, slots=True)
class Printed:
    """Hold what goes to standard output and to standard error, whole lines each."""

    out: str
    err: str = ""


def print_outcome(
    outcome: Outcome,
    style: Format,
    output: PurePosixPath,
    line_of: Callable[[Span], str | None],
) -> Printed:
    """Print an outcome; files show below `output`, and `line_of` returns the source line of a place or None."""
    match style:
        case "text":
            return Printed(_joined(_text_out(outcome, output)), _joined(_text_err(outcome, output, line_of)))
        case "json":
            return Printed(_json(outcome, output))
        case "github":
            return Printed(_joined(_github(outcome, output)))
        case _:
            assert_never(style)


def _joined(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


# Text


def _text_out(outcome: Outcome, output: PurePosixPath) -> Iterator[str]:
    for step in _shown(outcome):
        verb = step.why.value if outcome.status is Status.DIFFERENT else _VERBS[step.action]
        yield f"{verb:<8} {output / step.path}"
    if outcome.plan is not None and outcome.status is not Status.REFUSED:
        yield _summary(outcome)


def _text_err(outcome: Outcome, output: PurePosixPath, line_of: Callable[[Span], str | None]) -> Iterator[str]:
    for diagnostic in outcome.diagnostics:
        yield from _diagnostic_text(diagnostic, line_of)
    if outcome.failure is not None:
        yield f"error: {_visible(outcome.failure.message)}"
        yield f"help: {_visible(outcome.failure.help)}"
    for step, (reason, help_) in _remarks(outcome):
        yield f"{output / step.path}: {reason}"
        yield f"help: {help_}"
    if outcome.status in (Status.INVALID, Status.REFUSED):
        yield _summary(outcome)


def _diagnostic_text(diagnostic: Diagnostic, line_of: Callable[[Span], str | None]) -> Iterator[str]:
    level = "" if diagnostic.severity is Severity.ERROR else f"{diagnostic.severity.value}: "
    yield f"{diagnostic.span}: {diagnostic.rule} {level}{_visible(diagnostic.message)}"
    yield from _excerpt(diagnostic.span, line_of(diagnostic.span))
    if diagnostic.help is not None:
        yield f"help: {_visible(diagnostic.help)}"
    for note in diagnostic.notes:
        yield f"note: {note.span}: {_visible(note.message)}"
        yield from _excerpt(note.span, line_of(note.span))


def _excerpt(span: Span, line: str | None) -> Iterator[str]:
    if line is None or not line.strip():
        return
    number = f"{span.line:>5}"
    before, marked = line[: span.column - 1], line[span.column - 1 : span.end - 1]
    yield f"{number} | {_visible(line)}"
    yield f"{' ' * len(number)} | {' ' * _columns(before)}{'^' * max(1, _columns(marked))}"


def _visible(text: str) -> str:
    # Schema text may hold what a terminal would obey.
    return "".join(
        char if char.isprintable() else " " if char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


# JSON


def _json(outcome: Outcome, output: PurePosixPath) -> str:
    steps = outcome.plan.steps if outcome.plan is not None else ()
    failure = outcome.failure
    value = {
        "status": outcome.status.value,
        "exit_code": outcome.status.exit_code,
        "diagnostics": [_diagnostic_json(diagnostic) for diagnostic in outcome.diagnostics],
        "failure": None if failure is None else {"message": failure.message, "help": failure.help},
        "files": [
            {
                "path": str(output / step.path),
                "kind": step.kind.value,
                "action": step.action.value,
                "why": step.why.value,
            }
            for step in steps
        ],
        "namespaces": outcome.namespaces,
        "events": outcome.events,
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _diagnostic_json(diagnostic: Diagnostic) -> dict[str, object]:
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


# GitHub


def _github(outcome: Outcome, output: PurePosixPath) -> Iterator[str]:
    for diagnostic in outcome.diagnostics:
        span = diagnostic.span
        place = f"line={span.line},endLine={span.line},col={span.column},endColumn={span.end}"
        lines = [diagnostic.message]
        lines += [f"help: {diagnostic.help}"] if diagnostic.help is not None else []
        lines += [f"note: {note.span}: {note.message}" for note in diagnostic.notes]
        level = _GITHUB_LEVELS[diagnostic.severity]
        yield _command(level, f"file={_property(str(span.file))},{place},title={diagnostic.rule}", "\n".join(lines))
    if outcome.failure is not None:
        yield _command("error", "title=wakuwaku-gen", f"{outcome.failure.message}\nhelp: {outcome.failure.help}")
    if outcome.status is Status.DIFFERENT:
        for step in _shown(outcome):
            place = f"file={_property(str(output / step.path))},title={step.why.value}"
            yield _command("error", place, "this file is not what the schema makes; run wakuwaku-gen and commit it")
    for step, (reason, help_) in _remarks(outcome):
        level = "error" if step.action is Action.REFUSE else "warning"
        place = f"file={_property(str(output / step.path))},title={step.why.value}"
        yield _command(level, place, f"{reason}\nhelp: {help_}")
    if outcome.failure is None:
        yield _summary(outcome)


def _command(level: str, properties: str, message: str) -> str:
    return f"::{level} {properties}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


# What all formats share


def _shown(outcome: Outcome) -> Sequence[Step]:
    if outcome.plan is None or outcome.status is Status.REFUSED:
        return ()
    return outcome.plan.differences


def _remarks(outcome: Outcome) -> Iterator[tuple[Step, tuple[str, str]]]:
    for step in outcome.plan.steps if outcome.plan is not None else ():
        if step.why is Why.ORPHANED:
            yield step, _ORPHAN
        elif step.action is Action.REFUSE:
            reason, help_ = _REFUSALS[step.why]
            yield step, (step.detail or reason if step.why is Why.BLOCKED else _with(reason, step.detail), help_)


def _with(reason: str, detail: str) -> str:
    return f"{reason}, and {detail}" if detail else reason


def _summary(outcome: Outcome) -> str:
    if outcome.plan is None:
        errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in outcome.diagnostics)
        return f"{_count(errors, 'error')}; nothing was written"
    if outcome.status is Status.REFUSED:
        refused = len(outcome.plan.of(Action.REFUSE))
        return f"{_count(refused, 'file')} in the way; nothing was written"
    found = f"{_count(outcome.namespaces, 'namespace')}, {_count(outcome.events, 'event')}"
    if outcome.status is Status.DIFFERENT:
        differing = len(outcome.plan.differences)
        made_by = f" (last written by {outcome.plan.before.tool})" if outcome.plan.before.files else ""
        return f"{found}: {_count(differing, 'file')} not as the schema makes them{made_by}"
    counts = [(verb, len(outcome.plan.of(action))) for action, verb in _VERBS.items()]
    done = ", ".join(f"{number} {verb}" for verb, number in counts if number)
    return f"{found}: {done or 'nothing to do'} in {outcome.seconds:.1f} s"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
