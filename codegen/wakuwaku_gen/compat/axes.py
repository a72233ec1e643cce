"""The directions in which two versions have to get along, and how well they do."""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields
from typing import Final

__all__ = ["LEVELS", "Axes", "Axis", "Level", "Verdict"]


class Verdict(enum.Enum):
    """Tell how a change fares: fine, another meaning or not for every value, or records are lost."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"

    @property
    def weight(self) -> int:
        """Return a number that grows with the harm."""
        return _WEIGHTS[self.value]


_WEIGHTS: Final = {verdict.value: weight for weight, verdict in enumerate(Verdict)}


class Axis(enum.Enum):
    """Name a direction."""

    BACKWARD = "backward"  # a new reader meets old bytes: replay, retry backlog
    FORWARD = "forward"  # an old reader meets new bytes: a rolling deploy, a lagging consumer
    RELAY = "relay"  # an old consumer folds new events and writes them again
    SOURCE = "source"  # code written against the generated classes


class Level(enum.Enum):
    """Name what a project asks for."""

    BACKWARD = "backward"
    FORWARD = "forward"
    FULL = "full"
    SOURCE = "source"


#: The axes on which an error fails, by level.
LEVELS: Final = {
    Level.BACKWARD: frozenset({Axis.BACKWARD}),
    Level.FORWARD: frozenset({Axis.FORWARD, Axis.RELAY}),
    Level.FULL: frozenset({Axis.BACKWARD, Axis.FORWARD, Axis.RELAY}),
    Level.SOURCE: frozenset(Axis),
}


@dataclass(frozen=True, slots=True)
class Axes:
    """Hold a verdict for each direction."""

    backward: Verdict = Verdict.OK
    forward: Verdict = Verdict.OK
    relay: Verdict = Verdict.OK
    source: Verdict = Verdict.OK

    @classmethod
    def of(cls, text: str) -> Axes:
        """Read four letters, one for each direction: `.` fine, `W` warning, `E` error."""
        letters = {".": Verdict.OK, "W": Verdict.WARNING, "E": Verdict.ERROR}
        return cls(*(letters[letter] for letter in text))

    def __str__(self) -> str:
        return "".join(".WE"[self.on(axis).weight] for axis in Axis)

    def on(self, axis: Axis) -> Verdict:
        """Return the verdict for a direction."""
        verdict: Verdict = getattr(self, axis.value)
        return verdict

    def joined(self, other: Axes) -> Axes:
        """Return the worse verdict for each direction."""
        return Axes(
            *(
                max(getattr(self, one.name), getattr(other, one.name), key=lambda each: each.weight)
                for one in fields(self)
            )
        )
