"""`wakuwaku topics`: which topics a log holds, and how many records."""

from __future__ import annotations

from typing import Annotated

import typer

from wakuwaku.cli.opening import Stream, Url, on_log
from wakuwaku.log import Log

__all__ = ["topics"]


def topics(
    url: Url,
    stream: Stream = "default",
    consumer: Annotated[str | None, typer.Option(help="Also show how far this consumer is.")] = None,
) -> None:
    """List topics with their partitions: first and next offset, and a consumer's lag."""

    async def rows(log: Log) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        for topic in await log.topics():
            for partition in range(topic.partitions):
                bounds = await log.bounds(topic.name, partition)
                row: tuple[str, ...] = (topic.name, str(partition), str(bounds.first), str(bounds.end))
                if consumer is not None:
                    stored = await log.load_offset(consumer, topic.name, partition)
                    done = bounds.first if stored is None else stored + 1
                    row = (*row, "-" if stored is None else str(stored), str(max(0, bounds.end - done)))
                found.append(row)
        return found

    header: tuple[str, ...] = ("topic", "partition", "first", "next")
    if consumer is not None:
        header = (*header, "stored", "lag")
    table = on_log(url, stream, rows)
    if not table:
        typer.echo(f"no topics in stream {stream!r}")
        return
    widths = [max(len(row[column]) for row in (header, *table)) for column in range(len(header))]
    for row in (header, *table):
        first, *numbers = (
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        typer.echo("  ".join((first, *numbers)))
