"""`check_laws` finds planted lies and passes honest handlers."""

from __future__ import annotations

import builtins
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import strategies as st

from examples.shop.store import OrderStore
from generated.shop.events import PaymentReceived as GeneratedPayment
from generated.shop.handlers.order_placed import OrderPlacedHandler
from generated.shop.handlers.payment_received import PaymentReceivedHandler
from generated.shop.strategies import ORDER_PLACED, PAYMENT_RECEIVED
from tests.runtime.orders import OrderKey
from wakuwaku import Algebra, Batch, Event, EventType, HandleError, Handler, Ordering
from wakuwaku.testing import LawBrokenError, check_laws

if TYPE_CHECKING:
    from typing import Self

Rows = dict[int, Any]


def event_type(name: str, tag: int, algebra: Algebra) -> EventType[OrderKey]:
    return EventType(name=f"test.{name}", tag=tag, key=OrderKey, algebra=algebra, ordering=Ordering.RELAXED)


class Valued(Event, frozen=True, kw_only=True):
    """Be what the events have in common."""

    order_id: builtins.int
    value: builtins.int

    @property
    def key(self) -> OrderKey:
        return OrderKey(order_id=self.order_id)


class Priced(Valued, frozen=True, kw_only=True):
    """Promise that twice is once."""

    __wakuwaku__: ClassVar[EventType[OrderKey]] = event_type("Priced", 31, Algebra.IDEMPOTENT)


class Moved(Valued, frozen=True, kw_only=True):
    """Promise that order does not matter."""

    __wakuwaku__: ClassVar[EventType[OrderKey]] = event_type("Moved", 32, Algebra.COMMUTATIVE)


class Tagged(Valued, frozen=True, kw_only=True):
    """Promise both."""

    __wakuwaku__: ClassVar[EventType[OrderKey]] = event_type("Tagged", 33, Algebra.IDEMPOTENT_COMMUTATIVE)


class Told(Valued, frozen=True, kw_only=True):
    """Promise nothing."""

    __wakuwaku__: ClassVar[EventType[OrderKey]] = event_type("Told", 34, Algebra.NON_ASSOCIATIVE)


class Summed(Valued, frozen=True, kw_only=True):
    """Fold by adding."""

    count: builtins.int = 1

    __wakuwaku__: ClassVar[EventType[OrderKey]] = event_type("Summed", 35, Algebra.ASSOCIATIVE)

    def combine(self, later: Self) -> Self | None:
        return type(self)(order_id=self.order_id, value=self.value + later.value, count=self.count + later.count)


class Forgetful(Summed, frozen=True, kw_only=True):
    """Forget a field while folding."""

    __wakuwaku__: ClassVar[EventType[OrderKey]] = event_type("Forgetful", 36, Algebra.ASSOCIATIVE)

    def combine(self, later: Self) -> Self | None:
        return type(self)(order_id=self.order_id, value=self.value + later.value, count=later.count)


class Subtracted(Summed, frozen=True, kw_only=True):
    """Fold in a way that depends on who folds first."""

    __wakuwaku__: ClassVar[EventType[OrderKey]] = event_type("Subtracted", 37, Algebra.ASSOCIATIVE)

    def combine(self, later: Self) -> Self | None:
        return type(self)(order_id=self.order_id, value=self.value - later.value, count=self.count)


def drawn(kind: Any) -> Any:
    return st.builds(kind, order_id=st.integers(1, 5), value=st.integers(-5, 5))


Apply = Callable[[Rows, Batch[Any]], Awaitable[None] | None]


def handling(kind: type[Event], apply: Apply, *, max_batch: int = 3) -> Callable[[Rows], Handler[Any]]:
    """Return what makes a handler of a state; most handlers here are a line or two."""
    size = max_batch

    class Applies(Handler[Any]):
        event = kind
        max_batch = size

        def __init__(self, rows: Rows) -> None:
            self.rows = rows

        async def handle(self, events: Batch[Any]) -> None:
            result = apply(self.rows, events)
            if result is not None:
                await result

    return Applies


def sets(rows: Rows, batch: Batch[Any]) -> None:
    for event in batch:
        rows[event.order_id] = event.value


def adds(rows: Rows, batch: Batch[Any]) -> None:
    for event in batch:
        rows[event.order_id] = rows.get(event.order_id, 0) + event.value


def collects(rows: Rows, batch: Batch[Any]) -> None:
    for event in batch:
        rows[event.order_id] = rows.get(event.order_id, frozenset()) | {event.value}


def appends(rows: Rows, batch: Batch[Any]) -> None:
    for event in batch:
        rows[event.order_id] = [*rows.get(event.order_id, []), event.value]


def sums_and_counts(rows: Rows, batch: Batch[Any]) -> None:
    for event in batch:
        total, count = rows.get(event.order_id, (0, 0))
        rows[event.order_id] = (total + event.value, count + event.count)


def only_the_first(rows: Rows, batch: Batch[Any]) -> None:
    rows[batch[0].order_id] = [*rows.get(batch[0].order_id, []), batch[0].value]


def fails_on_the_second(rows: Rows, batch: Batch[Any]) -> None:
    for event in batch:
        if rows.get(event.order_id) == event.value:
            raise KeyError(f"order {event.order_id} has that price already")
        rows[event.order_id] = event.value


def up_to(rows: Rows, batch: Batch[Any]) -> None:
    """Add what comes after the newest offset that was applied."""
    total, offset = rows.get(batch[0].order_id, (0, None))
    fresh = batch.after(offset)
    if fresh is not None:
        rows[batch[0].order_id] = (total + sum(event.value for event in fresh), fresh.offsets[-1])


def total_of(rows: Rows) -> Rows:
    return {order_id: total for order_id, (total, _) in rows.items()}


LIES = {
    "an idempotent handler that adds instead of sets": (Priced, adds, "an event handled twice leaves what it leaves"),
    "a commutative handler that depends on the order": (Moved, appends, "events leave the same in any order"),
    "a handler that sets what was promised commutative": (Moved, sets, "events leave the same in any order"),
    "an idempotent and commutative one that counts": (
        Tagged,
        adds,
        "an event handled twice leaves what it leaves once",
    ),
    "an idempotent and commutative one that keeps the last": (Tagged, sets, "events leave the same in any order"),
    "a combine that forgets a field": (Forgetful, sums_and_counts, "events that come folded leave what they leave"),
    "a combine that is not associative": (Subtracted, adds, "promises to be associative, and its combine rule is not"),
    "a handler that looks at one event of a batch": (Told, only_the_first, "events that come in one call leave what"),
    "a handler that can't meet an event again": (Priced, fails_on_the_second, "is left  a failure: KeyError('order"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_planted_lie_is_found(lie: str) -> None:
    kind, apply, told = LIES[lie]

    with pytest.raises(LawBrokenError, match=re.escape(told)):
        check_laws(handling(kind, apply), drawn(kind), dict, lambda rows: rows)


HONEST = {
    "sets what is idempotent": (Priced, sets),
    "adds what is commutative": (Moved, adds),
    "collects what is both": (Tagged, collects),
    "appends what promises nothing": (Told, appends),
    "sums what folds": (Summed, sums_and_counts),
}


@pytest.mark.parametrize(
    ("name", "max_batch"),
    [(name, size) for name, (kind, _) in HONEST.items() for size in (1, 3) if (kind, size) != (Told, 1)],
)
def test_an_honest_handler_passes(name: str, max_batch: int) -> None:
    kind, apply = HONEST[name]

    check_laws(handling(kind, apply, max_batch=max_batch), drawn(kind), dict, lambda rows: rows)


def test_a_handler_that_adds_again_what_is_handed_over_again_is_found() -> None:
    """Only where that was asked for: it keeps its algebra's law, and a crash makes it count twice."""
    check_laws(handling(Summed, adds), drawn(Summed), dict, lambda rows: rows)
    with pytest.raises(LawBrokenError, match="events handed over again leave nothing new"):
        check_laws(handling(Summed, adds), drawn(Summed), dict, lambda rows: rows, redelivered=True)

    check_laws(handling(Summed, up_to), drawn(Summed), dict, total_of, redelivered=True)
    check_laws(handling(Priced, sets), drawn(Priced), dict, lambda rows: rows, redelivered=True)


def test_a_check_of_nothing_is_refused() -> None:
    """It would pass whatever the handler did."""
    with pytest.raises(ValueError, match="there is nothing to check: Told is non-associative, which promises nothing"):
        check_laws(handling(Told, appends, max_batch=1), drawn(Told), dict, lambda rows: rows)
    with pytest.raises(LawBrokenError, match="Told is non-associative, and so events handed over again leave nothing"):
        check_laws(handling(Told, appends, max_batch=1), drawn(Told), dict, lambda rows: rows, redelivered=True)


def test_what_is_told_is_the_smallest_example() -> None:
    with pytest.raises(LawBrokenError) as broken:
        check_laws(handling(Priced, adds, max_batch=1), drawn(Priced), dict, lambda rows: rows)

    assert str(broken.value) == (
        "Priced is idempotent, and so an event handled twice leaves what it leaves once. Of the events\n"
        "  0: Priced(order_id=1, value=0)\n"
        "  1: Priced(order_id=1, value=0)\n"
        "  2: Priced(order_id=1, value=1)\n"
        "  handled one by one is left  {1: 1}\n"
        "  handled 0 1 2 2 is left  {1: 2}"
    )


def test_generated_strategies_and_the_handlers_of_the_shop() -> None:
    """A state may need something to be there before; strategies can be mapped to it."""

    def with_an_order() -> OrderStore:
        store = OrderStore()
        store.place(7, "Ada", 900)
        return store

    def of_that_order(payment: GeneratedPayment) -> GeneratedPayment:
        return GeneratedPayment(
            order_id=7,
            amount_cents=payment.amount_cents % 1_000,
            last_paid_at=payment.last_paid_at,
            references=payment.references[:2],
        )

    check_laws(OrderPlacedHandler, ORDER_PLACED, OrderStore, lambda store: store.orders, redelivered=True, examples=30)
    check_laws(
        PaymentReceivedHandler,
        PAYMENT_RECEIVED.map(of_that_order),
        with_an_order,
        lambda store: store.orders[7].paid_cents,
        redelivered=True,
        examples=30,
    )


def test_a_state_may_be_made_and_read_with_await_and_a_handler_may_be_a_plain_function() -> None:
    class Plain(Handler[Valued]):
        event = Priced

        def __init__(self, rows: Rows) -> None:
            self.rows = rows

        def handle(self, events: Batch[Valued]) -> None:
            sets(self.rows, events)

    async def make() -> Rows:
        return {}

    async def read(rows: Rows) -> Rows:
        return rows

    check_laws(Plain, drawn(Priced), make, read, examples=10)


def test_events_that_can_never_be_handled_are_told() -> None:
    def refuses(rows: Rows, batch: Batch[Any]) -> None:
        raise HandleError.unrecoverable("no such order")

    with pytest.raises(
        LawBrokenError, match="no example could be checked, since handling the events one by one failed"
    ):
        check_laws(handling(Priced, refuses), drawn(Priced), dict, lambda rows: rows)


async def test_it_is_called_from_a_plain_test() -> None:
    with pytest.raises(RuntimeError, match=r"call it from a plain test function, `def test_…`"):
        check_laws(handling(Priced, sets), drawn(Priced), dict, lambda rows: rows)
