"""Walk through what happened, one method for each kind of event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from wakuwaku.testing.trace import Trace

__all__ = ["Seen", "walk"]

#: What looks at one event: it returns the violations it sees, or None.
Seen: TypeAlias = Callable[[Any], Iterable[str] | None]


def walk(trace: Trace, seen: Mapping[type[Any], Seen]) -> Iterator[str]:
    """Show each event to whom its type is for, in order, and yield what they say."""
    for one in trace.happened:
        look = seen.get(type(one))
        if look is not None:
            yield from look(one) or ()
