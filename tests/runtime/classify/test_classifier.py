"""Classifiers as values, those of the operating system, and classifiers at work in a consumer."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.runtime.orders import OrderPlaced, OrderPlacedContract, OrdersHandlers
from wakuwaku import (
    Batch,
    Consumer,
    ConsumerConfig,
    DeadLetter,
    ErrorClass,
    HandleError,
    Ignore,
    Publisher,
    StartError,
)
from wakuwaku.classify import (
    Classifier,
    by_type,
    describe,
    http,
    mysql,
    operating_system,
    postgres,
    redis,
    sqlite,
)
from wakuwaku.log.memory import MemoryLog
from wakuwaku.testing import VirtualLoop

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE
KNOWN: dict[str, Callable[[], Classifier]] = {
    one.__name__: one for one in (postgres, mysql, sqlite, redis, http, operating_system)
}


def raised(failing: Callable[[], object]) -> Exception:
    try:
        failing()
    except Exception as error:  # noqa: BLE001 - whatever comes is the subject
        return error
    raise AssertionError("it succeeded")


def test_errors_of_the_operating_system(tmp_path: Path, unused_tcp_port: int) -> None:
    """Real ones, where they can be had without harm."""
    found = {
        "refused": raised(lambda: socket.create_connection(("127.0.0.1", unused_tcp_port))),
        "unknown": raised(lambda: socket.create_connection(("no-such-host.invalid", 1))),
        "directory": raised(tmp_path.read_bytes),
        "missing": raised((tmp_path / "missing").read_bytes),
        "long": raised((tmp_path / ("x" * 300)).read_bytes),
        "full": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        "handles": OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
        "busy": OSError(errno.EBUSY, os.strerror(errno.EBUSY)),
        "timeout": TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)),
        "plain timeout": TimeoutError(),
    }

    assert {name: operating_system()(error) for name, error in found.items()} == {
        "refused": TRANSIENT,
        "unknown": TRANSIENT,
        "directory": UNRECOVERABLE if sys.platform != "win32" else None,
        "missing": None,
        "long": UNRECOVERABLE,
        "full": TRANSIENT,
        "handles": TRANSIENT,
        "busy": RETRYABLE,
        "timeout": TRANSIENT,
        "plain timeout": None,
    }


def test_the_nearest_type_decides() -> None:
    own = by_type({Exception: UNRECOVERABLE, LookupError: RETRYABLE, OSError: TRANSIENT})

    assert [own(one) for one in (KeyError(), ConnectionError(), ValueError())] == [RETRYABLE, TRANSIENT, UNRECOVERABLE]


def test_the_first_part_that_knows_an_error_decides() -> None:
    def mine(error: Exception) -> ErrorClass | None:
        return UNRECOVERABLE if isinstance(error, ConnectionError) else None

    assert (mine | operating_system())(ConnectionError()) is UNRECOVERABLE
    assert (operating_system() | mine)(ConnectionError()) is TRANSIENT
    assert (postgres() | http())(ValueError()) is None


@pytest.mark.parametrize(
    "wrong",
    [{KeyboardInterrupt: RETRYABLE}, {asyncio.CancelledError: TRANSIENT}, {KeyError: "retryable"}, {5: TRANSIENT}],
)
def test_what_is_no_error_or_no_class_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"by_type wants \{subclass of Exception: ErrorClass\}"):
        by_type(wrong)


def test_what_can_not_be_asked_is_refused() -> None:
    wrong: Any = ErrorClass.TRANSIENT

    with pytest.raises(TypeError, match="is no part of a classifier"):
        postgres() | wrong


@pytest.mark.parametrize("name", KNOWN)
def test_each_rule_tells_what_it_is_for(name: str) -> None:
    rules = list(describe(KNOWN[name]()))

    assert len(rules) > 3
    assert all(rule.sign and rule.meaning for rule in rules)
    assert len({rule.sign for rule in rules}) == len(rules)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("error", [ValueError("x"), KeyError(), ZeroDivisionError(), TimeoutError(), Exception()])
def test_an_error_of_the_program_is_nobodys(name: str, error: Exception) -> None:
    """A bug stays Retryable, whichever library is in use."""
    assert KNOWN[name]()(error) is None


def test_no_library_is_imported() -> None:
    program = "import sys, wakuwaku.classify as c; c.postgres()(Exception()); print(*sorted(sys.modules))"
    # Measuring coverage in the subprocess would import some of these by itself.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)

    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"asyncpg", "psycopg", "sqlalchemy", "pymysql", "sqlite3", "redis", "httpx", "aiohttp"}


class Failing(OrderPlacedContract):
    """Raise the errors of a list, one at a call, then succeed."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.called_at: list[float] = []

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        self.called_at.append(asyncio.get_running_loop().time())
        if self.errors:
            raise self.errors.pop(0)


def consume(handler: OrderPlacedContract, **settings: Any) -> list[DeadLetter]:
    """Hand one event over in virtual time, until it is done, and return the dead letters."""
    classifier = settings.pop("classifier", None)

    async def run() -> list[DeadLetter]:
        log = MemoryLog()
        await Publisher(log).publish(OrderPlaced(order_id=7, customer="Ada"))
        handlers = OrdersHandlers(order_placed=handler, payment_received=Ignore(), order_shipped=Ignore())
        config = ConsumerConfig(
            consumer="c", partitions=(0, 1, 2, 3), lag_warning=None, **{"retry_delays": (2.0,), **settings}
        )
        async with Consumer(log, handlers, config, classifier=classifier) as consumer:
            await consumer.caught_up()
        pages = [await log.read("dead_orders_c", partition, 0, 10) for partition in range(4)]
        return [DeadLetter.from_record(record) for page in pages for record in page.records]

    loop = VirtualLoop()
    try:
        return loop.run_until_complete(run())
    finally:
        loop.close()


def test_the_handlers_classifier_is_asked_before_the_consumers() -> None:
    class Own(Failing):
        classify = by_type({KeyError: UNRECOVERABLE})

    (letter,) = consume(Own(KeyError("k")), classifier=by_type({KeyError: TRANSIENT, LookupError: TRANSIENT}))
    waits = Own(IndexError())

    assert (letter.reason, letter.error_type, letter.attempts) == ("unrecoverable", "KeyError", 1)
    assert "raise self.errors.pop(0)" in letter.traceback
    assert consume(waits, classifier=by_type({LookupError: TRANSIENT})) == []
    assert len(waits.called_at) == 2


def test_a_handle_error_says_its_class_itself() -> None:
    class Own(Failing):
        classify = by_type({Exception: TRANSIENT})

    (letter,) = consume(Own(HandleError.unrecoverable("as the handler says")))

    assert letter.message == "as the handler says"


def test_a_group_has_the_class_that_all_its_errors_have() -> None:
    known = by_type({KeyError: UNRECOVERABLE, OSError: TRANSIENT})
    same = Failing(
        ExceptionGroup("both", [KeyError(), ExceptionGroup("in", [KeyError(), HandleError.unrecoverable()])])
    )
    mixed = Failing(ExceptionGroup("both", [KeyError(), OSError()]))

    (letter,) = consume(same, classifier=known)
    assert letter.reason == "unrecoverable"
    assert consume(mixed, classifier=known) == []  # Retryable: the second attempt succeeds


def test_a_classifier_that_fails_hides_nothing() -> None:
    def broken(error: Exception) -> ErrorClass | None:
        raise ZeroDivisionError("of the classifier")

    handler = Failing(KeyError("k"), KeyError("k"))
    (letter,) = consume(handler, classifier=broken)

    assert (letter.reason, letter.error_type) == ("gave_up", "KeyError")


def test_what_is_no_class_counts_for_nothing() -> None:
    nonsense: Any = lambda error: "transient"  # noqa: E731

    assert consume(Failing(KeyError()), classifier=nonsense) == []


def test_a_classifier_that_can_not_be_called_is_told_at_start() -> None:
    wrong: Any = "postgres"

    with pytest.raises(StartError, match=r"the classifier of Failing is 'postgres'; give one of wakuwaku\.classify"):
        consume(Failing(), classifier=wrong)


def answered(status: int, after: str | None = None) -> Exception:
    """Return the error httpx raises for an answer."""
    headers = {} if after is None else {"Retry-After": after}
    response = httpx.Response(status, headers=headers, request=httpx.Request("GET", "http://127.0.0.1"))
    return raised(response.raise_for_status)


def test_a_transient_answer_is_waited_for_as_long_as_it_asks() -> None:
    handler = Failing(answered(503, "7"), answered(429), answered(503, "1000000"))

    assert consume(handler, classifier=http()) == []

    waits = [later - earlier for earlier, later in zip(handler.called_at, handler.called_at[1:], strict=False)]
    assert waits == pytest.approx([7.0, 2.0, 300.0])


def test_a_handler_says_itself_when_to_come_back() -> None:
    handler = Failing(HandleError.transient("later", retry_after=11.5), HandleError.transient("no", retry_after=-1.0))

    assert consume(handler) == []

    waits = [later - earlier for earlier, later in zip(handler.called_at, handler.called_at[1:], strict=False)]
    assert waits == pytest.approx([11.5, 2.0])


def test_the_classifier_sees_what_a_plain_function_raises_in_its_thread() -> None:
    class Blocks(OrderPlacedContract):
        def handle(self, events: Batch[OrderPlaced]) -> None:
            raise KeyError

    async def run() -> int:
        log = MemoryLog()
        await Publisher(log).publish(OrderPlaced(order_id=7, customer="Ada"))
        handlers = OrdersHandlers(order_placed=Blocks(), payment_received=Ignore(), order_shipped=Ignore())
        config = ConsumerConfig(consumer="c", partitions=(0, 1, 2, 3), poll_interval=0.001)
        async with Consumer(log, handlers, config, classifier=by_type({KeyError: UNRECOVERABLE})) as consumer:
            await consumer.caught_up()
        return consumer.progress.dead

    assert asyncio.run(run()) == 1
