"""What a type checker knows of retried functions, methods and coroutines, and what it refuses."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from collections.abc import Callable
from typing import assert_type

from wakuwaku.retry import (
    Attempt,
    Backoff,
    ExponentialBackOff,
    MapRetryContextCache,
    RetryContext,
    RetryContextCache,
    RetryOperations,
    RetryPolicy,
    RetryState,
    RetryTemplate,
    SimpleRetryPolicy,
    circuit_breaker,
    current_context,
    recover,
    retry_proxy,
    retryable,
)

template = RetryTemplate(policy=SimpleRetryPolicy(5), backoff=ExponentialBackOff())


def number(context: RetryContext) -> int:
    return context.attempt


async def text(context: RetryContext) -> str:
    return str(context.label)


def plain(x: int, *, y: str = "") -> float:
    return x + len(y)


async def later(x: int, *, y: str = "") -> float:
    return x + len(y)


# -- execute -----------------------------------------------------------------------------------------------------------

assert_type(template.execute(number), int)
assert_type(template.execute(number, state=RetryState("key"), label="a"), int)
assert_type(template.execute(number, recover=lambda _: "none"), int | str)
assert_type(template.execute(lambda context: context.attempt), int)

template.execute(plain)  # type: ignore[arg-type]
template.execute(number, recover="name")  # type: ignore[call-overload]
template.execute(number, lambda _: None)  # type: ignore[call-overload]


async def executes() -> None:
    async def rescue(context: RetryContext) -> bytes:
        return b""

    assert_type(await template.execute_async(text), str)
    assert_type(await template.execute_async(text, recover=rescue), str | bytes)
    assert_type(await template.execute_async(text, recover=lambda _: 0), str | int)
    await template.execute_async(number)  # type: ignore[arg-type]


# -- plain functions ---------------------------------------------------------------------------------------------------

assert_type(template.call(plain, 1, y="a"), float)
template.call(plain, "1")  # type: ignore[arg-type]
template.call(plain, 1, z=2)  # type: ignore[call-arg]

wrapped = template.wrap(plain)
assert_type(wrapped(1, y="a"), float)
wrapped("1")  # type: ignore[arg-type]


async def calls() -> None:
    assert_type(await template.call_async(later, 1, y="a"), float)
    assert_type(await template.wrap(later)(1), float)
    await template.call_async(later, "1")  # type: ignore[arg-type]


# -- decorated functions and methods -----------------------------------------------------------------------------------


@retryable
def bare(x: int) -> str:
    return str(x)


@retryable(retry_for=(ConnectionError, TimeoutError), max_attempts=5, backoff=Backoff(0.1, multiplier=2))
async def coroutine(x: int) -> str:
    return str(x)


@circuit_breaker(open_timeout=1, max_attempts=5)
def broken(x: int) -> str:
    return str(x)


assert_type(bare(1), str)
assert_type(broken(1), str)
bare("1")  # type: ignore[arg-type]
bare()  # type: ignore[call-arg]
broken(1, 2)  # type: ignore[call-arg]

as_callback: Callable[[int], str] = bare
wrong_callback: Callable[[int], int] = bare  # type: ignore[assignment]


class Service:
    """Have decorated methods of every kind."""

    @retryable(recover="instead")
    def work(self, x: int) -> str:
        return str(x)

    @recover
    def instead(self, exc: Exception, x: int) -> str:
        return str(x)

    @retryable
    async def work_later(self, x: int) -> str:
        return str(x)

    @classmethod
    @retryable
    def of_class(cls, x: int) -> str:
        return str(x)

    @staticmethod
    @retryable
    def of_none(x: int) -> str:
        return str(x)


service = Service()
assert_type(service.work(1), str)
assert_type(service.instead(ValueError(), 1), str)
assert_type(Service.of_class(1), str)
assert_type(Service.of_none(1), str)
service.work("1")  # type: ignore[arg-type]
service.work(1, 2)  # type: ignore[call-arg]
Service.of_class("1")  # type: ignore[arg-type]


async def coroutines() -> None:
    assert_type(await coroutine(1), str)
    assert_type(await service.work_later(1), str)
    await coroutine("1")  # type: ignore[arg-type]
    await service.work_later()  # type: ignore[call-arg]


@retryable(max_attempts=2)
class Whole:
    """Be retried as a whole, and stay a class."""

    def __init__(self, x: int) -> None:
        self.x = x

    def work(self) -> int:
        return self.x


@retryable
class BareWhole:
    """Do so without options."""


assert_type(Whole(1), Whole)
assert_type(Whole(1).work(), int)
assert_type(BareWhole(), BareWhole)
Whole("1")  # type: ignore[arg-type]


class Special(Whole):
    """Be a subclass of a retried class."""


retryable(max_attempts="3")  # type: ignore[call-overload]
retryable(retry_for=BaseException)  # type: ignore[arg-type]

# -- the rest ----------------------------------------------------------------------------------------------------------

assert_type(retry_proxy(service), Service)
assert_type(retry_proxy(service, methods="work*").work(1), str)


def in_a_block() -> int:
    for attempt in template.attempts():
        with attempt:
            assert_type(attempt, Attempt)
            assert_type(attempt.context, RetryContext)
            return 1
    raise AssertionError


assert_type(current_context(), RetryContext | None)
cache: RetryContextCache = MapRetryContextCache()
operations: RetryOperations = template
both: RetryPolicy = SimpleRetryPolicy() & SimpleRetryPolicy() | SimpleRetryPolicy()


class Incomplete(RetryPolicy):
    """Lack the one method a policy must have."""


Incomplete()  # type: ignore[abstract]
