"""Places in schema files and what is wrong there, as values."""

from __future__ import annotations

import difflib
import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

__all__ = ["Diagnostic", "Diagnostics", "Note", "Severity", "Span", "closest", "did_you_mean"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Point at a stretch of one line of a file.

    Line and columns count from 1, columns in characters; `end` is exclusive. `file` is the path as it is shown to the
    user. A whole-file problem has line 1, column 1.
    """

    file: PurePosixPath
    line: int = 1
    column: int = 1
    end: int = 2

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Severity(enum.Enum):
    """Tell whether a diagnostic stops the run."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"

    def at_least(self, other: Severity) -> bool:
        """Tell whether this weighs as much as another severity, or more."""
        order = list(Severity)
        return order.index(self) <= order.index(other)


@dataclass(frozen=True, slots=True)
class Note:
    """Point at a second place that explains the first, such as the other one of two equal tags."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Say what is wrong at a place, and the way out."""

    span: Span
    rule: str
    message: str
    help: str | None = None
    notes: tuple[Note, ...] = ()
    severity: Severity = Severity.ERROR


@dataclass(slots=True)
class Diagnostics:
    """Collect diagnostics; a stage reports all it finds and goes on as far as it makes sense."""

    items: list[Diagnostic] = field(default_factory=list)

    def add(self, diagnostic: Diagnostic) -> None:
        """Collect one diagnostic."""
        self.items.append(diagnostic)

    def error(
        self,
        rule: str,
        span: Span,
        message: str,
        help: str | None = None,  # noqa: A002 - the name of the attribute
        *,
        notes: Iterable[Note] = (),
    ) -> None:
        """Collect an error of `rule` at a place."""
        self.add(Diagnostic(span, rule, message, help, tuple(notes)))

    def sorted(self) -> list[Diagnostic]:
        """Return all diagnostics by place, then by rule."""
        return sorted(self.items, key=lambda item: (item.span, item.rule, item.message))

    @property
    def failed(self) -> bool:
        """Tell whether there is an error among them."""
        return self.reach(Severity.ERROR)

    def reach(self, severity: Severity) -> bool:
        """Tell whether there is one of a severity, or of a heavier one, among them."""
        return any(item.severity.at_least(severity) for item in self.items)


def closest(word: str, words: Iterable[str]) -> str | None:
    """Return the one of `words` a user most likely meant by `word`, or None; letter case counts little."""
    by_folded = {candidate.casefold(): candidate for candidate in sorted(words, reverse=True)}
    found = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def did_you_mean(word: str, words: Iterable[str]) -> str | None:
    """Return the help line that names the closest of `words`, or None."""
    found = closest(word, words)
    return None if found is None else f"did you mean {found!r}?"
