"""All rules, and running those that look at the bound model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wakuwaku_gen.check import algebra, events, files, names, values
from wakuwaku_gen.check.rule import Finding, Rule
from wakuwaku_gen.diagnostics import Diagnostic, Diagnostics, Severity, Span, did_you_mean
from wakuwaku_gen.model.schema import AllowModel, SchemaModel
from wakuwaku_gen.model.types import TypeName

__all__ = ["RULES", "check_schema", "rule_of"]

#: Every rule, by id.
RULES: Final[tuple[Rule, ...]] = (*files.RULES, *names.RULES, *events.RULES, *values.RULES, *algebra.RULES)
_BY_ID: Final = {rule.id: rule for rule in RULES}


def rule_of(rule_id: str) -> Rule:
    """Return the rule of an id such as `WK102`; raises `KeyError` when there is none."""
    return _BY_ID[rule_id]


def check_schema(model: SchemaModel, diagnostics: Diagnostics) -> None:
    """Hold a bound model to the rules; an `allow` permits what warnings and hints find at its place."""
    permits = _Permits(model.allows)
    for rule in RULES:
        for finding in rule.check(model) if rule.check is not None else ():
            if rule.severity is Severity.ERROR or not permits.permit(rule, finding):
                diagnostics.add(
                    Diagnostic(finding.span, rule.id, finding.message, finding.help, finding.notes, rule.severity)
                )
    for allow in model.allows:
        allowed = _BY_ID.get(allow.rule)
        if allowed is None:
            help_ = did_you_mean(allow.rule, _BY_ID)
            diagnostics.error("WK017", allow.span, f"there is no rule {allow.rule!r}", help_)
        elif allowed.severity is Severity.ERROR:
            diagnostics.error("WK017", allow.span, f"{allow.rule} is an error, which nothing permits", "remove it")
    if not diagnostics.failed:
        for span, rule_id in permits.unused():
            message = f"nothing here breaks {rule_id}"
            diagnostics.add(Diagnostic(span, "WK050", message, "remove it", severity=rule_of("WK050").severity))


class _Permits:
    """Know which findings are permitted, and which permits nobody needed."""

    def __init__(self, allows: tuple[AllowModel, ...]) -> None:
        self._spans: dict[tuple[TypeName, str | None, str], Span] = {
            (allow.owner, allow.field, allow.rule): allow.span for allow in allows
        }
        self._used: set[tuple[TypeName, str | None, str]] = set()

    def permit(self, rule: Rule, finding: Finding) -> bool:
        """Tell whether a finding is permitted, at its field or at the declaration that holds it."""
        if finding.owner is None:
            return False
        for place in ((finding.owner, finding.field, rule.id), (finding.owner, None, rule.id)):
            if place in self._spans:
                self._used.add(place)
                return True
        return False

    def unused(self) -> Iterator[tuple[Span, str]]:
        """Return the permits that were of no use."""
        return ((span, place[2]) for place, span in self._spans.items() if place not in self._used)
