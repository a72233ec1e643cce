"""A change between two versions, by the name of its rule, with what it does to readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wakuwaku_gen.compat.axes import Axes, Verdict
from wakuwaku_gen.compat.breaks import Break, Doubt
from wakuwaku_gen.compat.relay import Loss
from wakuwaku_gen.diagnostics import Span

__all__ = ["Edit", "Fix", "KeepWire", "Reserve", "Subject", "measured"]


@dataclass(frozen=True, slots=True)
class Subject:
    """Say what a change is about: a topic and a tag, or a declared type, and a path inside."""

    owner: str  # "orders/1" or "shop.Line", names of the wire where the wire has one
    path: str = ""

    def __str__(self) -> str:
        return f"{self.owner}.{self.path}" if self.path else self.owner


@dataclass(frozen=True, slots=True)
class Reserve:
    """Write tombstones for a topic."""

    topic: str
    names: tuple[str, ...] = ()
    tags: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class KeepWire:
    """Keep the old name of a field on the wire; `kind` and `owner` name the table that declares it, `at` its file."""

    kind: str
    owner: str
    at: Span
    name: str
    wire: str


Fix: TypeAlias = Reserve | KeepWire


@dataclass(frozen=True, slots=True)
class Edit:
    """Name a change.

    `backward` and `forward` are what a reader refuses, from the fields of the records that differ; a verdict in `axes`
    that no break stands behind is one of meaning or of policy, not of decoding. `detail` tells this edit from another
    one of its rule at the same place; messages may change without it. `at` and `before` are the places in both
    versions.
    """

    rule: str
    subject: Subject
    message: str
    axes: Axes
    at: Span | None = None
    before: Span | None = None
    help: str | None = None
    detail: str = ""
    backward: tuple[Break, ...] = ()
    forward: tuple[Break, ...] = ()
    relay: tuple[Break, ...] = ()
    fix: Fix | None = None
    stated: Axes | None = None  # the verdicts of meaning or policy; None is all of them

    @property
    def unproven(self) -> Axes:
        """Return the verdicts that stand without a proof by decoding."""
        return self.axes if self.stated is None else self.stated


def measured(
    backward: Sequence[Break | Doubt], forward: Sequence[Break | Doubt], relay: Sequence[Break | Loss] = ()
) -> Axes:
    """Return the verdicts of what a reader refuses: an error for a break, a warning for a doubt or a loss."""
    return Axes(*(_worst(found) for found in (backward, forward, relay)))


def _worst(found: Sequence[Break | Doubt | Loss]) -> Verdict:
    if any(isinstance(one, Break) for one in found):
        return Verdict.ERROR
    return Verdict.WARNING if found else Verdict.OK
