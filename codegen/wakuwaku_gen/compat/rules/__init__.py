"""All rules of compatibility, each declared with the change it finds."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.compat.rules import events, fields, runtime, types
from wakuwaku_gen.compat.rules.rule import CompatRule

__all__ = ["ALWAYS", "BY_ID", "RULES", "SUBJECTS", "CompatRule", "current_id"]

#: The rules by what they are about, as pages show them.
SUBJECTS: Final = {
    "Events and names": events.RULES,
    "Fields and their types": fields.RULES,
    "Enums and unions": types.RULES,
    "What the runtime does with a record": runtime.RULES,
}
#: Every rule, sorted by id.
RULES: Final[tuple[CompatRule, ...]] = tuple(
    sorted((rule for rules in SUBJECTS.values() for rule in rules), key=lambda rule: rule.id)
)
BY_ID: Final = {rule.id: rule for rule in RULES}
#: Rules that fail whatever the level.
ALWAYS: Final = frozenset(rule.id for rule in RULES if rule.always)
_FORMER: Final = {former: rule.id for rule in RULES for former in rule.once}


def current_id(rule_id: str) -> str:
    """Return the id a rule has now; ids that were given up lead to those that took their place."""
    return _FORMER.get(rule_id, rule_id)
