"""Names made from other names must not meet: not each other, and not those the schema declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from wakuwaku_gen.diagnostics import Diagnostics, Note, Span
from wakuwaku_gen.model.schema import EventModel, KeyModel, TopicModel

__all__ = ["check_derived"]

#: A Python name, where it comes from, and what it is called in a message.
_Made: TypeAlias = tuple[str, Span, str]


def check_derived(
    types: Mapping[str, Span],
    keys: Sequence[KeyModel],
    topics: Sequence[TopicModel],
    events: Sequence[EventModel],
    diagnostics: Diagnostics,
) -> None:
    """Report generated names of a namespace that are made twice; `types` are those it declares."""
    spans = {key.id: key.places.get("topic", key.span) for key in keys}
    declared = [(name, span, f"the type {name!r}") for name, span in types.items()]
    contracts = [made for event in events for made in _classes(event)]
    topics = tuple(
        {topic.name: topic for topic in reversed(topics)}.values()
    )  # a topic of two keys is an error of its own
    bundles = [(topic.bundle, spans[topic.key], f"the handler bundle of topic {topic.name!r}") for topic in topics]
    check = _Meetings(diagnostics).check
    check([*declared, *contracts, *bundles])
    codecs = [(event.names.codec, event.span, f"the codec of {event.id.name!r}") for event in events]
    tables = [(topic.codecs, spans[topic.key], f"the codecs of topic {topic.name!r}") for topic in topics]
    check([*codecs, *tables])
    check([made for event in events for made in _modules(event)])


def _classes(event: EventModel) -> Iterator[_Made]:
    yield event.names.contract, event.span, f"the contract of {event.id.name!r}"
    yield event.names.handler, event.span, f"the handler of {event.id.name!r}"
    if event.custom:
        yield event.names.combiner_contract, event.span, f"the combiner contract of {event.id.name!r}"
        yield event.names.combiner, event.span, f"the combiner of {event.id.name!r}"


def _modules(event: EventModel) -> Iterator[_Made]:
    yield event.names.module, event.span, f"the module of {event.id.name!r}"
    if event.custom:
        yield event.names.combiner_module, event.span, f"the module of the combiner of {event.id.name!r}"


class _Meetings:
    """Report names that meet, at most once per place."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics
        self._reported: set[Span] = set()

    def check(self, names: Iterable[_Made]) -> None:
        seen: dict[str, _Made] = {}
        for made in names:
            first = seen.setdefault(made[0], made)
            if first is made:
                continue
            first, second = sorted((first, made), key=lambda one: one[1])
            if second[1] not in self._reported:
                self._reported.add(second[1])
                message = f"{second[2]} and {first[2]} would both be called {made[0]!r}"
                notes = [Note(first[1], first[2])]
                self._diagnostics.error("WK111", second[1], message, "rename one of the two", notes=notes)
