"""What generated events, keys and enums do when they run."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.codegen.building import KEY, imported, model_of
from wakuwaku import Codec, DecodeError, Event

SCHEMA = (
    KEY
    + """
[enum.Colour]
open = true
values = ["RED"]
[enum.Level]
open = true
values = { LOW = 1 }
[enum.Size]
values = ["S"]

[struct.Node.fields]
children = { type = "list[Node]", default = [] }
labels = { type = "dict[str, i64]", default = { a = 1 } }
nested = { type = "tuple[list[dict[str, i64]], i64] | None" }

[event.Painted]
tag = 1
key = "BoxKey"
[event.Painted.fields]
colour = "Colour"
level = { type = "Level", default = "LOW" }
size = "Size | None"

[event.Weighed]
tag = 2
key = "BoxKey"
[event.Weighed.fields]
grams = { type = "Decimal", gt = 0, le = 1000.5, multiple_of = 0.5 }
refund = { type = "Decimal | None", ge = -5, lt = 5, wire = "Refund" }

[event.Counted]
tag = 3
key = "BoxKey"
[event.Counted.fields]
small = { type = "u8", gt = 0, lt = 10, default = 1 }
number = { type = "i64", default = 0 }
big = { type = "u64", default = 0 }
most = { type = "u64", le = 10, default = 0 }
beyond = { type = "u64 | None", gt = 9223372036854775807, lt = 18446744073709551615 }
step = { type = "u64", multiple_of = 9223372036854775809, default = 0 }
names = { type = "set[str]", max_length = 1, default = [] }
nodes = { type = "list[Node]", default = [] }
node = { type = "Node", default = { children = [{}] } }
pair = { type = "tuple[dict[str, i64], i64]", default = [{ a = 1 }, 2] }

[event.Traced]
tag = 4
key = "BoxKey"
[event.Traced.fields]
what = "str"
trace = { type = "str | None", compare = false }

[event.Added]
tag = 5
key = "BoxKey"
algebra = "associative"
[event.Added.fields]
amount = "i64"
currency = "str"
[event.Added.combine]
amount = "sum"
currency = "keep"
"""
)


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with imported(tmp_path_factory.mktemp("boxes"), boxes=SCHEMA) as package:
        yield package


def decode(event: type[Event], **values: object) -> Any:
    return Codec(event).decode(msgspec.msgpack.encode({"id": 1, **values}))


def test_an_open_enum_keeps_what_it_does_not_know(boxes: Any) -> None:
    """A value of a newer writer is a member of its own and goes out as it came in."""
    event = decode(boxes.Painted, colour="TEAL", level=7)

    assert (event.colour.value, event.colour.name, event.level.value) == ("TEAL", "TEAL", 7)
    assert event.colour == boxes.Colour("TEAL")
    assert msgspec.msgpack.decode(Codec(boxes.Painted).encode(event))["colour"] == "TEAL"
    assert msgspec.msgpack.decode(Codec(boxes.Painted).encode(event))["level"] == 7


@pytest.mark.parametrize(("field", "value"), [("colour", 3), ("level", "x"), ("size", "XL")])
def test_a_value_of_another_kind_is_no_member(boxes: Any, field: str, value: object) -> None:
    """Open enums stay text or number; closed ones refuse what they do not know."""
    with pytest.raises(DecodeError, match=field):
        decode(boxes.Painted, **{"colour": "RED", field: value})
    with pytest.raises(ValueError, match="not a valid"):
        {"colour": boxes.Colour, "level": boxes.Level, "size": boxes.Size}[field](value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"grams": "0"}, "> 0 - at `\\$.grams`"),
        ({"grams": "1001"}, "<= 1000.5"),
        ({"grams": "0.7"}, "multiple of 0.5"),
        ({"grams": "NaN"}, "grams"),
        ({"grams": "1", "Refund": "5"}, "< 5 - at `\\$.Refund`"),
        ({"grams": "1", "Refund": "-6"}, ">= -5"),
    ],
)
def test_decimals_out_of_bounds_are_refused(boxes: Any, values: dict[str, str], message: str) -> None:
    """The decoder names the field by its wire name."""
    with pytest.raises(DecodeError, match=message):
        decode(boxes.Weighed, **values)


def test_decimals_within_bounds_pass(boxes: Any) -> None:
    """The ends that belong to the range are in it."""
    event = decode(boxes.Weighed, grams="1000.5", Refund="-5")

    assert (event.grams, event.refund) == (Decimal("1000.5"), Decimal(-5))


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("small", 9, 10),
        ("small", 1, 0),
        ("number", 2**63 - 1, 2**63),
        ("number", -(2**63), 2**63),
        ("big", 2**64 - 1, -1),
        ("most", 10, 11),
        ("beyond", 2**63, 2**63 - 1),
        ("beyond", 2**64 - 2, 2**64 - 1),
        ("beyond", None, 0),
        ("step", 2**63 + 1, 2**63 + 2),
        ("names", ["a"], ["a", "b"]),
    ],
)
def test_widths_and_constraints_hold_when_decoding(boxes: Any, field: str, good: object, bad: object) -> None:
    """Every integer keeps its declared width, within its own bounds."""
    assert decode(boxes.Counted, **{field: good})
    with pytest.raises(DecodeError, match=field):
        decode(boxes.Counted, **{field: bad})


def test_defaults_are_never_shared(boxes: Any) -> None:
    """Two events hold two mappings, also deep in their defaults."""
    one, other = boxes.Counted(id=1), boxes.Counted(id=1)

    assert one.node.labels == {"a": 1}
    assert one.node.labels is not other.node.labels
    assert one.node.children[0].labels is not other.node.children[0].labels
    assert one.pair[0] is not other.pair[0]
    assert hash(boxes.BoxKey(id=1)) == hash(one.key)


def test_a_field_left_out_of_comparison_does_not_count(boxes: Any) -> None:
    """Retries of one fact are equal, and hash alike."""
    one, other = boxes.Traced(id=1, what="a", trace="x"), boxes.Traced(id=1, what="a", trace="y")

    assert one == other
    assert not one != other  # noqa: SIM202 - the other operator is what is tested
    assert hash(one) == hash(other)
    assert one != boxes.Traced(id=1, what="b", trace="x")
    assert one != "a"


def test_events_combine_by_their_rules(boxes: Any) -> None:
    """Two neighbours become one, unless their keys or a kept field differ."""
    one = boxes.Added(id=1, amount=2, currency="EUR")

    assert one.combine(boxes.Added(id=1, amount=3, currency="EUR")) == boxes.Added(id=1, amount=5, currency="EUR")
    assert one.combine(boxes.Added(id=2, amount=3, currency="EUR")) is None
    assert one.combine(boxes.Added(id=1, amount=3, currency="USD")) is None


def test_a_package_is_cheap_until_a_type_is_asked_for(boxes: Any) -> None:
    """The front has every type by name, and tells an unknown name like any module."""
    assert boxes.BoxKey.__wakuwaku__.topic == "boxes"
    assert list(boxes.__all__) == sorted(boxes.__all__)
    assert {"Added", "BoxKey", "Node"} <= set(boxes.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Missing'"):
        boxes.Missing  # noqa: B018


def test_a_model_holds_only_what_can_be_rendered(tmp_path: Path) -> None:
    """A layout of a key exists for every type a key may have."""
    fields = {"a": "bool", "b": "str", "c": "bytes", "d": "UUID", "e": "i8", "f": "u64"}
    lines = "\n".join(f'{name} = "{kind}"' for name, kind in fields.items())
    schema = f'[key.K]\ntopic = "t"\n[key.K.fields]\n{lines}\n'

    with imported(tmp_path, wide=schema) as package:
        assert package.K.__wakuwaku__.layout == fields

    assert model_of(tmp_path, wide=schema).namespaces[0].keys[0].topic == "t"


def test_an_event_in_which_nothing_of_the_later_one_counts_is_combined(tmp_path: Path) -> None:
    """Its key has one value only, and all its rules take the first one."""
    schema = """
[enum.Only]
values = ["ONE"]
[enum.Some]
open = true
values = ["ONE"]
[key.K]
topic = "t"
fields.only = "Only"
[key.L]
topic = "l"
fields.some = "Some"
[event.Seen]
tag = 1
key = "K"
algebra = "associative"
fields.x = "u8"
combine.x = "first"
[event.Met]
tag = 1
key = "L"
algebra = "associative"
"""
    with imported(tmp_path, one=schema) as package:
        first, later = (package.Seen(only=package.Only.ONE, x=x) for x in (1, 2))
        assert first.combine(later) == first
        known, unknown = (package.Met(some=package.Some(text)) for text in ("ONE", "TWO"))
        assert known.combine(known) == known
        assert known.combine(unknown) is None
