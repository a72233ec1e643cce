"""The ten laws of a consumer, each checked against what happened in a simulation.

A law is a function that takes a trace and yields one line for each violation. It knows what was published and what the
consumer did as seen from outside: handler calls, appends, stored offsets. It never looks into the consumer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from wakuwaku.testing.laws.attempts import counted_attempts, quarantine
from wakuwaku.testing.laws.delivery import no_event_lost, no_event_twice
from wakuwaku.testing.laws.due import time
from wakuwaku.testing.laws.frontier import bounded, frontier
from wakuwaku.testing.laws.isolation import isolation
from wakuwaku.testing.laws.order import order
from wakuwaku.testing.laws.stop import stop
from wakuwaku.testing.trace import Trace

__all__ = ["LAWS", "violations"]

LAWS: Mapping[str, Callable[[Trace], Iterator[str]]] = {
    "order": order,
    "no event lost": no_event_lost,
    "no event twice": no_event_twice,
    "frontier": frontier,
    "quarantine": quarantine,
    "counted attempts": counted_attempts,
    "isolation": isolation,
    "bounded": bounded,
    "stop": stop,
    "time": time,
}

#: What still holds when two instances of a consumer run at once and nothing fences them off from each other.
_FOR_TWO = frozenset({"no event lost"})

#: What holds when leases do. A handler can't be fenced: one that runs when its instance loses the lease goes on beside
#: the other instance for a moment, so order between the two is not promised.
_FOR_TWO_WITH_LEASES = frozenset({"no event lost", "no event twice", "frontier"})


def violations(trace: Trace) -> dict[str, str]:
    """Return the first violation of each law that a trace breaks."""
    found: dict[str, str] = {}
    for name in _holding(trace):
        law = LAWS[name]
        first = next(law(trace), None)
        if first is not None:
            found[name] = first
    return found


def _holding(trace: Trace) -> Collection[str]:
    if trace.instances == 1:
        return LAWS.keys()
    return _FOR_TWO if trace.config.lease_seconds is None else _FOR_TWO_WITH_LEASES
