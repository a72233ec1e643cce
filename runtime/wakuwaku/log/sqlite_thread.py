"""`ConnectionThread`: one SQLite connection with a thread of its own, off the event loop."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from concurrent.futures import Future
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, final

from wakuwaku.errors import LogError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

__all__ = ["ConnectionThread", "Outcome", "Work"]

Work: TypeAlias = "Callable[[sqlite3.Connection], Any]"


class Outcome(NamedTuple):
    """Hold what a work returned, or the error it ended with."""

    value: Any = None
    error: BaseException | None = None


class _Job(NamedTuple):
    work: Work
    future: asyncio.Future[Any]
    size: int


@final
class ConnectionThread:
    """Run works one behind another on a connection only this thread uses.

    For each round it takes the next work, calls `begin`, takes what else is waiting by then as long as the sizes add
    up to less than `round_size`, and calls `run` with all of them. It sleeps while there is nothing to do, outlives any
    error, and as a daemon it never keeps the interpreter alive.
    """

    def __init__(
        self,
        name: str,
        *,
        connect: Callable[[], sqlite3.Connection],
        begin: Callable[[sqlite3.Connection], None],
        run: Callable[[sqlite3.Connection, Sequence[Work]], Sequence[Outcome]],
        round_size: int,
    ) -> None:
        self._connect = connect
        self._begin = begin
        self._run = run
        self._round_size = round_size
        self._inbox: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._opened: Future[None] = _started_future()
        self._finished: Future[None] = _started_future()
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)

    async def start(self) -> None:
        """Start the thread and return when the connection is open. Raises what `connect` raises."""
        self._thread.start()
        await asyncio.wrap_future(self._opened)

    async def submit(self, work: Work, size: int = 0) -> Any:
        """Run a work in the thread and return what it returns. Raises what it raises.

        When the caller is cancelled the work is either done in its turn or left out, never half done.
        """
        if os.getpid() != self._process:
            raise LogError("the log was opened before this process was forked; open it again in the new process")
        future = asyncio.get_running_loop().create_future()
        self._inbox.put(_Job(work, future, size))
        return await future

    def stop(self, then: Callable[[], None] | None = None) -> None:
        """Ask the thread to finish what was submitted, close the connection and end. Does not wait.

        `then` is called when the connection is closed, at once when the thread was never started.
        """
        self._inbox.put(None)
        if then is None:
            return
        if self._thread.ident is None:
            then()
        else:
            self._finished.add_done_callback(lambda _: then())

    async def finished(self) -> None:
        """Wait until the thread has let go of the connection."""
        await asyncio.wrap_future(self._finished)

    def _serve(self) -> None:
        try:
            connection = self._connect()
        except BaseException as error:  # noqa: BLE001 - handed to the one who waits in start()
            self._opened.set_exception(error)
        else:
            self._opened.set_result(None)
            with closing(connection):
                while self._serve_round(connection):
                    pass
        finally:
            self._finished.set_result(None)

    def _serve_round(self, connection: sqlite3.Connection) -> bool:
        job = self._inbox.get()
        if job is None:
            return False
        jobs = [job]
        go_on = True
        try:
            self._begin(connection)
        except BaseException as error:  # noqa: BLE001 - handed to those who wait
            _settle(jobs, [Outcome(error=error)])
            return True
        size = job.size
        with suppress(queue.Empty):
            while go_on and size < self._round_size:
                job = self._inbox.get_nowait()
                if job is None:
                    go_on = False
                elif not job.future.cancelled():
                    jobs.append(job)
                    size += job.size
        try:
            outcomes = self._run(connection, [job.work for job in jobs])
        except BaseException as error:  # noqa: BLE001 - handed to those who wait; the thread must live on
            outcomes = [Outcome(error=error)] * len(jobs)
        _settle(jobs, outcomes)
        return go_on


def _started_future() -> Future[None]:
    future: Future[None] = Future()
    future.set_running_or_notify_cancel()  # from here on, nobody who waits for it can cancel it
    return future


def _settle(jobs: Sequence[_Job], outcomes: Sequence[Outcome]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Outcome]]] = {}
    for job, outcome in zip(jobs, outcomes, strict=True):
        by_loop.setdefault(job.future.get_loop(), []).append((job.future, outcome))
    for loop, settled in by_loop.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_deliver, settled)


def _deliver(settled: Sequence[tuple[asyncio.Future[Any], Outcome]]) -> None:
    for future, (value, error) in settled:
        if future.done():
            continue  # the caller was cancelled
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)
