"""`IggyLog`: records in a stream of an Apache Iggy server, in the Rust system's format."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import warnings
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Final, NoReturn, Self, final

from apache_iggy import Consumer, PollingStrategy

from wakuwaku.errors import LogError, NoLeasesError, TopicNotFoundError
from wakuwaku.log.arguments import check_count, check_name, check_offset, check_partition, check_partitions
from wakuwaku.log.iggy_address import check_server_name
from wakuwaku.log.iggy_connection import Connection, knows_the_layout
from wakuwaku.log.iggy_messages import message_of, page_of_messages, requests_of
from wakuwaku.log.iggy_poll import LayoutError, Polled, parse_poll
from wakuwaku.log.iggy_topics import Topics
from wakuwaku.log.iggy_wire import GET_OFFSET, POLL, STORE_OFFSET, Place, parse_stored_offset
from wakuwaku.log.open_log import OpenLog
from wakuwaku.log.protocol import Bounds, Lease, Page, TopicInfo

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Sequence

    from apache_iggy import IggyClient, SendMessage, SendMessagesResponse

    from wakuwaku.headers import Record
    from wakuwaku.log.iggy_address import Address

__all__ = ["IggyLog"]

_logger: Final = logging.getLogger("wakuwaku.log")

#: The consumer in whose name pages are read. It stores no offset.
_READER: Final = "wakuwaku-reader"
#: Messages of one poll at most, and bytes that a reply is meant to have: a server puts all that is asked for into one.
_MAX_POLL: Final = 10_000
_PAGE_BYTES: Final = 16 * 1024 * 1024
_NOTHING: Final = Page((), ())


@final
class IggyLog(OpenLog):
    """Keep records on an Apache Iggy server. Open one with `await IggyLog.open(address_of(url))`.

    Offsets start at 0; a crash of the server may leave gaps. An append is one request, whole or absent, and returns
    when the topic's durability is reached; only one of more than 32 MiB is split, in order. Appends to one partition
    from this object happen in the order of the calls. A call that is cancelled has its effect or is never sent.

    Use one object from one event loop, and make another one after a fork. There are no leases: give each partition to
    one instance of a consumer. The stream is created with the first topic.
    """

    def __init__(self, address: Address, stream: str) -> None:
        self._address = address
        self._stream = stream
        self._connection = Connection(address)
        self._topics = Topics(self._connection, address, stream)
        self._known: dict[str, TopicInfo] = {}
        self._record_bytes: dict[str, int] = {}  # of a record in the topic's last page
        self._appending: defaultdict[tuple[str, int], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._raw = knows_the_layout()

    @classmethod
    async def open(cls, address: Address, *, stream: str = "default", create: bool = True) -> Self:
        """Connect and sign in; with `create` false the stream has to exist.

        Raises `LogUnavailableError` when no server answers, another `LogError` when it refuses user or password or has
        no such stream, and `ValueError` for a bad stream name.
        """
        check_server_name("stream", stream)
        log = cls(address, stream)
        try:
            await log._connection.open()
            if not create:
                await log._topics.check_stream()
        except BaseException:
            await log.close()
            raise
        return log

    def __repr__(self) -> str:
        state = " closed" if self._connection.closed else ""
        return f"<IggyLog {str(self._address)!r} stream={self._stream!r}{state}>"

    def __del__(self, _warn: Callable[..., None] = warnings.warn) -> None:
        if not self._connection.closed:
            _warn(f"unclosed log {self!r}", ResourceWarning, source=self)

    async def topics(self) -> Sequence[TopicInfo]:
        """Return all topics of the stream, sorted by name; none when there is no such stream."""
        return await self._topics.all()

    async def topic(self, name: str) -> TopicInfo | None:
        """Return a topic, or None when it does not exist, or no topic could have the name."""
        self._connection.check_open()
        try:
            check_server_name("topic", name)
        except ValueError:
            return None
        info = await self._topics.find(name)
        self._remember(name, info)
        return info

    async def create_topic(self, name: str, partitions: int) -> TopicInfo:
        """Create a topic that never lets go of a record, or return one that exists with as many partitions.

        Raises `TopicMismatchError` when it exists with another number, or lets records go by age or size.
        """
        self._connection.check_open()
        check_server_name("topic", name)
        check_partitions(partitions)
        info = await self._topics.create(name, partitions)
        self._remember(name, info)
        return info

    async def bounds(self, topic: str, partition: int) -> Bounds:
        """Return which offsets a partition holds now. Raises `TopicNotFoundError`."""
        await self._check(topic, partition)
        page, current = await self._poll(topic, partition, 0, 1)
        if page:
            return Bounds(page.offsets[0], max(current, page.offsets[0]) + 1)
        return Bounds(current + 1, current + 1) if current else Bounds(0, 0)

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        """Append records behind one another and return the first one's offset, or None where the server does not tell.

        Raises `TopicNotFoundError`, `ValueError` for a record of more than 64 MB, and `NoLeasesError` for a `lease`:
        this log gives none.
        """
        self._connection.check_open()
        if lease is not None:
            _refuse_lease()
        requests = [[message_of(record) for record in part] for part in requests_of(records)] if records else []
        await self._check(topic, partition)
        return await self._connection.finish(self._append(topic, partition, requests)) if requests else None

    async def _append(self, topic: str, partition: int, requests: Sequence[list[SendMessage]]) -> int | None:
        base: int | None = None
        async with self._appending[topic, partition]:  # to the end, so that nothing of a cancelled call comes later
            for number, messages in enumerate(requests):
                send = partial(_send, stream=self._stream, topic=topic, partition=partition, messages=messages)
                with self._noticing(topic):
                    response = await self._connection.send(send)
                if number == 0 and response.confirmations:
                    base = response.confirmations[0].base_offset
        return base

    async def read(self, topic: str, partition: int, offset: int, count: int) -> Page:
        """Return up to `count` records from `offset` on, 10 000 at most, and fewer after a page of large ones.

        An offset behind the end gives an empty page. Raises `TopicNotFoundError`.
        """
        self._connection.check_open()
        check_offset(offset)
        check_count(count)
        await self._check(topic, partition)
        if not count:
            return _NOTHING
        room = max(1, _PAGE_BYTES // self._record_bytes.get(topic, 1))
        page = (await self._poll(topic, partition, offset, min(count, _MAX_POLL, room))).page
        if page:
            self._record_bytes[topic] = max(1, sum(len(record.body) for record in page.records) // len(page))
        return page

    async def load_offset(self, consumer: str, topic: str, partition: int) -> int | None:
        """Return the offset the consumer stored last, or None. Raises `TopicNotFoundError`."""
        await self._check(topic, partition)
        place = Place(consumer, self._stream, topic, partition)
        with self._noticing(topic):
            reply = await self._connection.call(
                lambda client: client.send_binary_request(GET_OFFSET, place.get_offset())
            )
        try:
            return parse_stored_offset(reply)
        except ValueError as error:
            raise LogError(f"{self._address}: the server tells a stored offset in a way of its own: {error}") from error

    async def store_offset(
        self, consumer: str, topic: str, partition: int, offset: int, *, lease: Lease | None = None
    ) -> None:
        """Store the last offset that is done; a lower one than before is taken too.

        Raises `TopicNotFoundError`, `OffsetOutOfRangeError` for an offset that the partition does not hold, and
        `NoLeasesError` for a `lease`: this log gives none.
        """
        self._connection.check_open()
        check_name("consumer", consumer)
        check_offset(offset)
        if lease is not None:
            _refuse_lease()
        await self._check(topic, partition)
        place = Place(consumer, self._stream, topic, partition)
        with self._noticing(topic):
            await self._connection.call(
                lambda client: client.send_binary_request(STORE_OFFSET, place.store_offset(offset))
            )

    async def lease(self, consumer: str, topic: str, partition: int, *, holder: str, seconds: float) -> Lease:
        """Refuse: a server of Iggy keeps no leases. Raises `NoLeasesError`."""
        del consumer, holder, seconds
        await self._check(topic, partition)
        _refuse_lease()

    async def close(self) -> None:
        """Finish what was begun and sign out. Closing twice is fine."""
        await self._connection.close()

    def _remember(self, name: str, info: TopicInfo | None) -> None:
        if info is None:
            self._known.pop(name, None)
        else:
            self._known[name] = info

    async def _check(self, topic: str, partition: int) -> None:
        """Refuse a partition that does not exist; what was seen once is taken to be there."""
        self._connection.check_open()
        info = self._known.get(topic)
        if info is None or not 0 <= partition < info.partitions:
            info = await self.topic(topic)
            check_partition(topic, partition, None if info is None else info.partitions)

    @contextlib.contextmanager
    def _noticing(self, topic: str) -> Generator[None]:
        """Look a topic up anew after the server said that it does not exist."""
        try:
            yield
        except TopicNotFoundError:
            self._known.pop(topic, None)
            raise

    async def _poll(self, topic: str, partition: int, offset: int, count: int) -> Polled:
        if self._raw:
            payload = Place(_READER, self._stream, topic, partition).poll(offset, count)
            with self._noticing(topic):
                reply = await self._connection.call(lambda client: client.send_binary_request(POLL, payload))
            try:
                return parse_poll(reply)
            except LayoutError as error:
                self._raw = False
                _logger.warning("%s: pages are read message by message from here on, which is slower: %s", self, error)
        return await self._poll_typed(topic, partition, offset, count)

    async def _poll_typed(self, topic: str, partition: int, offset: int, count: int) -> Polled:
        with self._noticing(topic):
            messages = await self._connection.call(
                lambda client: client.poll_messages(
                    self._stream,
                    topic,
                    consumer=Consumer.Single(_READER),
                    polling_strategy=PollingStrategy.Offset(offset),
                    count=count,
                    auto_commit=False,
                    partition_id=partition,
                )
            )
            details = await self._connection.call(lambda client: client.get_topic(self._stream, topic))
        current = {one.id: one.current_offset for one in details.partitions} if details is not None else {}
        return Polled(page_of_messages(messages), current.get(partition, 0))


def _send(
    client: IggyClient, *, stream: str, topic: str, partition: int, messages: list[SendMessage]
) -> Awaitable[SendMessagesResponse]:
    return client.send_messages(stream, topic, partition, messages)


def _refuse_lease() -> NoReturn:
    raise NoLeasesError(
        "a server of Iggy keeps no leases: set lease_seconds=None, and give each partition to one instance of a"
        " consumer"
    )
