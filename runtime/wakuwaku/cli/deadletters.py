"""`wakuwaku dead`: what a consumer could not handle."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, cast

import typer

from wakuwaku.cli.opening import Stream, Url, on_log
from wakuwaku.deadletter import DeadLetter, dead_topic
from wakuwaku.errors import DecodeError, TopicNotFoundError
from wakuwaku.log import Log

__all__ = ["app"]

app = typer.Typer(help="Look at dead letters.", no_args_is_help=True)

Topic = Annotated[str, typer.Option("--topic", "-t", help="The main topic.")]
ConsumerName = Annotated[str, typer.Option("--consumer", "-c", help="The consumer's name.")]


async def _letters(log: Log, topic: str, consumer: str) -> AsyncIterator[tuple[int, int, DeadLetter]]:
    """Yield partition, offset and letter of all dead letters."""
    name = dead_topic(topic, consumer)
    info = await log.topic(name)
    if info is None:
        raise TopicNotFoundError(f"there is no topic {name!r}: consumer {consumer!r} never read topic {topic!r} here")
    for partition in range(info.partitions):
        offset = (await log.bounds(name, partition)).first
        while page := await log.read(name, partition, offset, 1000):
            for at, record in zip(page.offsets, page.records, strict=True):
                yield partition, at, DeadLetter.from_record(record)
            offset = page.offsets[-1] + 1


@app.command("list")
def list_letters(url: Url, topic: Topic, consumer: ConsumerName, stream: Stream = "default") -> None:
    """List dead letters: where they are, where they come from, and why they are dead."""

    async def run(log: Log) -> int:
        count = 0
        async for partition, at, letter in _letters(log, topic, consumer):
            count += 1
            when = datetime.fromtimestamp(letter.dead_at_ms / 1000, UTC).isoformat(timespec="seconds")
            typer.echo(
                f"{partition}/{at}  {when}  {letter.reason}  from {letter.topic}/{letter.partition} offset "
                f"{letter.offset}  {letter.handler or 'no handler'}: {letter.error_type}: {_one_line(letter.message)}"
            )
        return count

    count = on_log(url, stream, run)
    typer.echo(f"{count} dead letter{'' if count == 1 else 's'}", err=True)


@app.command("show")
def show_letter(
    url: Url,
    topic: Topic,
    consumer: ConsumerName,
    letter: Annotated[str, typer.Argument(metavar="PARTITION/OFFSET", help="As `dead list` shows it.")],
    stream: Stream = "default",
) -> None:
    """Show one dead letter with its traceback; the body is shown as hexadecimal digits."""
    try:
        partition, offset = (int(part) for part in letter.split("/"))
    except ValueError:
        typer.echo(f"wakuwaku: {letter!r} is not PARTITION/OFFSET, such as 0/17", err=True)
        raise typer.Exit(2) from None

    async def run(log: Log) -> DeadLetter | None:
        page = await log.read(dead_topic(topic, consumer), partition, offset, 1)
        if not page or page.offsets[0] != offset:
            return None
        try:
            return DeadLetter.from_record(page.records[0])
        except DecodeError as error:
            typer.echo(f"wakuwaku: {error}", err=True)
            raise typer.Exit(1) from None

    found = on_log(url, stream, run)
    if found is None:
        typer.echo(f"wakuwaku: there is no dead letter at {letter}", err=True)
        raise typer.Exit(1)
    for field in found.__struct_fields__:
        text = _shown(getattr(found, field))
        typer.echo(f"{field}: {text}" if "\n" not in text else f"{field}:\n{text.rstrip()}")


def _shown(value: object) -> str:
    """Return a field's value as text: bytes as hexadecimal digits, headers by name."""
    match value:
        case bytes():
            return value.hex()
        case dict():
            headers = cast("dict[str, bytes]", value)
            return ", ".join(f"{name}={raw.hex()}" for name, raw in headers.items())
        case _:
            return printable(str(value))


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Return text without characters that a terminal would take as commands; lines and tabs stay."""
    return "".join(one if one.isprintable() or one in "\n\t" else f"\\x{ord(one):02x}" for one in text)
