"""What goes wrong with a real Apache Iggy server is told, and what may pass is waited for."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from apache_iggy import (
    GlobalPermissions,
    IggyExpiry,
    MaxTopicSize,
    Partitioning,
    Permissions,
    SendMessage,
    StreamPermissions,
)

from tests.iggy_server import Server, needs_iggy, needs_server, new_log, server_address
from tests.runtime.orders import OrderPlaced, Recorder, handlers_into
from wakuwaku import Algebra, Consumer, ConsumerConfig, ConsumerStoppedError, LogError, Ordering, Publisher, connect
from wakuwaku.errors import LogUnavailableError, NoLeasesError, TopicMismatchError, TopicNotFoundError
from wakuwaku.headers import Record, encode_head
from wakuwaku.log import Bounds, iggy_messages
from wakuwaku.log.iggy import IggyLog
from wakuwaku.log.iggy_wire import CREATE_TOPIC, create_topic

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from wakuwaku.log.iggy_address import Address

pytestmark = needs_iggy

HEAD = encode_head(7, 42, Ordering.ACQUIRE, Algebra.IDEMPOTENT)
CONFIG = ConsumerConfig(consumer="c", partitions=[0, 1], poll_interval=0.01, retry_delays=(0.05,))


@pytest.fixture
async def log() -> AsyncIterator[IggyLog]:
    """An open log with a topic `orders` of two partitions."""
    async with new_log() as log:
        await log.create_topic("orders", 2)
        yield log


async def make_topic(log: IggyLog, name: str, options: Mapping[str, str]) -> None:
    """Create a topic as somebody else would."""
    payload = create_topic(log._stream, name, 2, options)
    await log._connection.call(lambda client: client.send_binary_request(CREATE_TOPIC, payload))


def numbered(count: int, size: int = 10) -> list[Record]:
    return [Record(HEAD, f"{number}".encode().ljust(size)) for number in range(count)]


def placed(number: int) -> OrderPlaced:
    return OrderPlaced(order_id=number, customer="Ada")


# -- signing in -------------------------------------------------------------------------------------------------------


def url_of(address: Address, username: str, password: str) -> str:
    return f"iggy://{username}:{password}@{address.server}"


async def test_a_wrong_password_is_told_and_not_repeated() -> None:
    with pytest.raises(LogError, match="the password is another") as caught:
        await connect(url_of(server_address(), "iggy", "hushhush"))

    assert not isinstance(caught.value, LogUnavailableError)
    assert "hushhush" not in str(caught.value)


async def test_a_stream_that_is_not_there_is_told_when_it_is_not_to_be_created() -> None:
    address = server_address()
    with pytest.raises(LogError, match="there is no stream 'nowhere' there; look at the name, or create it"):
        await connect(url_of(address, address.username, address.secret), stream="nowhere", create=False)


async def test_a_stream_is_created_with_its_first_topic() -> None:
    async with new_log() as log:
        assert await log.topics() == []
        assert await log.topic("orders") is None
        assert not await log._topics.has_stream()
        await log.create_topic("orders", 1)
        assert await log._topics.has_stream()


# -- permissions ------------------------------------------------------------------------------------------------------


@pytest.fixture
async def visitor(log: IggyLog) -> AsyncIterator[Address]:
    """Sign-in of somebody who may read topics and poll messages of the stream, and nothing else."""
    name = f"visitor-{secrets.token_hex(4)}"
    stream = await log._connection.call(lambda client: client.get_stream(log._stream))
    assert stream is not None
    permissions = Permissions(
        GlobalPermissions(),
        streams={stream.id: StreamPermissions(read_stream=True, read_topics=True, poll_messages=True)},
    )
    await log._connection.call(lambda client: client.create_user(name, "visiting", permissions=permissions))
    yield replace(server_address(), username=name, secret="visiting")
    await log._connection.call(lambda client: client.delete_user(name))


async def test_a_missing_permission_is_named_and_nothing_is_written(log: IggyLog, visitor: Address) -> None:
    async with await IggyLog.open(visitor, stream=log._stream) as theirs:
        await log.append("orders", 0, numbered(1))
        assert len(await theirs.read("orders", 0, 0, 10)) == 1
        with pytest.raises(LogError, match=r"the user lacks the permission; .* writing send_messages") as caught:
            await theirs.append("orders", 0, numbered(1))
        assert not isinstance(caught.value, LogUnavailableError)
        with pytest.raises(LogError, match="lacks the permission"):
            await theirs.create_topic("more", 1)

    assert await log.bounds("orders", 0) == Bounds(0, 1)


async def test_a_consumer_without_the_permission_says_so_at_start(log: IggyLog, visitor: Address) -> None:
    async with await IggyLog.open(visitor, stream=log._stream) as theirs:
        with pytest.raises(LogError, match=r"the user lacks the permission; .* making one manage_topics"):
            await Consumer(theirs, handlers_into(Recorder()), CONFIG).start()


# -- topics -----------------------------------------------------------------------------------------------------------


async def test_a_topic_is_created_to_keep_everything_and_to_keep_it_on_disk(
    log: IggyLog, caplog: pytest.LogCaptureFixture
) -> None:
    details = await log._topics._details("orders")

    assert details is not None
    assert isinstance(details.message_expiry, IggyExpiry.NeverExpire)
    assert isinstance(details.max_topic_size, MaxTopicSize.Unlimited)
    await log.create_topic("orders", 2)
    assert not caplog.records  # no warning: it is durable


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"message_expiry": "1 day"}, r"lets records go when they are old \(after 1 day, 0:00:00\)"),
        ({"max_topic_size": "4 GiB"}, r"lets records go when it is full \(4,294,967,296 bytes\)"),
    ],
)
async def test_a_retry_topic_that_lets_records_go_is_refused_at_start(
    log: IggyLog, options: Mapping[str, str], reason: str
) -> None:
    await make_topic(log, "retry_orders_c", options)

    with pytest.raises(
        TopicMismatchError, match=f"topic 'retry_orders_c' exists, and {reason}: what waits there would"
    ):
        await Consumer(log, handlers_into(Recorder()), CONFIG).start()


async def test_a_topic_of_others_without_durability_is_used_with_a_warning(
    log: IggyLog, caplog: pytest.LogCaptureFixture
) -> None:
    await make_topic(log, "retry_orders", {})

    with caplog.at_level(logging.WARNING):
        await log.create_topic("retry_orders", 2)

    assert "topic 'retry_orders' was created without durability" in caplog.text


async def test_a_topic_deleted_under_a_consumer_stops_it_with_the_reason(log: IggyLog) -> None:
    consumer = Consumer(log, handlers_into(Recorder()), CONFIG)
    await Publisher(log).publish_many([placed(number) for number in range(20)])
    await consumer.start()
    await consumer.caught_up()

    await log._connection.call(lambda client: client.delete_topic(log._stream, "orders"))

    async with asyncio.timeout(60):
        with pytest.raises(ConsumerStoppedError, match=r"partition \d of 'orders' stopped: .* topic does not exist"):
            await consumer.run_until_stopped()
    assert not consumer.health().alive
    with pytest.raises(TopicNotFoundError, match="there is no topic 'orders' in this stream"):
        await log.bounds("orders", 0)


@pytest.mark.parametrize("name", ["7", "0042"])
async def test_a_topic_name_that_clients_take_for_an_id_is_refused(log: IggyLog, name: str) -> None:
    with pytest.raises(ValueError, match="take a name of digits alone for an id"):
        await log.create_topic(name, 1)
    assert await log.topic(name) is None


# -- records ----------------------------------------------------------------------------------------------------------


async def test_an_append_too_large_for_one_request_is_split_in_order(
    log: IggyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(iggy_messages, "REQUEST_BYTES", 1_000)
    records = numbered(50, size=300)

    assert await log.append("orders", 0, records) == 0

    assert list((await log.read("orders", 0, 0, 100)).records) == records


async def test_a_reply_of_another_layout_is_read_message_by_message_from_then_on(
    log: IggyLog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    records = [Record(HEAD, b"x", {"n": bytes((number,))}) for number in range(5)]
    await log.append("orders", 0, records)
    monkeypatch.setattr("wakuwaku.log.iggy_poll._ZEROS", b"")

    pages = [await log.read("orders", 0, 1, 3) for _ in range(2)]

    monkeypatch.undo()
    assert [list(page.records) for page in pages] == [records[1:4]] * 2
    assert [list(page.offsets) for page in pages] == [[1, 2, 3]] * 2
    assert await log.bounds("orders", 0) == Bounds(0, 5)
    assert caplog.text.count("pages are read message by message") == 1


async def test_the_server_s_choice_for_a_messages_key_is_the_publisher_s(log: IggyLog) -> None:
    """A key's events from here and from a Rust service go to one partition."""
    await log.create_topic("keys", 7)
    await Publisher(log).publish(placed(1))
    for number in range(30):
        key = OrderPlaced.__wakuwaku__.key.__wakuwaku__.hash(placed(number))
        chosen = Partitioning.messages_key(key.to_bytes(8, "little"))
        sent = await log._connection.call(
            lambda client, chosen=chosen: client.send_messages(log._stream, "orders", chosen, [SendMessage(b"x")])  # type: ignore[misc]
        )
        partition = sent.confirmations[0].partition_id
        before = await log.bounds("orders", partition)
        await Publisher(log).publish(placed(number))
        assert (await log.bounds("orders", partition)).end == before.end + 1


# -- instances --------------------------------------------------------------------------------------------------------


async def test_leases_are_refused_and_a_consumer_works_without(log: IggyLog, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(NoLeasesError, match="keeps no leases"):
        await log.lease("c", "orders", 0, holder="a", seconds=1)
    recorder = Recorder()
    await Publisher(log).publish(placed(1))
    with caplog.at_level(logging.INFO):
        async with Consumer(log, handlers_into(recorder), CONFIG) as consumer:
            await consumer.caught_up()

    assert recorder.events == [placed(1)]
    assert "this log keeps no leases, so this partition must be given to no other instance" in caplog.text


async def test_two_instances_on_one_partition_do_not_go_on_side_by_side(log: IggyLog) -> None:
    """At least one of them finds what the other stored, and stops with the reason."""
    publisher = Publisher(log)
    await publisher.publish(placed(0))
    first = Consumer(log, handlers_into(Recorder()), CONFIG)
    await first.start()
    await first.caught_up()
    await publisher.publish_many([placed(number) for number in range(50)])
    await first.caught_up()
    await asyncio.sleep(0.2)  # its offset is stored
    second = Consumer(log, handlers_into(Recorder()), CONFIG)
    await second.start()
    runs = [asyncio.create_task(consumer.run_until_stopped()) for consumer in (first, second)]
    async with asyncio.timeout(60):
        while not any(run.done() for run in runs):
            for number in range(20):
                await publisher.publish(placed(number))

    for consumer in (first, second):
        await consumer.abort()
    results = await asyncio.gather(*runs, return_exceptions=True)
    stopped = [result for result in results if isinstance(result, ConsumerStoppedError)]
    assert stopped
    assert "another instance of this consumer" in str(stopped[0])


# -- restarts ---------------------------------------------------------------------------------------------------------


@needs_server[1]
async def test_a_log_goes_on_after_its_server_was_killed_and_started_again(tmp_path: Path) -> None:
    server = Server(tmp_path)
    await server.start()
    try:
        async with await IggyLog.open(server.address) as log:
            await log.create_topic("orders", 1)
            await log.append("orders", 0, numbered(3))
            await log.store_offset("c", "orders", 0, 1)
            await server.kill()
            with pytest.raises(LogUnavailableError, match=r"asked again|no Iggy server answers"):
                await log.read("orders", 0, 0, 10)
            with pytest.raises(LogUnavailableError, match="no Iggy server answers there"):
                await log.append("orders", 0, numbered(1))
            await server.start()
            assert list((await log.read("orders", 0, 0, 10)).records) == numbered(3)
            assert await log.load_offset("c", "orders", 0) == 1
            assert await log.append("orders", 0, numbered(1)) == 3
    finally:
        await server.kill()


# -- TLS --------------------------------------------------------------------------------------------------------------


def certify(folder: Path) -> None:
    """Make an authority and a certificate for localhost that it signed."""
    key = ["-newkey", "rsa:2048", "-nodes", "-days", "2"]
    authority = ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=DNS:localhost"]
    extension = ["-addext", "basicConstraints=critical,CA:FALSE"]
    for command in (
        ["req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority"],
        [
            "req",
            "-x509",
            *key,
            *authority,
            *extension,
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
            "-subj",
            "/CN=localhost",
        ],
    ):
        subprocess.run(["openssl", *command], cwd=folder, check=True, capture_output=True, timeout=60)


@needs_server[1]
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl, which makes the certificates, is not installed")
async def test_a_server_is_trusted_by_its_certificate_only(tmp_path: Path) -> None:
    certify(tmp_path)
    server = Server(
        tmp_path,
        IGGY_TCP_TLS_ENABLED="true",
        IGGY_TCP_TLS_SELF_SIGNED="false",
        IGGY_TCP_TLS_CERT_FILE=str(tmp_path / "cert.pem"),
        IGGY_TCP_TLS_KEY_FILE=str(tmp_path / "key.pem"),
    )
    trusting = replace(server.address, tls=True, tls_domain="localhost", tls_ca_file=str(tmp_path / "ca.pem"))
    await server.start(trusting)
    try:
        async with await IggyLog.open(trusting) as log:
            await log.create_topic("orders", 1)
            assert await log.append("orders", 0, numbered(3)) == 0
            assert list((await log.read("orders", 0, 0, 10)).records) == numbered(3)
        for wrong in (replace(trusting, tls_ca_file=None), replace(trusting, tls_domain="other.example")):
            with pytest.raises(
                LogUnavailableError, match=r"or its certificate is not trusted .* tls_ca_file and tls_dom"
            ):
                await IggyLog.open(wrong)
        with pytest.raises(LogUnavailableError, match="one that speaks TLS needs tls=true"):
            await IggyLog.open(server.address)
    finally:
        await server.kill()
