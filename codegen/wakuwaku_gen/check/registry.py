"""All rules, and running those that look at the bound model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wakuwaku_gen.check import algebra, events, files, lint, names, values
from wakuwaku_gen.check.rule import Finding, Rule
from wakuwaku_gen.diagnostics import Diagnostic, Diagnostics, Severity, Span, did_you_mean
from wakuwaku_gen.model.schema import AllowModel, SchemaModel
from wakuwaku_gen.model.types import TypeName

__all__ = ["RULES", "check_schema", "rule_of"]

#: Every rule, sorted by id.
RULES: Final[tuple[Rule, ...]] = tuple(
    sorted(
        (*files.RULES, *names.RULES, *events.RULES, *values.RULES, *algebra.RULES, *lint.RULES),
        key=lambda rule: rule.id,
    )
)
_BY_ID: Final = {rule.id: rule for rule in RULES}
#: How rules of compatibility are called, which `wakuwaku compat` looks after.
_ELSEWHERE: Final = re.compile(r"[A-Z]+(?:_[A-Z]+)+")


def rule_of(rule_id: str) -> Rule:
    """Return the rule of an id such as `WK102`; raises `KeyError` when there is none."""
    return _BY_ID[rule_id]


def check_schema(model: SchemaModel, diagnostics: Diagnostics) -> None:
    """Hold a bound model to the rules; an `allow` permits what warnings and hints find at its place.

    Warnings and hints wait until there is no error: of half a model they would say what is not so.
    """
    for rule in RULES:
        if rule.severity is Severity.ERROR and rule.check is not None:
            for finding in rule.check(model):
                diagnostics.add(_diagnostic(rule, finding))
    for allow in model.allows:
        if not allow.rule.startswith("WK") and _ELSEWHERE.fullmatch(allow.rule):
            continue
        allowed = _BY_ID.get(allow.rule)
        if allowed is None:
            help_ = did_you_mean(allow.rule, _BY_ID)
            diagnostics.error("WK017", allow.span, f"there is no rule {allow.rule!r}", help_)
        elif allowed.severity is Severity.ERROR:
            diagnostics.error("WK017", allow.span, f"{allow.rule} is an error, which nothing permits", "remove it")
    if not diagnostics.failed:
        _lint(model, diagnostics)


def _lint(model: SchemaModel, diagnostics: Diagnostics) -> None:
    permits = _Permits(model.allows)
    for rule in RULES:
        if rule.severity is not Severity.ERROR and rule.check is not None:
            for finding in rule.check(model):
                if not permits.permit(rule, finding):
                    diagnostics.add(_diagnostic(rule, finding))
    for span, rule_id in permits.unused():
        diagnostics.add(_diagnostic(rule_of("WK050"), Finding(span, f"nothing here breaks {rule_id}", "remove it")))


def _diagnostic(rule: Rule, finding: Finding) -> Diagnostic:
    return Diagnostic(finding.span, rule.id, finding.message, finding.help, finding.notes, rule.severity)


class _Permits:
    """Know which findings are permitted, and which permits nobody needed."""

    def __init__(self, allows: tuple[AllowModel, ...]) -> None:
        self._spans: dict[tuple[TypeName | None, str | None, str], Span] = {
            (allow.owner, allow.field, allow.rule): allow.span for allow in allows if allow.rule in _BY_ID
        }
        self._used: set[tuple[TypeName | None, str | None, str]] = set()

    def permit(self, rule: Rule, finding: Finding) -> bool:
        """Tell whether a finding is permitted, at its field or at the declaration that holds it."""
        for place in ((finding.owner, finding.field, rule.id), (finding.owner, None, rule.id)):
            if place in self._spans:
                self._used.add(place)
                return True
        return False

    def unused(self) -> Iterator[tuple[Span, str]]:
        """Return the permits that were of no use."""
        return ((span, place[2]) for place, span in self._spans.items() if place not in self._used)
