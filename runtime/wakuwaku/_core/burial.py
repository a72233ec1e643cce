"""Dead letters on their way to the dead-letter topic, and what waits until they are durable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from wakuwaku._core.commands import Dead
from wakuwaku._core.inputs import KeyAbandoned, KeyFinished

__all__ = ["AttemptOver", "Burial", "Over"]


class AttemptOver(msgspec.Struct, frozen=True):
    """Say how an attempt ended; `due` is monotonic seconds, None parks the key; `resolved` are retry offsets."""

    key: int
    attempts: int
    due: float | None
    resolved: Sequence[int]


Over: TypeAlias = AttemptOver | KeyFinished | KeyAbandoned


class Burial:
    """Keep dead letters in order, one append at a time.

    `main` are offsets of the main topic that are resolved, and `after` is what ended, an attempt or the work of a key,
    once the letters given with them are durable.
    """

    def __init__(self) -> None:
        self._waiting: list[Dead] = []
        self._waiting_main: list[int] = []
        self._waiting_after: list[Over] = []
        self._main: list[int] = []
        self._after: list[Over] = []
        self._under_way = False

    @property
    def idle(self) -> bool:
        """Tell whether nothing waits and nothing is being written."""
        return not (self._waiting or self._under_way)

    def add(self, dead: Sequence[Dead], *, main: Iterable[int] = (), after: Over | None = None) -> None:
        """Take letters in."""
        self._waiting.extend(dead)
        self._waiting_main.extend(main)
        if after is not None:
            self._waiting_after.append(after)

    def next_append(self) -> list[Dead]:
        """Return all that waits, or nothing while an append is under way."""
        if self._under_way or not self._waiting:
            return []
        self._under_way = True
        letters, self._waiting = self._waiting, []
        self._main, self._waiting_main = self._waiting_main, []
        self._after, self._waiting_after = self._waiting_after, []
        return letters

    def appended(self) -> tuple[Sequence[int], Sequence[Over]]:
        """Take in that the last append is durable; returns the main offsets and what waited for it."""
        self._under_way = False
        return self._main, self._after
