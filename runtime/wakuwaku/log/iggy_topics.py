"""Topics on an Iggy server: create one that keeps everything, and check one that exists."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from apache_iggy import Durability, IggyExpiry, MaxTopicSize

from wakuwaku.errors import LogError, TopicMismatchError
from wakuwaku.log.arguments import check_same_partitions
from wakuwaku.log.iggy_errors import UNKNOWN_OPTION
from wakuwaku.log.iggy_wire import CREATE_TOPIC, create_topic
from wakuwaku.log.protocol import TopicInfo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from apache_iggy import IggyClient, TopicDetails

    from wakuwaku.log.iggy_address import Address
    from wakuwaku.log.iggy_connection import Connection

__all__ = ["Topics"]

_logger: Final = logging.getLogger("wakuwaku.log")

#: What the option for durability is called before and from version 0.9.0 of the server.
_FSYNC_OPTION: Final = "enforce_fsync"
_DURABILITY_OPTION: Final = "durability"


class Topics:
    """Look after the topics of one stream."""

    def __init__(self, connection: Connection, address: Address, stream: str) -> None:
        self._connection = connection
        self._address = address
        self._stream = stream

    async def all(self) -> Sequence[TopicInfo]:
        """Return all topics, sorted by name; none when the stream does not exist."""
        if not await self.has_stream():
            return []
        topics = await self._connection.call(lambda client: client.get_topics(self._stream))
        return sorted((TopicInfo(one.name, one.partitions_count) for one in topics), key=lambda info: info.name)

    async def find(self, name: str) -> TopicInfo | None:
        """Return a topic, or None when it does not exist."""
        details = await self._details(name)
        return None if details is None else TopicInfo(details.name, details.partitions_count)

    async def has_stream(self) -> bool:
        """Tell whether the stream exists."""
        return await self._connection.call(lambda client: client.get_stream(self._stream)) is not None

    async def check_stream(self) -> None:
        """Refuse a stream that does not exist. Raises `LogError`."""
        if not await self.has_stream():
            raise LogError(
                f"{self._address}: there is no stream {self._stream!r} there; look at the name, or create it"
            )

    async def create(self, name: str, partitions: int) -> TopicInfo:
        """Create a topic that keeps all records for ever, or return the one that exists.

        Raises `TopicMismatchError` when that has another number of partitions, or lets records go by itself.
        """
        details = await self._details(name)
        if details is None:
            await self._create_stream()
            try:
                await self._create(name, partitions)
            except LogError:
                if await self._details(name) is None:  # else somebody else was faster
                    raise
            details = await self._details(name)
            if details is None:
                raise LogError(f"{self._address}: topic {name!r} was created and is not there; was it deleted again?")
        self._check(details, partitions)
        return TopicInfo(name, partitions)

    async def _details(self, name: str) -> TopicDetails | None:
        return await self._connection.call(lambda client: client.get_topic(self._stream, name))

    async def _create_stream(self) -> None:
        if not await self.has_stream():
            try:
                await self._connection.call(lambda client: client.create_stream(self._stream))
            except LogError:
                if not await self.has_stream():
                    raise

    async def _create(self, name: str, partitions: int) -> None:
        """Create a topic, with the words for durability that the server knows."""
        persisted = self._address.durability == "persisted"

        async def typed(client: IggyClient) -> None:
            policy = Durability.PERSISTED if persisted else Durability.REPLICATED
            await client.create_topic(
                self._stream,
                name,
                partitions,
                message_expiry=IggyExpiry.NeverExpire(),
                max_topic_size=MaxTopicSize.Unlimited(),
                durability=policy,
                consumer_offset_durability=policy,
            )

        async def by_catalogue(client: IggyClient) -> None:
            known = {spec.key for spec in await client.describe_options("topic")}
            options = {"message_expiry": "none", "max_topic_size": "unlimited"}
            if _FSYNC_OPTION in known:
                options[_FSYNC_OPTION] = "true" if persisted else "false"
            if persisted and "messages_required_to_save" in known:
                options["messages_required_to_save"] = "1"
            await client.send_binary_request(CREATE_TOPIC, create_topic(self._stream, name, partitions, options))

        try:
            await self._connection.call(typed)
        except LogError as error:
            if UNKNOWN_OPTION not in str(error):
                raise
            await self._connection.call(by_catalogue)

    def _check(self, details: TopicDetails, partitions: int) -> None:
        name = details.name
        check_same_partitions(name, partitions, details.partitions_count)
        if not isinstance(details.message_expiry, IggyExpiry.NeverExpire):
            raise TopicMismatchError(
                f"topic {name!r} exists, and lets records go when they are old ({_told(details.message_expiry)}): what"
                " waits there would be lost. Let its messages never expire, or delete it if nothing in it is needed"
            )
        if not isinstance(details.max_topic_size, MaxTopicSize.Unlimited):
            raise TopicMismatchError(
                f"topic {name!r} exists, and lets records go when it is full ({_told(details.max_topic_size)}): what"
                " waits there would be lost. Lift its limit, or delete it if nothing in it is needed"
            )
        if self._address.durability == "persisted" and not _is_persisted(details):
            _logger.warning(
                "topic %r was created without durability: when the server ends at once, the newest records may be "
                "lost. A topic gets its durability when it is created, so it would have to be made anew",
                name,
            )


def _is_persisted(details: TopicDetails) -> bool:
    options = {**details.derived_options.to_scalar_dict(), **details.options.to_scalar_dict()}
    return options.get(_DURABILITY_OPTION) == "persisted" or options.get(_FSYNC_OPTION) in {True, "true"}


def _told(setting: IggyExpiry | MaxTopicSize) -> str:
    match setting:
        case IggyExpiry.ExpireDuration(duration):
            return f"after {duration}"
        case MaxTopicSize.Custom(size):
            return f"{size:,} bytes"
        case _:
            return "by the server's default"
