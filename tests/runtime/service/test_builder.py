"""A service builder: what it makes, in which order, what it closes, and what it says before it starts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self, runtime_checkable

import pytest

from tests.runtime.orders import (
    OrderPlaced,
    OrderPlacedContract,
    OrdersHandlers,
    OrderShipped,
    PaymentReceived,
    PaymentReceivedContract,
)
from tests.runtime.service.shop import ApplyPayment, Mailer, OrderStore, RecordOrder, paid, placed
from wakuwaku import (
    Batch,
    ConsumerConfig,
    DeadLetter,
    ErrorClass,
    Ignore,
    Publisher,
    ServiceBuilder,
    Services,
    StartError,
    connect,
)
from wakuwaku.classify import by_type
from wakuwaku.log.memory import MemoryLog

if TYPE_CHECKING:
    from decimal import Decimal as OnlyForTypeCheckers

QUICK = ConsumerConfig(consumer="c", partitions=(0, 1, 2, 3), poll_interval=0.001)


class Resource:
    """Tell a diary when it is opened and closed."""

    name = "resource"

    def __init__(self, diary: list[str]) -> None:
        self.diary = diary

    async def __aenter__(self) -> Self:
        self.diary.append(f"open {self.name}")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.diary.append(f"close {self.name}")


class Database(Resource):
    name = "database"


class Cache(Resource):
    name = "cache"


class Repository:
    def __init__(self, database: Database, cache: Cache) -> None:
        self.database = database
        self.cache = cache


class UsesRepository(OrderPlacedContract):
    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        self.repository.database.diary.append(f"handle {len(events)}")


@runtime_checkable
class Sends(Protocol):
    async def confirm(self, customer: str, order_id: int) -> None: ...


class Loud(Mailer):
    """Be another mailer."""


class Wants:
    def __init__(self, first: Annotated[Sends, "by mail"], second: Mailer | None, missing: Cache | None = None) -> None:
        self.got = (first, second, missing)


def consuming(builder: ServiceBuilder) -> ServiceBuilder:
    return builder.ignore(PaymentReceived).ignore(OrderShipped)


async def test_resources_open_in_order_and_close_in_reverse_after_the_last_event() -> None:
    diary: list[str] = []
    log = MemoryLog()
    await Publisher(log).publish(placed())
    builder = consuming(
        ServiceBuilder(Database(diary)).push(Cache(diary)).construct(Repository).consumer(UsesRepository)
    )

    async with await builder.start(log, QUICK) as service:
        await service.consumer.caught_up()

    assert diary == ["open database", "open cache", "handle 1", "close cache", "close database"]


async def test_a_builder_is_a_value_and_nothing_is_made_before_the_start() -> None:
    diary: list[str] = []
    base = ServiceBuilder(Database(diary))
    longer = base.push(Cache(diary))

    services, _ = await base.into_parts()
    async with services:
        assert services.has(Database)
        assert not services.has(Cache)
    services, _ = await longer.into_parts()
    async with services:
        assert services.has(Cache)


async def test_what_is_lent_stays_the_callers() -> None:
    diary: list[str] = []
    services, _ = await ServiceBuilder().lend(Database(diary)).into_parts()

    async with services:
        assert services.provide(Database).diary == []

    assert diary == []


async def test_what_entering_returns_is_what_others_get() -> None:
    @asynccontextmanager
    async def open_store() -> AsyncIterator[OrderStore]:
        store = OrderStore()
        yield store
        store.totals[0] = -1

    services, _ = await ServiceBuilder(open_store()).into_parts()
    async with services:
        store = services.provide(OrderStore)
        assert store.totals == {}

    assert store.totals == {0: -1}


async def test_functions_make_things_whether_they_await_or_not() -> None:
    async def open_mailer(services: Services) -> Mailer:
        assert services.provide(OrderStore).totals == {}
        return Mailer()

    async def open_store() -> OrderStore:
        return OrderStore()

    services, _ = (
        await ServiceBuilder().construct(open_store).compose(open_mailer).compose(lambda _: "text").into_parts()
    )

    assert services.provide(Mailer) == Mailer()
    assert services.provide(str) == "text"


async def test_a_thing_is_found_by_a_base_class_of_the_only_one() -> None:
    services, _ = await ServiceBuilder(Loud()).construct(Wants).into_parts()

    loud = services.provide(Loud)
    assert services.provide(Wants).got == (loud, loud, None)


async def test_two_that_fit_are_refused_and_the_exact_class_is_not_ambiguous() -> None:
    class Second(OrderStore):
        pass

    first = OrderStore()
    services, _ = await ServiceBuilder(first, Second(), Mailer(), Mailer()).into_parts()

    assert services.provide(OrderStore) is first
    with pytest.raises(StartError, match=r"the program asks for a Mailer, and there are 2: Mailer, Mailer\. Give one"):
        services.provide(Mailer)


async def test_everything_missing_is_told_at_once_before_anything_is_made() -> None:
    diary: list[str] = []

    class Needs:
        def __init__(self, unannotated, number: "OnlyForTypeCheckers | None" = None) -> None:  # type: ignore[no-untyped-def]  # noqa: UP037
            """Never made."""

    builder = (
        ServiceBuilder(Database(diary))
        .construct(Repository)
        .consumer(RecordOrder)
        .consumer(ApplyPayment)
        .construct(Needs)
    )

    with pytest.raises(StartError) as refused:
        await builder.start(MemoryLog(), QUICK)

    told = str(refused.value)
    assert "parameter `cache` of Repository needs a Cache, and nothing before it is one: add it with push" in told
    assert "parameter `store` of RecordOrder needs a OrderStore" in told
    assert "parameter `store` of ApplyPayment needs a OrderStore" in told
    assert "name 'OnlyForTypeCheckers' is not defined. Import it also when the program runs" in told
    assert diary == []


async def test_what_is_missing_behind_something_unknown_is_told_when_its_turn_comes() -> None:
    diary: list[str] = []
    builder = ServiceBuilder(Database(diary)).compose(lambda _: object()).consumer(RecordOrder)

    with pytest.raises(StartError, match=r"`store` of RecordOrder needs a OrderStore, .* there is Database, object\."):
        await builder.start(MemoryLog(), QUICK)

    assert diary == ["open database", "close database"]


@pytest.mark.parametrize("partitions", [(0, 9), (4,)])
async def test_a_start_that_fails_closes_what_was_opened(partitions: tuple[int, ...]) -> None:
    diary: list[str] = []
    config = ConsumerConfig(consumer="c", partitions=partitions)
    builder = consuming(ServiceBuilder(Database(diary), Cache(diary)).construct(Repository).consumer(UsesRepository))

    with pytest.raises(StartError, match=r"of `partitions` do not exist: leave them out"):
        await builder.start(MemoryLog(), config)

    assert diary == ["open database", "open cache", "close cache", "close database"]


async def test_an_error_while_closing_hides_none_of_the_others() -> None:
    diary: list[str] = []

    class Broken(Cache):
        async def __aexit__(self, *_: object) -> None:
            raise OSError("can't close")

    services, _ = await ServiceBuilder(Database(diary)).push(Broken(diary)).into_parts()

    with pytest.raises(OSError, match="can't close"):
        await services.close()
    await services.close()

    assert diary == ["open database", "open cache", "close database"]


async def test_leaving_on_an_error_aborts_and_closes() -> None:
    diary: list[str] = []
    builder = consuming(ServiceBuilder(Database(diary), Cache(diary)).construct(Repository).consumer(UsesRepository))

    with pytest.raises(ZeroDivisionError):
        async with await builder.start(MemoryLog(), QUICK):
            raise ZeroDivisionError

    assert diary[-1] == "close database"


async def test_a_service_runs_until_it_is_stopped() -> None:
    diary: list[str] = []
    log = MemoryLog()
    await Publisher(log).publish(placed())
    builder = consuming(ServiceBuilder(Database(diary), Cache(diary)).construct(Repository).consumer(UsesRepository))

    async with await builder.start(log, QUICK) as service:
        await service.consumer.caught_up()
        await service.consumer.shutdown()
        report = await service.run_until_stopped()

    assert report.unresolved == {}
    assert diary[-1] == "close database"


def test_a_pushed_thing_is_provided_before_the_start() -> None:
    store = OrderStore()

    assert ServiceBuilder(store).provide(OrderStore) is store
    with pytest.raises(StartError, match=r"there is nothing yet"):
        ServiceBuilder().construct(OrderStore).provide(OrderStore)


async def test_a_class_that_can_not_be_made_is_refused() -> None:
    class NoHandle(PaymentReceivedContract):
        pass

    def by_position(store: OrderStore, /) -> Any: ...

    kinds: list[tuple[Any, str]] = [
        (NoHandle, r"NoHandle can't be made: it lacks `handle`"),
        (by_position, r"takes `store` by position only; make it with compose"),
    ]
    for kind, told in kinds:
        with pytest.raises(StartError, match=told):
            await ServiceBuilder().consumer(kind).start(MemoryLog(), QUICK)


async def test_a_classifier_of_the_whole_service_is_asked() -> None:
    class Fails(PaymentReceivedContract):
        def handle(self, events: Batch[PaymentReceived]) -> None:
            raise LookupError

    log = MemoryLog()
    await Publisher(log).publish(paid(1))
    builder = ServiceBuilder().consumer(Fails).ignore(OrderPlaced).ignore(OrderShipped)
    async with await builder.start(log, QUICK, classifier=by_type({LookupError: ErrorClass.UNRECOVERABLE})) as service:
        await service.consumer.caught_up()

    pages = [await log.read("dead_orders_c", partition, 0, 10) for partition in range(4)]
    (letter,) = [DeadLetter.from_record(record) for page in pages for record in page.records]
    assert (letter.reason, letter.error_type) == ("unrecoverable", "LookupError")
    assert "in handle" in letter.traceback


async def test_a_log_that_nobody_awaited_is_told() -> None:
    diary: list[str] = []
    builder = consuming(ServiceBuilder(Database(diary), Cache(diary)).construct(Repository).consumer(UsesRepository))
    forgotten: Any = connect("memory://")

    with pytest.raises(StartError, match="the log is not open yet: await it"):
        await builder.start(forgotten, QUICK)

    assert diary == []


async def test_a_generated_bundle_keeps_its_exhaustive_type() -> None:
    store = OrderStore()
    log = MemoryLog()
    await Publisher(log).publish_many([placed(), paid(900)])

    def bundle(services: Services) -> OrdersHandlers:
        found = services.provide(OrderStore)
        return OrdersHandlers(
            order_placed=RecordOrder(found), payment_received=ApplyPayment(found), order_shipped=Ignore()
        )

    async with await ServiceBuilder(store).compose_bundle(bundle).start(log, QUICK) as service:
        await service.consumer.caught_up()

    assert store.paid == {7: 900}


async def test_what_is_no_bundle_is_told() -> None:
    single: Any = lambda _: RecordOrder(OrderStore())  # noqa: E731

    with pytest.raises(StartError, match="return a generated bundle, or use compose_consumer for a single handler"):
        await ServiceBuilder().compose_bundle(single).start(MemoryLog(), QUICK)
