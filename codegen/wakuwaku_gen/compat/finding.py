"""What the checker tells: a change, the versions it strands, the proof, and how heavy it weighs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from wakuwaku_gen.compat.axes import Axes, Axis
from wakuwaku_gen.compat.catalogue import Address
from wakuwaku_gen.compat.edit import Edit
from wakuwaku_gen.compat.witness import Witness
from wakuwaku_gen.diagnostics import Severity

__all__ = ["Count", "Finding", "fingerprint"]


@dataclass(frozen=True, slots=True)
class Count:
    """Tell how many records of a log were looked at, and how many of them this version does not read."""

    records: int
    unread: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Hold a finding.

    `versions` are those it was found against, oldest first; `events` the events it concerns, by topic and tag, with
    their names in `names`. `proofs` has bytes that show it, per direction; a direction without one is one of meaning or
    of policy. `approved` is the reason someone gave for letting it pass. `evidence` is what a log says of it.
    """

    edit: Edit
    axes: Axes
    severity: Severity
    versions: tuple[str, ...]
    events: tuple[Address, ...]
    names: tuple[str, ...]
    proofs: Mapping[Axis, Witness] = field(default_factory=dict[Axis, Witness])
    approved: str | None = None
    evidence: Count | None = None

    @property
    def rule(self) -> str:
        """Return the id of the rule."""
        return self.edit.rule

    @property
    def place(self) -> str:
        """Return what the finding is about, as approvals name it."""
        return str(self.edit.subject)

    @property
    def fingerprint(self) -> str:
        """Return what tells this finding from all others; neither messages nor versions change it."""
        return fingerprint(self.edit)


def fingerprint(edit: Edit) -> str:
    """Return the fingerprint of an edit: twelve hexadecimal digits."""
    text = "\0".join((edit.rule, str(edit.subject), edit.detail))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
