"""The rules a schema is held to, and the checks over the bound model."""

from wakuwaku_gen.check.front import bind
from wakuwaku_gen.check.registry import RULES, check_schema, rule_of
from wakuwaku_gen.check.rule import Finding, Rule

__all__ = ["RULES", "Finding", "Rule", "bind", "check_schema", "rule_of"]
