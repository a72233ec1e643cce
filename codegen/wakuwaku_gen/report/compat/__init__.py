"""The printer of `wakuwaku compat`: one outcome, eight formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from wakuwaku_gen.compat import Outcome
from wakuwaku_gen.report.compat.data import json_text
from wakuwaku_gen.report.compat.github import github_text
from wakuwaku_gen.report.compat.gitlab import gitlab_text
from wakuwaku_gen.report.compat.junit import junit_text
from wakuwaku_gen.report.compat.markdown import markdown_text
from wakuwaku_gen.report.compat.plain import oneline_text, text_of
from wakuwaku_gen.report.compat.sarif import sarif_text
from wakuwaku_gen.report.plain import LineOf

__all__ = ["FORMATS", "CompatFormat", "print_compat"]

CompatFormat: TypeAlias = Literal["text", "oneline", "json", "github", "gitlab", "junit", "sarif", "markdown"]

_PROGRAMS: Final[Mapping[CompatFormat, Callable[[Outcome, str], str]]] = {
    "json": json_text,
    "gitlab": gitlab_text,
    "junit": junit_text,
    "sarif": sarif_text,
}
FORMATS: Final[tuple[CompatFormat, ...]] = (
    *("text", "oneline", "json", "github", "gitlab", "junit", "sarif", "markdown"),
)


def print_compat(
    outcome: Outcome, style: CompatFormat, line_of: LineOf, *, hints: bool = False, version: str = ""
) -> str:
    """Print an outcome; `line_of` returns the source line of a place, `version` is that of the tool.

    Formats for people leave hints and approved findings out unless `hints` asks for them; those for programs have all.
    """
    match style:
        case "text":
            return text_of(outcome, line_of, hints=hints)
        case "oneline":
            return oneline_text(outcome, hints=hints)
        case "github":
            return github_text(outcome, hints=hints)
        case "markdown":
            return markdown_text(outcome, hints=hints)
        case _:
            return _PROGRAMS[style](outcome, version)
