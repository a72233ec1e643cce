"""What a type checker knows of the test kit, the inbox and the outbox."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

import sqlite3
from typing import assert_type

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.runtime.orders import OrderPlaced, OrderPlacedContract, PaymentReceived
from wakuwaku import Batch, DeadLetter, Event, HandlerBundle, HandlerSet
from wakuwaku.inbox import PostgresInbox, SqliteInbox
from wakuwaku.log import Log
from wakuwaku.outbox import OutboxRelay, SqliteOutbox
from wakuwaku.testing import BatchResult, ManualClock, MemoryLog, check_laws, run_batch


class Store:
    """Stand in for a database."""


class RecordOrder(OrderPlacedContract):
    """Write orders."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        """Apply the events."""


async def make_store() -> Store:
    """Open a store."""
    return Store()


def laws(placed: SearchStrategy[OrderPlaced], paid: SearchStrategy[PaymentReceived]) -> None:
    """The state, the handler, the events and the reading fit together."""
    check_laws(RecordOrder, placed, Store, vars)
    check_laws(RecordOrder, placed, make_store, vars, redelivered=True, examples=5)
    check_laws(RecordOrder, st.nothing(), Store, vars)
    check_laws(RecordOrder, paid, Store, vars)  # type: ignore[arg-type]
    check_laws(RecordOrder, placed, dict, vars)  # type: ignore[misc]


async def trial(bundle: HandlerBundle, handlers: HandlerSet, placed: OrderPlaced) -> None:
    """Both kinds of handlers can be tried, on events only."""
    result = await run_batch(bundle, [placed])
    assert_type(result, BatchResult)
    assert_type(result.handled, list[Event])
    assert_type(result.dead[0], DeadLetter)
    await run_batch(handlers, (placed,), retries=2)
    await run_batch(handlers, placed)  # type: ignore[arg-type]
    await run_batch(RecordOrder(Store()), [placed])  # type: ignore[arg-type]


async def database(connection: sqlite3.Connection, log: Log, batch: Batch[OrderPlaced], placed: OrderPlaced) -> None:
    """A batch stays one of the same event; SQLite is not awaited."""
    inbox, outbox = SqliteInbox("c"), SqliteOutbox()
    assert_type(inbox.take(connection, batch), Batch[OrderPlaced] | None)
    assert_type(inbox.take_ids(connection, batch, lambda order: order.customer), Batch[OrderPlaced] | None)
    assert_type(batch.only({1, 2}), Batch[OrderPlaced] | None)
    outbox.add(connection, placed)
    outbox.add(connection, batch)  # type: ignore[arg-type]
    async with OutboxRelay(outbox.store(lambda: connection), log) as relay:
        assert_type(await relay.send_all(), int)
    await PostgresInbox("c").take(5, batch)  # type: ignore[arg-type]


def clock() -> MemoryLog:
    """A clock is a function of no arguments."""
    return MemoryLog(clock=ManualClock())
