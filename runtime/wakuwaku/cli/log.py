"""`wakuwaku log`: read a log, and look after the file of an embedded one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from wakuwaku.cli.log_tail import tail
from wakuwaku.cli.opening import Stream, Url
from wakuwaku.cli.quantities import duration, shown_bytes, size
from wakuwaku.errors import ConfigError, WakuwakuError
from wakuwaku.log import (
    Retention,
    check,
    compact,
    connect,
    export_log,
    forget,
    import_log,
    move_into,
    retention_of,
    set_retention,
)
from wakuwaku.log.iggy_address import without_secret
from wakuwaku.log.url import file_of

__all__ = ["app"]

app = typer.Typer(help="Read a log, and look after the file of an embedded one.", no_args_is_help=True)
app.command("tail")(tail)

Topic = Annotated[str, typer.Option("--topic", "-t", help="The topic.")]


@app.command("check")
def check_log(url: Url) -> None:
    """Read the whole file and tell what is wrong with it; exits with 1 when something is."""
    with _told():
        found = check(_file(url))
    for gap in found.gaps:
        typer.echo(f"{gap.place}: no records at offsets {gap.start} to {gap.stop - 1}")
    for problem in found.problems:
        typer.echo(f"wakuwaku: {problem}", err=True)
    typer.echo(
        f"{found.records:,} records in {found.topics:,} topics, {shown_bytes(found.size)}, log format {found.format}:"
        f" {'damaged' if found.problems else 'sound'}"
    )
    if found.problems:
        raise typer.Exit(1)


@app.command("compact")
def compact_log(
    url: Url,
    *,
    vacuum: Annotated[
        bool, typer.Option("--vacuum/--no-vacuum", help="Write the file anew, to give room back to the disk.")
    ] = True,
) -> None:
    """Remove the records that the topics' retention lets go of, and make the file small."""
    with _told():
        done = compact(_file(url), vacuum=vacuum)
    for (stream, topic, partition), removed in done.removed.items():
        typer.echo(f"{stream}/{topic}/{partition}: removed {removed.records:,} records, {shown_bytes(removed.size)}")
    for kept in done.kept:
        typer.echo(
            f"{kept.stream}/{kept.topic}/{kept.partition}: older records stay, consumer {kept.consumer!r} needs them"
            f" from offset {kept.needs} on; if it is gone for good: wakuwaku log forget"
        )
    typer.echo(f"{shown_bytes(done.size_before)} before, {shown_bytes(done.size_after)} now")
    if done.in_use:
        typer.echo("another program was reading, so the file is not cut yet; the next commit or compact does it")


@app.command("retention")
def retention(
    url: Url,
    *,
    topic: Topic,
    stream: Stream = "default",
    max_age: Annotated[str | None, typer.Option(help="Let go of what is older, such as 36h or 7d.")] = None,
    max_bytes: Annotated[
        str | None, typer.Option(help="Let go of the oldest of a partition beyond this, as 2G.")
    ] = None,
    drop_consumed: Annotated[bool, typer.Option("--drop-consumed", help="Let go of what all consumers did.")] = False,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Keep all again.")] = False,
) -> None:
    """Show or set what a topic keeps; `compact` acts on it, and no consumer loses what it has yet to read."""
    with _told():
        file = _file(url)
        if keep_all or drop_consumed or max_age is not None or max_bytes is not None:
            wanted = Retention(
                max_age=None if max_age is None else duration(max_age),
                max_bytes=None if max_bytes is None else size(max_bytes),
                drop_consumed=drop_consumed,
            )
            if keep_all and wanted != Retention():
                raise ConfigError("--keep-all goes with no other option")
            set_retention(file, topic, wanted, stream=stream)
        kept = retention_of(file, topic, stream=stream)
    reasons = [
        *([f"older than {kept.max_age:g} s"] if kept.max_age is not None else []),
        *([f"beyond {shown_bytes(kept.max_bytes)} of a partition"] if kept.max_bytes is not None else []),
        *(["done by all consumers"] if kept.drop_consumed else []),
    ]
    typer.echo(f"{topic}: " + (f"compact lets go of what is {', or '.join(reasons)}" if reasons else "all is kept"))


@app.command("forget")
def forget_consumer(
    url: Url,
    topic: Topic,
    consumer: Annotated[str, typer.Option("--consumer", "-c", help="The consumer that will not come back.")],
    stream: Stream = "default",
) -> None:
    """Forget how far a consumer is, so that nothing is kept for it any more."""
    with _told():
        known = forget(_file(url), topic, consumer, stream=stream)
    typer.echo(f"forgot {consumer!r}" if known else f"{consumer!r} is not known on topic {topic!r}")


@app.command("export")
def export(
    url: Url,
    stream: Stream = "default",
    topic: Annotated[list[str] | None, typer.Option("--topic", "-t", help="Only this one; may be repeated.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file, instead of standard output.")] = None,
) -> None:
    """Write records and stored offsets as lines of JSON."""
    with _told():
        lines = export_log(_file(url), stream=stream, topics=topic)
        if output is None:
            _write(lines, sys.stdout.buffer)
        else:
            with output.open("xb") as file:
                _write(lines, file)


@app.command("import")
def import_lines(
    url: Url,
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="An export; standard input if none.")] = None,
    stream: Annotated[str | None, typer.Option("--stream", "-s", help="Another stream than the export's.")] = None,
) -> None:
    """Read an export into empty topics: all of it or nothing, offsets kept; other logs give offsets of their own."""
    with _told(), sys.stdin.buffer if source is None else source.open("rb") as lines:
        file = file_of(url)
        if file is not None:
            done = import_log(file, lines, stream=stream)
            typer.echo(f"{done.records:,} records in {done.topics:,} topics, {done.stored:,} stored offsets")
        else:
            count = asyncio.run(_move(url, lines, stream or "default"))
            typer.echo(f"{count:,} records, offsets as the log gave them")


async def _move(url: str, lines: Iterable[bytes], stream: str) -> int:
    async with await connect(url, stream=stream) as log:
        return await move_into(log, lines)


def _write(lines: Iterable[bytes], file: BinaryIO) -> None:
    file.writelines(lines)
    file.flush()


def _file(url: str) -> Path:
    file = file_of(url)
    if file is None:
        shown = without_secret(url)
        raise ConfigError(f"{shown!r} is no embedded log; this needs its file, as sqlite:///events.db")
    return file


@contextmanager
def _told() -> Generator[None]:
    """Tell an error in one line and exit with 2."""
    try:
        yield
    except BrokenPipeError:
        raise  # `| head` has seen enough; the command line ends in silence
    except (WakuwakuError, OSError, ValueError) as error:
        typer.echo(f"wakuwaku: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
