"""The command `wakuwaku explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wakuwaku_gen.cli.terminal import fail, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wakuwaku_gen.check import Rule
    from wakuwaku_gen.compat import CompatRule

__all__ = ["explain"]


def explain(
    rule: Annotated[
        str | None, typer.Argument(help="The id of a rule, such as WK102 or ENUM_VALUE_ADDED.", show_default="all")
    ] = None,
) -> None:
    """Explain a rule that schemas or their changes are held to, with an example; without an id, list all rules."""
    from wakuwaku_gen.check import RULES  # noqa: PLC0415 - so that `--help` is quick
    from wakuwaku_gen.compat import rules as compat  # noqa: PLC0415
    from wakuwaku_gen.diagnostics import did_you_mean  # noqa: PLC0415

    if rule is None:
        show([f"{one.id}  {one.severity.value:<7}  {one.title}" for one in RULES])
        show([f"{one.id}  {one.title}" for one in compat.RULES])
        return
    by_id = {one.id: one for one in RULES}
    wanted = compat.current_id(rule.upper())
    if wanted in compat.BY_ID:
        show(_change_explained(compat.BY_ID[wanted]))
        return
    found = by_id.get(wanted)
    if found is None:
        help_ = did_you_mean(rule, [*by_id, *compat.BY_ID]) or "`wakuwaku explain` lists all rules"
        fail(f"there is no rule {rule!r}", help_)
    show(_explained(found))


def _change_explained(rule: CompatRule) -> Iterator[str]:
    from wakuwaku_gen.compat import Axes, Axis  # noqa: PLC0415

    axes = Axes.of(rule.axes)
    yield f"{rule.id} {rule.title}"
    yield ""
    yield rule.purpose
    yield ", ".join(f"{axis.value}: {axes.on(axis).value}" for axis in Axis)
    if rule.always:
        yield "It holds whatever the level."
    for kind, example in (*(("Before:", one) for one in rule.versions), ("After:", rule.after)):
        yield ""
        yield kind
        yield ""
        yield from (f"    {line}".rstrip() for line in example.rstrip().splitlines())
    yield ""
    yield f'Where it has to be, say why: allow = {{ {rule.id} = "the reason" }}, or in a file of approvals'


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
