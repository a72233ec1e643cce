"""JUnit XML, which most CI servers show as tests: one for each event, failing where a finding concerns it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from wakuwaku_gen.compat import Finding, Outcome
from wakuwaku_gen.diagnostics import Severity
from wakuwaku_gen.report.compat.wording import consequences, span_of

__all__ = ["junit_text"]

#: Characters that XML 1.0 can't hold.
_UNFIT: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_text(outcome: Outcome, version: str) -> str:  # noqa: ARG001 - all formats for programs are made alike
    """Return one test suite; an error is a failure, and what kept the check from an answer is an error."""
    return "".join(f"{line}\n" for line in _lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    findings = [one for one in outcome.findings if one.approved is None and one.severity is not Severity.HINT]
    by_place: dict[str, list[Finding]] = {}
    for finding in findings:
        by_place.setdefault(finding.place, []).append(finding)
    failed = sum(any(one.severity is Severity.ERROR for one in held) for held in by_place.values())
    errors = int(outcome.failure is not None)
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield f'<testsuites tests="{len(by_place) + 1}" failures="{failed}" errors="{errors}">'
    yield f'  <testsuite name="wakuwaku compat" tests="{len(by_place) + 1}" failures="{failed}" errors="{errors}">'
    for place, held in by_place.items():
        yield from _case(place, held)
    if outcome.failure is None:
        yield f'    <testcase classname="schemas" name={_attribute(f"all {outcome.events} events were compared")}/>'
    else:
        yield '    <testcase classname="schemas" name="all events were compared">'
        yield f"      <error message={_attribute(outcome.failure.message)}>{_text(outcome.failure.help)}</error>"
        yield "    </testcase>"
    yield "  </testsuite>"
    yield "</testsuites>"


def _case(place: str, findings: Sequence[Finding]) -> Iterator[str]:
    yield f'    <testcase classname="schemas" name={_attribute(place)}>'
    errors = [one for one in findings if one.severity is Severity.ERROR]
    if errors:
        said = "\n\n".join(_told(one) for one in errors)
        yield f"      <failure type={_attribute(errors[0].rule)} message={_attribute(errors[0].edit.message)}>"
        yield f"{_text(said)}</failure>"
    warnings = [one for one in findings if one.severity is not Severity.ERROR]
    if warnings:
        said = "\n\n".join(_told(one) for one in warnings)
        yield f"      <system-out>{_text(said)}</system-out>"
    yield "    </testcase>"


def _told(finding: Finding) -> str:
    lines = [f"{span_of(finding)}: {finding.rule} {finding.edit.message}", *consequences(finding)]
    lines += [f"help: {finding.edit.help}"] if finding.edit.help is not None else []
    return "\n".join(lines)


def _text(text: str) -> str:
    return escape(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text))


def _attribute(text: str) -> str:
    return quoteattr(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text))
