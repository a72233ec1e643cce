"""Open the log that a command names, and tell what is wrong in words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from wakuwaku.errors import WakuwakuError
from wakuwaku.log import Log, connect

__all__ = ["Stream", "Url", "on_log"]

T = TypeVar("T")

Url = Annotated[str, typer.Argument(metavar="URL", help="Where the log is, such as sqlite:///events.db.")]
Stream = Annotated[str, typer.Option("--stream", "-s", help="The stream whose topics are meant.")]


def on_log(url: str, stream: str, do: Callable[[Log], Awaitable[T]]) -> T:
    """Open a log, do something with it, and close it; exits with 2 and a message when that is not possible."""

    async def run() -> T:
        log = await connect(url, stream=stream, create=False)
        async with log:
            return await do(log)

    try:
        return asyncio.run(run())
    except (WakuwakuError, ValueError) as error:
        typer.echo(f"wakuwaku: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
