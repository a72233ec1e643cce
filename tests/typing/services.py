"""What a type checker knows of services, handler sets, settings and classifiers."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from typing import assert_type

from tests.runtime.orders import (
    OrderPlaced,
    OrderPlacedContract,
    OrderShipped,
    PaymentReceived,
    PaymentReceivedContract,
)
from wakuwaku import (
    Batch,
    Consumer,
    ConsumerConfig,
    ErrorClass,
    HandleError,
    HandlerBundle,
    HandlerSet,
    Service,
    ServiceBuilder,
    Services,
    StopReport,
)
from wakuwaku.classify import Classifier, by_status, by_type, http, postgres
from wakuwaku.log import Log


class Store:
    """Stand in for a database."""


class Audit:
    """A plain object that takes two events."""

    async def handle(self, events: Batch[OrderPlaced | PaymentReceived]) -> None:
        """Apply the events."""


class OnlyPlaced:
    """A plain object that takes one event."""

    def handle(self, events: Batch[OrderPlaced]) -> None:
        """Apply the events."""


class NoHandler:
    """Something else."""


async def start(builder: ServiceBuilder, log: Log, config: ConsumerConfig) -> None:
    """A service comes apart into what it is."""
    service = await builder.start(log, config, classifier=postgres())
    assert_type(service, Service)
    services, consumer = await builder.start(log, config)
    assert_type(services, Services)
    assert_type(consumer, Consumer)
    assert_type(await service.shutdown(timeout=1), StopReport)
    parts = await builder.into_parts()
    assert_type(parts, tuple[Services, HandlerSet])
    await builder.start(log)  # type: ignore[call-arg]


def provide(services: Services, builder: ServiceBuilder) -> None:
    """A thing is of the class that was asked for."""
    assert_type(services.provide(Store), Store)
    assert_type(builder.provide(Store), Store)
    assert_type(builder.push(Store()).consumer(OnlyPlaced, OrderPlaced), ServiceBuilder)
    builder.compose(lambda s: s.provide(Store)).compose_consumer(lambda s: Audit(), OrderPlaced)
    builder.compose_bundle(lambda s: s.provide(HandlerBundle))
    builder.compose_bundle(lambda s: s.provide(Store))  # type: ignore[arg-type, return-value]
    builder.consumer(Store())  # type: ignore[arg-type]


async def register(placed: OrderPlacedContract, paid: PaymentReceivedContract, audit: Audit, one: OnlyPlaced) -> None:
    """A handler is registered for events it takes, and for no other."""
    handlers = HandlerSet.new(placed).push(paid).ignore(OrderShipped)
    assert_type(handlers, HandlerSet)
    assert_type(handlers.bundle(), HandlerBundle)
    HandlerSet.new(audit, OrderPlaced).push(audit, PaymentReceived)
    HandlerSet.new(one, OrderPlaced)
    HandlerSet.new(one, PaymentReceived)  # type: ignore[misc]
    HandlerSet.new(audit, OrderShipped)  # type: ignore[misc]
    HandlerSet.new(audit)  # type: ignore[call-overload]
    HandlerSet.new(NoHandler(), OrderPlaced)  # type: ignore[call-overload]


def settings() -> None:
    """The values a program has of its own are checked like all others."""
    assert_type(ConsumerConfig.from_env("ORDER", consumer="c", poll_count=5), ConsumerConfig)
    ConsumerConfig.from_env("ORDER", consumer=5)  # type: ignore[arg-type]
    ConsumerConfig.from_env("ORDER", poll_counts=5)  # type: ignore[call-arg]


def mine(error: Exception) -> ErrorClass | None:
    """Classify an error."""
    return None if error.args else ErrorClass.TRANSIENT


class Classifies(OrderPlacedContract):
    """A classifier is a value on a handler."""

    classify = by_type({KeyError: ErrorClass.UNRECOVERABLE}) | postgres()

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        """Apply the events."""


class ClassifiesWithAFunction(OrderPlacedContract):
    """A function is none: as an attribute of a class it would be a method."""

    classify = mine  # type: ignore[assignment]

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        """Apply the events."""


def classifiers() -> None:
    """Classifiers and functions join."""
    assert_type(mine | http(), Classifier)
    assert_type(by_status({404: ErrorClass.RETRYABLE}) | http() | mine, Classifier)
    assert_type(postgres()(OSError()), ErrorClass | None)
    by_type({KeyError: "retryable"})  # type: ignore[dict-item]
    by_type({KeyboardInterrupt: ErrorClass.RETRYABLE})  # type: ignore[dict-item]
    assert_type(HandleError.of(ErrorClass.TRANSIENT, "down"), HandleError)
    HandleError.transient("down", retry_after=2.5)
