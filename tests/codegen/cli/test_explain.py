"""`wakuwaku explain`: what a rule is for, at the place where it is met."""

from __future__ import annotations

import pytest

from tests.codegen.conftest import RunCommand
from wakuwaku_gen.check import RULES, Rule
from wakuwaku_gen.cli.explain import explain
from wakuwaku_gen.compat import RULES as COMPAT_RULES
from wakuwaku_gen.diagnostics import Severity


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_explained_with_both_examples(rule: Rule, run_command: RunCommand) -> None:
    """Title, severity, purpose, what breaks it and what does not; and the way to permit it, if there is one."""
    shown = run_command(explain, rule.id)

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith(f"{rule.id} {rule.title} ({rule.severity.value})\n\n{rule.purpose}\n\nBad:\n\n    ")
    for example in (rule.bad, rule.good):
        assert all(f"    {line}\n" in shown.out for line in example.splitlines() if line)
    assert (f'allow = {{ {rule.id} = "the reason" }}' in shown.out) == (rule.severity is not Severity.ERROR)


def test_without_an_id_all_rules_are_listed(run_command: RunCommand) -> None:
    """One line each; those of compatibility follow those of the schema."""
    lines = run_command(explain).out.splitlines()

    assert lines[0] == "WK001  error    no schema folder"
    assert [line.split()[0] for line in lines] == [*(rule.id for rule in RULES), *(rule.id for rule in COMPAT_RULES)]


def test_an_id_may_be_written_small(run_command: RunCommand) -> None:
    """As people type."""
    assert run_command(explain, "wk102").out.startswith("WK102 unknown type (error)\n")


@pytest.mark.parametrize(
    ("rule", "help_"), [("WK12", "did you mean 'WK112'?"), ("duplicate", "`wakuwaku explain` lists all rules")]
)
def test_an_unknown_id_is_wrong_use(rule: str, help_: str, run_command: RunCommand) -> None:
    """With the closest one, if there is any."""
    failed = run_command(explain, rule)

    assert (failed.code, failed.out) == (2, "")
    assert failed.err == f"error: there is no rule {rule!r}\nhelp: {help_}\n"
