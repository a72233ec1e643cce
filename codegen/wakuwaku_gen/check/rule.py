"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from wakuwaku_gen.diagnostics import Note, Severity, Span
from wakuwaku_gen.model.schema import SchemaModel
from wakuwaku_gen.model.types import TypeName

__all__ = ["Finding", "Rule"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Say where the model breaks a rule, and whose `allow` may permit it: the owner's, or that of one field of it."""

    span: Span
    message: str
    help: str | None = None
    notes: tuple[Note, ...] = ()
    owner: TypeName | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Declare a rule: its id, what it is for, and a schema that breaks it beside one that does not.

    `bad` and `good` are parts of a schema file: the version, the namespace and the key `OrderKey` are left out where
    they do not matter, and `# file: name.toml` starts another file. Of what a schema file can't show, they tell in
    comments. Ids are stable. A hundred holds one subject; its numbers from 50 on are warnings and hints.
    `check` finds where a bound model breaks the rule; rules without it are those that loading and binding report.
    """

    id: str
    title: str
    purpose: str
    bad: str
    good: str
    severity: Severity = Severity.ERROR
    check: Callable[[SchemaModel], Iterable[Finding]] | None = None
