"""What a rule of compatibility is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CompatRule"]


@dataclass(frozen=True, slots=True)
class CompatRule:
    """Declare a rule: its id, what it is for, and two versions of a schema between which it finds a change.

    `before` and `after` are parts of a schema file, as in the rules of the schema itself; `before` may be several
    versions, oldest first. `axes` is what it finds there: four letters for backward, forward, relay and source, `.`
    fine, `W` warning, `E` error. A rule that is `always` on fails whatever the level, since order and delivery are at
    stake. Ids are
    stable; `once` has former ones.
    """

    id: str
    title: str
    purpose: str
    before: str | tuple[str, ...]
    after: str
    axes: str
    always: bool = False
    once: tuple[str, ...] = ()

    @property
    def versions(self) -> tuple[str, ...]:
        """Return the released versions of the example, oldest first."""
        return (self.before,) if isinstance(self.before, str) else self.before
