"""In which order to bring a change out: as values, for people and programs."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wakuwaku_gen.compat.axes import Verdict
from wakuwaku_gen.compat.finding import Finding

__all__ = ["Order", "Plan", "Step", "plan_of"]


class Order(enum.Enum):
    """Tell which order is safe."""

    ANY = "any order"
    CONSUMERS_FIRST = "consumers first"
    NOT_BY_ORDER = "not by order alone"

    @property
    def weight(self) -> int:
        """Return a number that grows with the care it takes."""
        return list(Order).index(self)


@dataclass(frozen=True, slots=True)
class Step:
    """Say one thing to do, and for which topic."""

    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Hold the order, what asks for it (places of findings), and the steps."""

    order: Order
    because: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


#: Changes no order of deploying helps against: records under the old tag, key or topic have to be gone first.
_DRAINED = {
    "TOPIC_CHANGED": "let the consumers of {topic!r} catch up and its retry topic run empty; then switch publishers and"
    " consumers to the new topic together",
    "TOPIC_PARTITIONS_CHANGED": "stop the publishers of {topic!r}, let its consumers catch up and its retry topic run"
    " empty, change the topic, start everything again",
    "KEY_FIELDS_CHANGED": "declare a new key type with a topic of its own beside {topic!r}; publish to the new one, let"
    " the consumers of the old one catch up, then remove it",
    "KEY_HASHER_CHANGED": "stop the publishers of {topic!r}, let its consumers catch up and its retry topic run empty,"
    " bring the new version out, start everything again",
    "FENCE_WEAKENED": "let the consumers of {topic!r} catch up to the last record with the old fence before a publisher"
    " sends one with the new",
    "FENCE_SWAPPED": "let the consumers of {topic!r} catch up to the last record with the old fence before a publisher"
    " sends one with the new",
    "COMBINE_CHANGED": "stop the old consumers of {topic!r} before the new ones start",
}
#: Changes of policy: they strand no record yet.
_HARMLESS_YET = {"FIELD_REMOVED_NOT_RESERVED", "RESERVED_REMOVED", "TAG_UNRESERVED", "DRAFT_TYPE_USED"}
_NEW_TAG = (
    "declare the changed event under a new tag beside the old one and bring consumers out that know both",
    "switch the publishers to the new tag",
    "let the consumers catch up, retry topic included; remove the old event when its records are gone",
)


def plan_of(findings: Iterable[Finding]) -> Plan:
    """Return the order that what was found asks for; approved findings count: records know of no approvals."""
    reasons: dict[Order, list[Finding]] = {order: [] for order in Order}
    for finding in findings:
        reasons[_order(finding)].append(finding)
    order = max((one for one, held in reasons.items() if held), key=lambda one: one.weight, default=Order.ANY)
    because = (
        tuple(dict.fromkeys(f"{one.rule} {one.place}" for one in reasons[order])) if order is not Order.ANY else ()
    )
    return Plan(order, because, tuple(_steps(order, reasons)))


def _order(finding: Finding) -> Order:
    axes = finding.axes
    if finding.rule in _HARMLESS_YET:
        return Order.ANY
    if finding.rule in _DRAINED and (axes.backward, axes.forward) != (Verdict.OK, Verdict.OK):
        return Order.NOT_BY_ORDER
    if axes.backward is Verdict.ERROR:
        return Order.NOT_BY_ORDER
    if axes.forward is not Verdict.OK or axes.relay is not Verdict.OK:
        return Order.CONSUMERS_FIRST
    return Order.ANY


def _steps(order: Order, reasons: dict[Order, list[Finding]]) -> Iterable[Step]:
    if order is Order.ANY:
        return
    new_tags: list[str] = []
    seen: set[tuple[str, str]] = set()
    for finding in reasons[Order.NOT_BY_ORDER]:
        for topic in _topics(finding):
            text = _DRAINED.get(finding.rule)
            if text is None:
                new_tags += [topic] if topic not in new_tags else []
            elif (topic, text) not in seen:
                seen.add((topic, text))
                yield Step(topic, text.format(topic=topic))
    for topic in new_tags:
        yield from (Step(topic, text) for text in _NEW_TAG)
    first = [topic for finding in reasons[Order.CONSUMERS_FIRST] for topic in _topics(finding)]
    for topic in dict.fromkeys(first):
        yield Step(topic, f"bring every consumer of {topic!r} out in the new version, then its publishers")


def _topics(finding: Finding) -> Sequence[str]:
    topics = list(dict.fromkeys(topic for topic, _ in finding.events))
    return topics or [finding.place.partition("/")[0].partition(".")[0]]
