"""`wakuwaku log tail`: the last records of a topic, for people."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
import typer

from wakuwaku.cli.opening import Stream, Url, on_log
from wakuwaku.errors import HeaderError, TopicNotFoundError
from wakuwaku.headers import Record, parse_head
from wakuwaku.log import Log

__all__ = ["shown_record", "tail"]

#: Seconds between two looks at the end of a log.
INTERVAL = 0.2
PAGE = 1_000


def tail(
    url: Url,
    *,
    topic: Annotated[str, typer.Option("--topic", "-t", help="The topic.")],
    stream: Stream = "default",
    partition: Annotated[
        list[int] | None, typer.Option("--partition", "-p", help="Only this one; may be repeated.")
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="Begin this many offsets before the end.")] = 10,
    start: Annotated[int | None, typer.Option("--from", min=0, help="Begin at this offset instead.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is appended, until Ctrl-C.")] = False,
) -> None:
    """Show the last records of each partition, one a line: place, tag, key, fence, algebra and body.

    A body of MessagePack is shown as JSON, another one as hexadecimal digits.
    """

    async def run(log: Log) -> None:
        info = await log.topic(topic)
        if info is None:
            raise TopicNotFoundError(f"there is no topic {topic!r} in stream {stream!r}")
        offsets: dict[int, int] = {}
        for one in partition or range(info.partitions):
            bounds = await log.bounds(topic, one)
            offsets[one] = max(bounds.first, bounds.end - count) if start is None else start
        while await _show_new(log, topic, offsets) or follow:
            if follow:
                await asyncio.sleep(INTERVAL)

    on_log(url, stream, run)


async def _show_new(log: Log, topic: str, offsets: dict[int, int]) -> bool:
    """Print a page of each partition and move the offsets behind it; return whether there was any."""
    found = False
    for partition, offset in offsets.items():
        page = await log.read(topic, partition, offset, PAGE)
        for at, record in zip(page.offsets, page.records, strict=True):
            typer.echo(f"{partition}/{at}  {shown_record(record)}")
        if page:
            offsets[partition] = page.offsets[-1] + 1
            found = True
    return found


def shown_record(record: Record) -> str:
    """Return a record as one line."""
    try:
        head = parse_head(record)
        shown = f"tag {head.tag}  key {head.key:016x}  {head.ordering.name.lower()}  {head.algebra.name.lower()}"
    except HeaderError as error:
        shown = str(error)
    extra = {name: value.hex() for name, value in (record.extra or {}).items()}
    headers = f"  {msgspec.json.encode(extra).decode()}" if extra else ""
    return f"{shown}{headers}  {_shown_body(record.body)}"


def _shown_body(body: bytes) -> str:
    try:
        value = msgspec.msgpack.decode(body)
        # Bodies of events are maps or arrays; of anything else it is chance that it decodes.
        return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else body.hex()
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return body.hex() or "(empty)"
