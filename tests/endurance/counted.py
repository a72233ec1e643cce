"""A topic of numbered events that never fold, and how the programs of these tests tell what they did.

Each program appends short lines to a file of its own; what was written there outlives a kill of the program.
"""

from __future__ import annotations

import builtins
import os
import random
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from wakuwaku import Algebra, Codec, Event, EventType, Handler, HandlerBundle, Ignore, Key, KeyType, Ordering, Topic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["PARTITIONS", "Counted", "CountedContract", "CounterKey", "CountersHandlers", "Diary", "die_soon"]

PARTITIONS = 2


class CounterKey(Key, frozen=True, kw_only=True):
    """One counter."""

    counter: builtins.int

    __wakuwaku__: ClassVar[KeyType] = KeyType(
        name="test.CounterKey", topic="counters", layout={"counter": "u64"}, partitions=PARTITIONS
    )


class Counted(Event, frozen=True, kw_only=True):
    """A counter came to a number."""

    counter: builtins.int
    number: builtins.int

    __wakuwaku__: ClassVar[EventType[CounterKey]] = EventType(
        name="test.Counted", tag=1, key=CounterKey, algebra=Algebra.NON_ASSOCIATIVE, ordering=Ordering.RELAXED
    )

    @property
    def key(self) -> CounterKey:
        """Return the key this event belongs to."""
        return CounterKey(counter=self.counter)


CODECS: Mapping[builtins.int, Codec[Any]] = {1: Codec(Counted)}


class CountedContract(Handler[Counted]):
    """Apply Counted."""

    event = Counted


@dataclass(frozen=True, kw_only=True, slots=True)
class CountersHandlers(HandlerBundle):
    """Who handles the events of the topic counters."""

    __wakuwaku__ = Topic(name="counters", codecs=CODECS, fields={1: "counted"})

    counted: CountedContract | Ignore


class Diary:
    """Append lines to a file, each with one write."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, *words: object) -> None:
        """Append a line."""
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())


def die_soon(seconds: float) -> None:
    """Kill this process with SIGKILL at a random moment of the next seconds, whatever it is doing then."""

    def die() -> None:
        time.sleep(random.SystemRandom().uniform(0, seconds))
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=die, daemon=True).start()
