"""What the table of keys says of a key that is left out, the model does."""

from __future__ import annotations

from pathlib import Path

from tests.codegen.building import model_of
from wakuwaku_gen.load.language import ROOT, Named, OneOf, Record, Shape

SCHEMA = """
[key.BoxKey]
topic = "boxes"
fields.id = "u64"
[enum.Kind]
values = ["ONE"]
[struct.Part]
fields.note = "str | None"
[union.Whole]
variants = ["Part"]
[event.Sold]
tag = 1
key = "BoxKey"
fields.note = "str | None"
"""


def defaults(shape: Shape) -> dict[str, object]:
    """Return all defaults of the table, by owner and key."""
    match shape:
        case Record(name, keys):
            own: dict[str, object] = {f"{name}: {key.name}": key.default for key in keys if key.default is not None}
            for key in keys:
                own |= defaults(key.shape)
            return own
        case Named(_, item):
            return defaults(item)
        case OneOf(shapes):
            return {name: value for one in shapes for name, value in defaults(one).items()}
        case _:
            return {}


def test_the_defaults_of_the_table_are_those_of_the_model(tmp_path: Path) -> None:
    """All of them: the reference page and editors show what the table says."""
    (shop,) = model_of(tmp_path, shop=SCHEMA).namespaces
    (key,), (enum,), (part,), (whole,), (sold,) = shop.keys, shop.enums, shop.structs, shop.unions, shop.events
    stability = {False: "stable", True: "draft"}

    assert defaults(ROOT) == {
        "a key: hash": key.hash,
        "a key: partitions": key.partitions,
        "an enum: open": enum.open,
        "an enum: stability": stability[enum.draft],
        "a struct: stability": stability[part.draft],
        "a union: stability": stability[whole.draft],
        "an event: stability": stability[sold.draft],
        "a field of a struct: required": not part.fields[0].has_default,
        "an event: algebra": sold.algebra,
        "an event: ordering": sold.ordering,
        "an event: max_batch": sold.max_batch,
        "a field of an event: required": not sold.fields[-1].has_default,
        "a field of an event: compare": sold.fields[-1].compare,
    }
