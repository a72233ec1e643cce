"""The command line, run as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.orders import OrderPlaced, OrderPlacedContract, OrdersHandlers
from wakuwaku import Batch, Consumer, ConsumerConfig, HandleError, Ignore, Publisher, connect


def wakuwaku(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from wakuwaku.cli import main; sys.argv[0] = 'wakuwaku'; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


class Refuse(OrderPlacedContract):
    async def handle(self, events: Batch[OrderPlaced]) -> None:
        raise HandleError.unrecoverable("no such customer\nat all")


@pytest.fixture
async def url(tmp_path: Path) -> str:
    """Return a log with three orders, one consumer, and what it refused."""
    url = f"sqlite:///{tmp_path / 'events.db'}"
    handlers = OrdersHandlers(order_placed=Refuse(), payment_received=Ignore(), order_shipped=Ignore())
    async with await connect(url, stream="shop") as log:
        await log.create_topic("orders", 1)
        await Publisher(log).publish_many([OrderPlaced(order_id=n, customer="Ada") for n in range(3)])
        async with Consumer(log, handlers, ConsumerConfig(consumer="c", partitions=[0])) as consumer:
            await consumer.caught_up()
    return url


def test_topics_shows_what_is_in_the_log_and_how_far_a_consumer_is(url: str) -> None:
    shown = wakuwaku("topics", url, "-s", "shop", "--consumer", "c")
    assert shown.returncode == 0
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert lines[0] == ["topic", "partition", "first", "next", "stored", "lag"]
    assert ["orders", "0", "0", "3", "2", "0"] in lines
    assert ["dead_orders_c", "0", "0", "3", "-", "3"] in lines


def test_a_stream_without_topics_says_so(url: str) -> None:
    shown = wakuwaku("topics", url)
    assert (shown.returncode, shown.stdout) == (0, "no topics in stream 'default'\n")


def test_dead_letters_are_listed_one_a_line(url: str) -> None:
    shown = wakuwaku("dead", "list", url, "-s", "shop", "-t", "orders", "-c", "c")
    assert shown.returncode == 0
    assert shown.stderr == "3 dead letters\n"
    first, *_ = shown.stdout.splitlines()
    assert first.startswith("0/0  ")
    assert first.endswith(
        "unrecoverable  from orders/0 offset 0  Refuse: wakuwaku.errors.UnrecoverableError: no such customer at all"
    )


def test_one_dead_letter_is_shown_whole(url: str) -> None:
    shown = wakuwaku("dead", "show", url, "0/1", "-s", "shop", "-t", "orders", "-c", "c")
    assert shown.returncode == 0
    assert "offset: 1\n" in shown.stdout
    assert "message:\nno such customer\nat all\n" in shown.stdout
    assert "in handle" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("topics", "sqlite:///nothing.db"), "there is no such file, so no log to look at", 2),
        (("topics", "redis://"), "names no log", 2),
        (("dead", "list", "URL", "-t", "orders", "-c", "x"), "consumer 'x' never read topic 'orders' here", 2),
        (("dead", "show", "URL", "0/9", "-t", "orders", "-c", "c", "-s", "shop"), "there is no dead letter at 0/9", 1),
        (("dead", "show", "URL", "x", "-t", "orders", "-c", "c"), "'x' is not PARTITION/OFFSET", 2),
    ],
)
def test_a_mistake_is_told_in_one_line_and_nothing_is_created(
    url: str, arguments: tuple[str, ...], message: str, code: int, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    told = wakuwaku(*(url if argument == "URL" else argument for argument in arguments))
    assert told.returncode == code
    assert message in told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before
    assert not Path("nothing.db").exists()
