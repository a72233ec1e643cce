"""The one printer: an outcome as text for people, as JSON or SARIF for programs, or as annotations for GitHub."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from wakuwaku_gen.app import Outcome
from wakuwaku_gen.report.data import json_text
from wakuwaku_gen.report.github import github_lines
from wakuwaku_gen.report.plain import LineOf, diagnostics_text, text_err, text_out, unified_diff
from wakuwaku_gen.report.sarif import sarif_text

__all__ = ["Format", "LineOf", "Printed", "diagnostics_text", "print_outcome", "unified_diff"]

Format: TypeAlias = Literal["text", "json", "github", "sarif"]


@dataclass(frozen=True, slots=True)
class Printed:
    """Hold what goes to standard output and to standard error, whole lines each."""

    out: str
    err: str = ""


def print_outcome(
    outcome: Outcome, style: Format, line_of: LineOf, *, hints: bool = False, version: str = ""
) -> Printed:
    """Print an outcome. `line_of` returns the source line of a place or None; `version` is that of the tool.

    Text and GitHub annotations leave hints out unless `hints` asks for them; JSON and SARIF have all there is.
    """
    match style:
        case "text":
            return Printed(_joined(text_out(outcome)), _joined(text_err(outcome, line_of, hints=hints)))
        case "json":
            return Printed(json_text(outcome))
        case "github":
            return Printed(_joined(github_lines(outcome, hints=hints)))
        case "sarif":
            return Printed(sarif_text(outcome, version))
        case _:
            assert_never(style)


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
