"""What all formats say the same way: consequences in the consumer's words, proofs, the plan, the summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wakuwaku_gen.compat import Axis, Finding, Level, Order, Outcome, Status, Verdict
from wakuwaku_gen.diagnostics import Severity

__all__ = ["consequences", "located", "plan_lines", "policy", "proofs", "shown", "span_of", "summary", "versions_of"]

_DROPPED: Final = {"TAG_CHANGED", "TOPIC_CHANGED", "EVENT_REMOVED", "EVENT_ADDED"}


def shown(outcome: Outcome, *, hints: bool) -> list[Finding]:
    """Return the findings people are shown: no hints and nothing approved, unless they ask."""
    return [one for one in outcome.findings if hints or (one.severity is not Severity.HINT and one.approved is None)]


def versions_of(finding: Finding) -> str:
    """Return the versions a finding was found against."""
    versions = finding.versions
    if not versions:
        return "this version"
    if len(versions) > 3:
        return f"{versions[0]}, {versions[1]} … {versions[-1]} ({len(versions)} versions)"
    return ", ".join(versions)


def consequences(finding: Finding) -> Iterator[str]:
    """Return what happens, to whom, for each direction in which something does."""
    versions = versions_of(finding)
    for axis in Axis:
        verdict = finding.axes.on(axis)
        if verdict is not Verdict.OK:
            said = _SPECIAL.get((finding.rule, axis)) or _consequence(finding, axis, verdict)
            yield said.format(versions=versions)
    if finding.evidence is not None:
        count = finding.evidence
        yield f"in the given logs this version does not read {count.unread} of {count.records} records"


def _consequence(finding: Finding, axis: Axis, verdict: Verdict) -> str:
    decodes = axis in finding.proofs
    if verdict is Verdict.WARNING:
        return _MAY[axis]
    if decodes:
        return _DEAD[axis]
    if finding.rule in _DROPPED:
        return _PASSED_OVER[axis]
    return _MEANS[axis]


_DEAD: Final = {
    Axis.BACKWARD: "consumers built from this version will dead-letter records written by {versions}",
    Axis.FORWARD: "consumers built from {versions} will dead-letter records written by this version",
    Axis.RELAY: "consumers built from this version will dead-letter records that one built from {versions} folded",
    Axis.SOURCE: "code written for {versions} does not fit the generated classes any more",
}
_PASSED_OVER: Final = {
    Axis.BACKWARD: "consumers built from this version will pass over records written by {versions}",
    Axis.FORWARD: "consumers built from {versions} will pass over records written by this version",
    Axis.RELAY: "consumers built from {versions} fold nothing of it",
    Axis.SOURCE: "code written for {versions} does not fit the generated classes any more",
}
_MEANS: Final = {
    Axis.BACKWARD: "consumers built from this version will misread records written by {versions}",
    Axis.FORWARD: "consumers built from {versions} will misread records written by this version",
    Axis.RELAY: "consumers built from {versions} will falsify records of this version that they fold",
    Axis.SOURCE: "code written for {versions} does not fit the generated classes any more",
}
_MAY: Final = {
    Axis.BACKWARD: "consumers built from this version may see another meaning in records written by {versions}",
    Axis.FORWARD: "consumers built from {versions} may see another meaning in records written by this version",
    Axis.RELAY: "consumers built from {versions} that fold this event send it on without what they do not know",
    Axis.SOURCE: "type checkers may complain about code written for {versions}",
}
_RESERVE: Final = "nothing is lost yet, and nothing keeps the name or tag from coming back as something else"
_ORDER: Final = "a key's records written by {versions} and by this version have no order among them"
_SPECIAL: Final = {
    ("EVENT_ADDED", Axis.FORWARD): "consumers built from {versions} will pass over its records",
    ("FIELD_REMOVED_NOT_RESERVED", Axis.BACKWARD): _RESERVE,
    ("FIELD_REMOVED_NOT_RESERVED", Axis.FORWARD): "the level does not matter: this is policy on every axis",
    ("RESERVED_REMOVED", Axis.BACKWARD): _RESERVE,
    ("RESERVED_REMOVED", Axis.FORWARD): "the level does not matter: this is policy on every axis",
    ("TAG_UNRESERVED", Axis.BACKWARD): _RESERVE,
    ("TAG_UNRESERVED", Axis.FORWARD): "the level does not matter: this is policy on every axis",
    ("KEY_FIELDS_CHANGED", Axis.BACKWARD): _ORDER,
    ("KEY_FIELDS_CHANGED", Axis.FORWARD): "a key in quarantine under its old hash is free under its new one",
    ("KEY_HASHER_CHANGED", Axis.BACKWARD): _ORDER,
    ("KEY_HASHER_CHANGED", Axis.FORWARD): "a key in quarantine under its old hash is free under its new one",
    ("TOPIC_PARTITIONS_CHANGED", Axis.BACKWARD): _ORDER,
    ("TOPIC_PARTITIONS_CHANGED", Axis.FORWARD): "a key in quarantine on its old partition is free on its new one",
    ("ALGEBRA_CHANGED", Axis.BACKWARD): "by its header, consumers built from this version will refuse every record"
    " written by {versions}, the retry backlog included",
    ("ALGEBRA_CHANGED", Axis.FORWARD): "by its header, consumers built from {versions} will refuse every record written"
    " by this version",
    (
        "EQUALITY_FIELD_REMOVED",
        Axis.BACKWARD,
    ): "consumers built from this version will drop records written by {versions} that differ in nothing else",
    ("EQUALITY_FIELD_ADDED", Axis.FORWARD): "consumers built from {versions} will drop records written by this version"
    " that differ in nothing else",
    ("COMBINE_CHANGED", Axis.BACKWARD): "what {versions} folded is folded on by another rule",
    ("COMBINE_CHANGED", Axis.FORWARD): "consumers built from {versions} go on folding by the old rule",
    (
        "FENCE_WEAKENED",
        Axis.FORWARD,
    ): "records of this version do not wait, or are not waited for, as those of {versions} were",
    (
        "FENCE_SWAPPED",
        Axis.FORWARD,
    ): "records of this version do not wait, or are not waited for, as those of {versions} were",
    ("FENCE_STRENGTHENED", Axis.FORWARD): "records written by {versions} keep the weaker fence they were written with",
    ("TAG_REUSED", Axis.BACKWARD): "consumers built from this version will take records written by {versions} for"
    " another event, where the shapes allow it",
    (
        "TAG_REUSED",
        Axis.FORWARD,
    ): "consumers built from {versions} will take records written by this version for another"
    " event, where the shapes allow it",
    (
        "DRAFT_TYPE_USED",
        Axis.BACKWARD,
    ): "a change of the draft will strand records of the event, and nobody will be told",
}


def proofs(finding: Finding) -> Iterator[tuple[str, str, str]]:
    """Return, for each direction with a proof: the direction, the bytes in hex, and the decoder's own words."""
    for axis in Axis:
        witness = finding.proofs.get(axis)
        if witness is not None:
            yield axis.value, witness.body.hex(), witness.error


def policy(finding: Finding, level: Level) -> str:
    """Return why a finding weighs what it does: the level, and the directions."""
    names = [axis.value for axis in Axis if finding.axes.on(axis) is not Verdict.OK]
    return f"level {level.value}; {', '.join(names) or 'no direction'}"


def span_of(finding: Finding) -> str:
    """Return the place of a finding in the present version, or where there is none, in the old one."""
    span = finding.edit.at or finding.edit.before
    return str(span) if span is not None else "schemas"


def located(finding: Finding) -> tuple[str, int, int, int]:
    """Return the file, line, column and end column of a finding, for formats that need one."""
    span = finding.edit.at or finding.edit.before
    return ("schemas", 1, 1, 2) if span is None else (str(span.file), span.line, span.column, span.end)


def plan_lines(outcome: Outcome) -> Iterator[str]:
    """Return the deploy plan as lines, the order first."""
    plan = outcome.plan
    if plan is None or not outcome.versions:
        return
    yield f"deploy: {plan.order.value}"
    if plan.order is not Order.ANY:
        yield from (f"  {number}. {step.text}" for number, step in enumerate(plan.steps, 1))


def summary(outcome: Outcome) -> str:
    """Return the last line: what was found against what."""
    open_ = [one for one in outcome.findings if one.approved is None]
    counts = [
        _count(sum(one.severity is severity for one in open_), severity.value)
        for severity in (Severity.ERROR, Severity.WARNING)
    ]
    approved = len(outcome.findings) - len(open_)
    said = " and ".join(counts)
    more = f", {approved} approved" if approved else ""
    against = _against(outcome.versions)
    if outcome.status is Status.FAILED:
        return "nothing was compared"
    return f"{said}{more} in {_count(outcome.events, 'event')} against {against} (level {outcome.level.value})"


def _against(versions: Sequence[str]) -> str:
    if not versions:
        return "no earlier version"
    return versions[0] if len(versions) == 1 else f"{len(versions)} versions, {versions[0]} to {versions[-1]}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
