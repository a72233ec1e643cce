"""Run again whenever schema files change: once per burst of changes, and not for what the run itself writes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Final

from wakuwaku_gen.cli.terminal import show

__all__ = ["bursts", "keep_running"]

_BELL: Final = "\a"
#: How long a file has to be left alone until a burst of changes counts as over, milliseconds.
_CALM: Final = 50


def keep_running(changes: Iterable[Sequence[str]], run: Callable[[], int], schemas: Path) -> None:
    """Run once, then after each burst of changes, until there are no more or Ctrl-C; ring the bell when a run fails.

    A broken schema leaves the last good output alone, since a run with errors writes nothing; and what a run leaves
    that is interrupted, the next one repairs.
    """
    try:
        _ring(run())
        show(err=[f"watching {schemas} for changes; Ctrl-C ends"])
        for names in changes:
            show(err=[f"{_listed(names)} changed"])
            _ring(run())
    except KeyboardInterrupt:
        pass
    show(err=["stopped watching"])


def _ring(code: int) -> None:
    if code:
        show(err=_BELL)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def bursts(schemas: Path, ours: Sequence[Path], stop: Event | None = None) -> Iterator[Sequence[str]]:
    """Yield the changed schema files, sorted, burst by burst, until `stop`; Ctrl-C comes through.

    Files below the folders in `ours` do not count, even when those lie among the schemas.
    """
    from watchfiles import watch  # noqa: PLC0415 - nothing else needs it

    mine = tuple(f"{folder.resolve()}{os.sep}" for folder in ours)

    def counts(_: object, path: str) -> bool:
        return path.endswith(".toml") and not path.startswith(mine)

    root = schemas.resolve()
    for changes in watch(root, watch_filter=counts, step=_CALM, stop_event=stop):
        yield sorted({(schemas / Path(path).relative_to(root)).as_posix() for _, path in changes})
