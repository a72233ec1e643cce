"""What all formats say the same way: verbs, reasons, summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from wakuwaku_gen.app import Outcome, Status
from wakuwaku_gen.diagnostics import Severity
from wakuwaku_gen.write import Action, Step, Why

__all__ = ["VERBS", "Remark", "count", "differences", "remarks", "summary"]

VERBS: Final = {Action.CREATE: "created", Action.UPDATE: "updated", Action.DELETE: "deleted", Action.KEEP: "unchanged"}
_REFUSALS: Final = {
    Why.EDITED: ("it was edited by hand", "undo the edit, or give it up with --force"),
    Why.FOREIGN: ("a file that is not ours is in the way", "move it elsewhere, or choose another folder with -o"),
    Why.BLOCKED: ("something is in the way", "move it elsewhere, or choose another folder with -o"),
}
_ORPHAN: Final = ("nothing in the schema needs this handler any more", "move what you still need, then delete the file")


@dataclass(frozen=True, slots=True)
class Remark:
    """Say what a user should know of a file that the run leaves alone."""

    path: PurePosixPath
    step: Step
    reason: str
    help: str


def differences(outcome: Outcome) -> Iterator[tuple[PurePosixPath, Step]]:
    """Return the steps that change something or would, each with its path as shown; none when the run was refused."""
    if outcome.status is not Status.REFUSED:
        for planned in outcome.planned:
            for step in planned.plan.differences:
                yield planned.shown / step.path, step


def remarks(outcome: Outcome) -> Iterator[Remark]:
    """Return what to say of files in the way, and of handlers nobody needs."""
    for planned in outcome.planned:
        for step in planned.plan.steps:
            if step.why is Why.ORPHANED:
                yield Remark(planned.shown / step.path, step, *_ORPHAN)
            elif step.action is Action.REFUSE:
                reason, help_ = _REFUSALS[step.why]
                if step.why is Why.BLOCKED:
                    reason = step.detail or reason
                elif step.detail:
                    reason = f"{reason}, and {step.detail}"
                yield Remark(planned.shown / step.path, step, reason, help_)


def summary(outcome: Outcome) -> str:
    """Return the line that ends a run."""
    if not outcome.planned:
        return f"{_problems(outcome)}; nothing was written"
    if outcome.status is Status.REFUSED:
        return f"{count(len(_steps(outcome, Action.REFUSE)), 'file')} in the way; nothing was written"
    found = f"{count(outcome.namespaces, 'namespace')}, {count(outcome.events, 'event')}"
    if outcome.status is Status.DIFFERENT:
        before = next((planned.plan.before for planned in outcome.planned if planned.plan.before.files), None)
        made_by = f" (last written by {before.tool})" if before is not None else ""
        differing = sum(len(planned.plan.differences) for planned in outcome.planned)
        return f"{found}: {count(differing, 'file')} not as the schema makes them{made_by}"
    counts = [(verb, len(_steps(outcome, action))) for action, verb in VERBS.items()]
    done = ", ".join(f"{number} {verb}" for verb, number in counts if number)
    return f"{found}: {done or 'nothing to do'} in {outcome.seconds:.1f} s"


def _problems(outcome: Outcome) -> str:
    numbers = {
        severity: sum(diagnostic.severity is severity for diagnostic in outcome.diagnostics)
        for severity in Severity
        if severity.at_least(outcome.fail_on)
    }
    told = [count(number, severity.value) for severity, number in numbers.items() if number]
    return ", ".join(told) or count(0, "error")


def _steps(outcome: Outcome, action: Action) -> Sequence[Step]:
    return [step for planned in outcome.planned for step in planned.plan.of(action)]


def count(number: int, noun: str) -> str:
    """Return a number with its noun, such as `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
