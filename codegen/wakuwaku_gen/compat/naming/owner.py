"""The event, key or struct whose fields are compared, as messages and fingerprints call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from wakuwaku_gen.compat.axes import Axes
from wakuwaku_gen.compat.breaks import Break
from wakuwaku_gen.compat.edit import Edit, Fix, Subject, measured
from wakuwaku_gen.compat.pairs import Ways
from wakuwaku_gen.diagnostics import Span
from wakuwaku_gen.model.schema import FieldModel

__all__ = ["Owner", "Sides"]


@dataclass(frozen=True, slots=True)
class Owner:
    """Say whose fields are compared.

    `identity` is what findings are told apart by: topic and tag of an event, the name of anything else. `topics` are
    those whose tombstones count. `recent` has the fields of the latest version by wire name, when an older one is
    compared; None when it is the latest that is.
    """

    kind: Literal["event", "key", "struct"]
    identity: str
    name: str
    namespace: str
    at: Span
    before: Span
    topics: tuple[str, ...] = ()
    recent: Mapping[str, FieldModel] | None = field(default=None, hash=False)

    @property
    def latest(self) -> bool:
        """Tell whether it is the latest version that is compared with."""
        return self.recent is None


@dataclass(frozen=True, slots=True)
class Sides:
    """Hold the places of a change, and what it is about, for the edits made there."""

    owner: Owner
    path: str
    at: Span
    before: Span

    def edit(
        self,
        rule: str,
        message: str,
        ways: Ways = Ways(),  # noqa: B008 - frozen
        axes: Axes = Axes(),  # noqa: B008 - frozen
        *,
        help_: str | None = None,
        detail: str = "",
        fix: Fix | None = None,
    ) -> Edit:
        """Return an edit here: its verdicts are those measured, and those given."""
        return Edit(
            rule,
            Subject(self.owner.identity, self.path),
            message,
            measured(ways.backward, ways.forward, ways.relay).joined(axes),
            self.at,
            self.before,
            help_,
            detail,
            tuple(one for one in ways.backward if isinstance(one, Break)),
            tuple(one for one in ways.forward if isinstance(one, Break)),
            tuple(one for one in ways.relay if isinstance(one, Break)),
            fix,
            axes,
        )
