"""What a type checker knows of events and codecs."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from typing import assert_type

from tests.runtime.orders import OrderPlaced, OrderShipped, PaymentReceived
from wakuwaku import Algebra, Codec, Ordering


def construct() -> None:
    """Fields are named, typed and, without a default, required."""
    OrderPlaced(order_id=7, customer="Ada")
    OrderPlaced(7, "Ada")  # type: ignore[call-arg]
    OrderPlaced(order_id=7)  # type: ignore[call-arg]
    OrderPlaced(order_id="7", customer="Ada")  # type: ignore[arg-type]
    OrderPlaced(order_id=7, customer="Ada", loyalty="gold")  # type: ignore[call-arg]


def combine(paid: PaymentReceived, shipped: OrderShipped) -> None:
    """Events of an associative type combine into one of their type."""
    assert_type(paid.combine(paid), PaymentReceived)
    assert_type(shipped.combine(shipped), OrderShipped | None)
    paid.combine(shipped)  # type: ignore[arg-type]


def encode(placed: OrderPlaced, shipped: OrderShipped) -> None:
    """A codec takes and gives events of its type."""
    codec = Codec(OrderPlaced)
    assert_type(codec.encode(placed), bytes)
    assert_type(codec.decode(b""), OrderPlaced)
    codec.encode(shipped)  # type: ignore[arg-type]
    codec.decode("text")  # type: ignore[arg-type]


def describe() -> None:
    """An event type tells its laws."""
    assert_type(OrderPlaced.__wakuwaku__.algebra, Algebra)
    assert_type(OrderPlaced.__wakuwaku__.ordering, Ordering)
    assert_type(OrderPlaced.__wakuwaku__.topic, str)
