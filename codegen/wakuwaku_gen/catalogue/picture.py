"""A topic as a Mermaid picture: its key, and its events by tag, with their fences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wakuwaku_gen.model.schema import EventModel, KeyModel, TopicModel

__all__ = ["picture"]

_SHAPES: Final = {"relaxed": ("[", "]"), "acquire": ("[/", "\\]"), "release": ("[\\", "/]"), "acq_rel": ("{{", "}}")}


def picture(topic: TopicModel, key: KeyModel) -> Iterator[str]:
    """Yield the lines of the picture; names of types and topics need no escaping, and nothing else is in it."""
    yield "```mermaid"
    yield "flowchart LR"
    yield f'    topic[("{topic.name}")]'
    yield f'    key["{key.id.name}"] --> topic'
    for event in topic.events:
        opening, closing = _SHAPES[event.ordering]
        yield f'    topic --> event{event.tag}{opening}"{_label(event)}"{closing}'
    yield "```"
    yield ""


def _label(event: EventModel) -> str:
    fence = "" if event.ordering == "relaxed" else f", {event.ordering}"
    return f"{event.tag} {event.id.name}<br>{event.algebra}{fence}"
