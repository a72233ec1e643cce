"""Events, keys and codecs, as generated classes use them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.orders import ORDERS_CODECS, OrderKey, OrderPlaced, OrderShipped, PaymentReceived
from wakuwaku import Algebra, Codec, DecodeError, Event, EventType, Key, KeyType, Ordering
from wakuwaku.headers import Head, Record, parse_head

U64 = st.integers(0, 2**64 - 1)


def test_an_event_is_a_value() -> None:
    """Events with the same fields are equal and hash alike; another field makes another event."""
    event = OrderPlaced(order_id=7, customer="Ada")

    assert event == OrderPlaced(order_id=7, customer="Ada")
    assert hash(event) == hash(OrderPlaced(order_id=7, customer="Ada"))
    assert event != OrderPlaced(order_id=7, customer="Bob")
    assert event != OrderPlaced(order_id=8, customer="Ada")


def test_an_event_never_changes() -> None:
    """A handler can't alter the event that a retry will see again."""
    event: Any = OrderPlaced(order_id=7, customer="Ada")

    with pytest.raises(AttributeError):
        event.customer = "Bob"


def test_an_event_takes_names_only() -> None:
    """Two fields of one type can't be swapped by mistake."""
    make: Any = OrderPlaced

    with pytest.raises(TypeError):
        make(7, "Ada")


def test_an_event_knows_its_key() -> None:
    """Events of one key are found by comparing keys."""
    assert OrderPlaced(order_id=7, customer="Ada").key == OrderKey(order_id=7)
    assert PaymentReceived(order_id=7, amount_cents=1).key != OrderKey(order_id=8)


def test_the_base_class_has_no_key() -> None:
    """An event class that was not generated, and so lacks a key, can't pass for one of some key."""
    with pytest.raises(NotImplementedError):
        _ = Event().key


def test_events_stay_apart_unless_their_type_combines() -> None:
    """Only generated combine rules fold events."""
    shipped = OrderShipped(order_id=7, carrier="sea")

    assert shipped.combine(shipped) is None


@given(amounts=st.lists(st.integers(-(2**31), 2**31), min_size=3, max_size=3))
def test_combining_is_associative(amounts: list[int]) -> None:
    """It does not matter which neighbours fold first."""
    first, second, third = (PaymentReceived(order_id=7, amount_cents=amount) for amount in amounts)

    assert first.combine(second).combine(third) == first.combine(second.combine(third))
    assert first.combine(second).amount_cents == amounts[0] + amounts[1]


def test_an_event_type_tells_its_topic() -> None:
    """The topic belongs to the key type; all events of a key are in one topic."""
    kind = OrderPlaced.__wakuwaku__

    assert kind.topic == "orders"
    assert repr(kind) == "<event type shop.OrderPlaced, tag 1 of topic 'orders'>"
    assert repr(OrderKey.__wakuwaku__) == "<key type shop.OrderKey of topic 'orders'>"


def test_an_event_type_writes_its_headers() -> None:
    """The three headers say tag, key hash and the declared laws."""
    record = Record(OrderPlaced.__wakuwaku__.head(99), b"")

    assert parse_head(record) == Head(1, 99, Ordering.ACQUIRE, Algebra.IDEMPOTENT)


def test_one_event_may_be_sent_with_another_ordering() -> None:
    """A publisher may override the fence of a single event; the algebra stays as declared."""
    record = Record(OrderPlaced.__wakuwaku__.head(99, Ordering.RELEASE), b"")

    assert parse_head(record) == Head(1, 99, Ordering.RELEASE, Algebra.IDEMPOTENT)


def test_key_values_tell_equal_keys_apart_from_equal_hashes() -> None:
    """A key and an event of it give the same values, another key gives others."""
    values = OrderKey.__wakuwaku__.values

    assert values(OrderKey(order_id=7)) == values(PaymentReceived(order_id=7, amount_cents=1))
    assert values(OrderKey(order_id=7)) != values(OrderKey(order_id=8))


def test_key_values_hold_every_field_of_the_key() -> None:
    """Keys of several fields differ when one of them does."""

    class ShelfKey(Key, frozen=True, kw_only=True):
        shop: int
        shelf: str

    kind = KeyType(name="shop.ShelfKey", topic="shelves", layout={"shop": "u8", "shelf": "str"})

    assert kind.values(ShelfKey(shop=1, shelf="a")) == (1, "a")
    assert kind.hash(ShelfKey(shop=1, shelf="a")) != kind.hash(ShelfKey(shop=1, shelf="b"))


@given(order_id=U64, customer=st.text(), total_cents=st.integers(-(2**63), 2**63 - 1))
def test_a_body_decodes_to_the_event_it_was(order_id: int, customer: str, total_cents: int) -> None:
    """Decoding undoes encoding."""
    codec = Codec(OrderPlaced)
    event = OrderPlaced(order_id=order_id, customer=customer, total_cents=total_cents)

    assert codec.decode(codec.encode(event)) == event


def test_a_body_is_a_map_by_field_name() -> None:
    """Any MessagePack library in any language reads a body."""
    body = ORDERS_CODECS[3].encode(OrderShipped(order_id=7, carrier="sea"))

    assert msgspec.msgpack.decode(body) == {"order_id": 7, "carrier": "sea"}


def test_a_reader_skips_fields_it_does_not_know_and_fills_in_defaults() -> None:
    """Older and newer versions of an event read each other's bodies."""
    body = msgspec.msgpack.encode({"order_id": 7, "customer": "Ada", "loyalty": "gold"})

    assert Codec(OrderPlaced).decode(body) == OrderPlaced(order_id=7, customer="Ada", total_cents=0)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (msgspec.msgpack.encode({"order_id": 7}), r"missing required field `customer`"),
        (msgspec.msgpack.encode({"order_id": "7", "customer": "Ada"}), r"\$\.order_id"),
        (msgspec.msgpack.encode({"order_id": 7, "customer": "Ada"})[:-1], r"truncated"),
        (b"", r"truncated"),
        (b"\xc1", r"malformed"),
        (b"\x91" * 100_000, r"array"),
        (b"\x82\xa8order_id\x07\xa8customer\xa1\xff", r"."),
    ],
    ids=["missing field", "wrong type", "cut short", "empty", "not MessagePack", "deeply nested", "not UTF-8"],
)
def test_an_undecodable_body_names_event_and_reason(body: bytes, reason: str) -> None:
    """Whatever bytes a log holds, the error is ours and says which event and field is wrong."""
    with pytest.raises(DecodeError, match=rf"^shop\.OrderPlaced: .*{reason}") as caught:
        Codec(OrderPlaced).decode(body)

    assert caught.value.__cause__ is not None


def test_a_decimal_that_a_check_can_not_compute_with_does_not_decode() -> None:
    """A number of 99 digits has no remainder that fits decimal arithmetic: the record is refused."""

    class Paid(OrderPlaced, frozen=True, kw_only=True):
        total: Decimal

        def __post_init__(self) -> None:
            if self.total % Decimal("0.01") != 0:
                raise ValueError

    body = msgspec.msgpack.encode({"order_id": 7, "customer": "Ada", "total": "1E+99"})
    with pytest.raises(DecodeError, match=r"^shop\.OrderPlaced: .*DivisionImpossible"):
        Codec(Paid).decode(body)


def test_a_codec_tells_its_event() -> None:
    """A codec in a debugger or a message is recognised."""
    assert repr(Codec(OrderPlaced)) == "Codec(OrderPlaced)"


def test_a_type_with_every_law_of_its_own() -> None:
    """An event type keeps what it is declared with."""
    kind = EventType(
        name="shop.Seen", tag=9, key=OrderKey, algebra=Algebra.IDEMPOTENT_COMMUTATIVE, ordering=Ordering.RELAXED
    )

    assert (kind.name, kind.tag, kind.key, kind.topic) == ("shop.Seen", 9, OrderKey, "orders")
