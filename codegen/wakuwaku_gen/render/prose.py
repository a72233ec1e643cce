"""Sentences in the domain's words, for the docs of generated code."""

from __future__ import annotations

import re
from typing import Final

from wakuwaku_gen.model.schema import EventModel
from wakuwaku_gen.model.types import TypeName

__all__ = ["event_doc", "what_a_batch_holds"]

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SEEN: Final = {
    "non_associative": "in log order",
    "associative": "in log order, neighbours combined into one",
    "idempotent": "in log order, equal neighbours collapsed",
    "commutative": "in any order",
    "idempotent_commutative": "in any order, equal ones collapsed",
}


def what_a_batch_holds(event: EventModel) -> str:
    """Tell what a batch of an event holds: "one order's events, in log order, equal neighbours collapsed."."""
    return f"one {_subject(event.key)}'s events, {_SEEN[event.algebra]}."


def event_doc(event: EventModel, topic: str) -> str:
    """Return an event's doc, or say what it is when it has none, and that it is deprecated when it is."""
    doc = event.doc.strip() or f"Event {event.tag} of topic {topic}."
    return doc if event.deprecated is None else f"{doc}\n\nDeprecated: {event.deprecated.strip()}"


def _subject(key: TypeName) -> str:
    name = key.name.removesuffix("Key") or key.name
    words: list[str] = _WORDS.findall(name)
    return " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words)
