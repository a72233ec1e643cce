"""The command `wakuwaku explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wakuwaku_gen.cli.terminal import fail, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wakuwaku_gen.check import Rule

__all__ = ["explain"]


def explain(
    rule: Annotated[str | None, typer.Argument(help="The id of a rule, such as WK102.", show_default="all")] = None,
) -> None:
    """Explain a rule that schemas are held to, with an example that breaks it; without an id, list all rules."""
    from wakuwaku_gen.check import RULES  # noqa: PLC0415 - so that `--help` is quick
    from wakuwaku_gen.diagnostics import did_you_mean  # noqa: PLC0415

    if rule is None:
        show([f"{one.id}  {one.severity.value:<7}  {one.title}" for one in RULES])
        return
    by_id = {one.id: one for one in RULES}
    found = by_id.get(rule.upper())
    if found is None:
        fail(f"there is no rule {rule!r}", did_you_mean(rule, by_id) or "`wakuwaku explain` lists all rules")
    show(_explained(found))


def _explained(rule: Rule) -> Iterator[str]:
    from wakuwaku_gen.diagnostics import Severity  # noqa: PLC0415

    yield f"{rule.id} {rule.title} ({rule.severity.value})"
    yield ""
    yield rule.purpose
    for kind, example in (("Bad:", rule.bad), ("Good:", rule.good)):
        yield ""
        yield kind
        yield ""
        yield from (f"    {line}".rstrip() for line in example.splitlines())
    if rule.severity is not Severity.ERROR:
        yield ""
        yield f'Where it is meant that way, say why: allow = {{ {rule.id} = "the reason" }}'
