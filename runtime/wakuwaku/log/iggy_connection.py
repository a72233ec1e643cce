"""One connection to an Iggy server that comes back by itself, and whose requests a caller can't break halfway."""

from __future__ import annotations

import asyncio
import atexit
import importlib.metadata
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar

from apache_iggy import AutoLogin, IggyClient, TcpConfig, TcpReconnectionConfig

from wakuwaku.errors import ConfigError, LogClosedError, LogUnavailableError
from wakuwaku.log.iggy_errors import explained, unreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from wakuwaku.log.iggy_address import Address

__all__ = ["Connection", "knows_the_layout"]

T = TypeVar("T")

# The client's threads let go of Python a moment after they delivered a reply. One that does so while the interpreter
# ends aborts the process, so the end waits for them.
atexit.register(time.sleep, 0.1)

#: Seconds that signing out may take when a log is closed.
_GRACE: Final = 5.0


def knows_the_layout() -> bool:
    """Tell whether the installed client speaks the protocol whose replies `iggy_poll` reads.

    Client and server refuse each other when their protocols differ, so the client's version tells the server's layout.
    """
    return importlib.metadata.version("apache-iggy").startswith("0.9.")


class Connection:
    """Send requests to one server.

    A request that was begun is finished, also when its caller is cancelled: a connection carries one request after
    another, and half of one would spoil those behind it. After a passing failure the next request connects and signs in
    first; none is sent twice, since only the caller knows whether that does harm.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._client: IggyClient | None = None
        self._connected = False
        self._connecting = asyncio.Lock()
        self._running: set[asyncio.Task[Any]] = set()
        self.closed = False

    async def open(self) -> None:
        """Connect and sign in. Raises `LogUnavailableError` when nobody answers, `LogError` when the server refuses."""
        await self.finish(self._signed_in())

    async def call(self, request: Callable[[IggyClient], Awaitable[T]]) -> T:
        """Send a request and return its reply, as `send`, but to the end also when the caller is cancelled."""
        return await self.finish(self.send(request))

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something to its end, also when the caller is cancelled. Raises `LogClosedError`, and what it raises."""
        if self.closed:
            work.close()
        self.check_open()
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def send(self, request: Callable[[IggyClient], Awaitable[T]]) -> T:
        """Send a request and return its reply, within `finish`.

        Raises `LogUnavailableError` for what may pass: then the request may have had its effect or not. Raises another
        `LogError` for what the server refused.
        """
        client = await self._signed_in()
        try:
            async with asyncio.timeout(self._address.timeout):
                return await request(client)
        except TimeoutError:
            self._forget()
            raise LogUnavailableError(
                f"{self._address}: no reply in {self._address.timeout:g} seconds; the server is asked again"
            ) from None
        except RuntimeError as error:
            meaning = explained(error, self._address)
            if isinstance(meaning, LogUnavailableError):
                self._connected = False
            raise meaning from error

    def check_open(self) -> None:
        """Refuse work after `close`. Raises `LogClosedError`."""
        if self.closed:
            raise LogClosedError(f"the log on {self._address} is closed")

    async def close(self) -> None:
        """Wait for what was begun, and sign out. Closing twice is fine."""
        self.closed = True
        while self._running:
            await asyncio.wait(self._running)
        client, self._client = self._client, None
        if client is not None and self._connected:
            self._connected = False
            try:
                async with asyncio.timeout(_GRACE):
                    await client.logout_user()
            except (RuntimeError, TimeoutError):  # the server forgets the session by itself
                return

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # a caller that was cancelled does not ask

    def _forget(self) -> None:
        """Let go of a client that may be in the middle of a request."""
        self._client = None
        self._connected = False

    async def _signed_in(self) -> IggyClient:
        async with self._connecting:
            client = self._client
            if client is None:
                client = self._client = _client_for(self._address)
            if not self._connected:
                try:
                    async with asyncio.timeout(self._address.timeout):
                        await client.connect()
                        await client.ping()
                except TimeoutError:
                    self._forget()
                    raise unreachable(self._address, f"no answer in {self._address.timeout:g} seconds") from None
                except RuntimeError as error:
                    self._forget()
                    meaning = explained(error, self._address)
                    if isinstance(meaning, LogUnavailableError):
                        meaning = unreachable(self._address, str(error))
                    raise meaning from error
                self._connected = True
            return client


def _client_for(address: Address) -> IggyClient:
    if address.username:
        login = AutoLogin.username_password(address.username, address.secret)
    else:
        login = AutoLogin.personal_access_token(address.secret)
    try:
        return IggyClient(
            TcpConfig(
                server_address=address.server,
                auto_login=login,
                # One pass over the servers it knows, so that a call fails instead of hanging while none is up.
                reconnection=TcpReconnectionConfig(
                    max_retries=0, interval=timedelta(seconds=1), reestablish_after=timedelta()
                ),
                tls_enabled=address.tls,
                tls_domain=address.tls_domain,
                tls_ca_file=address.tls_ca_file,
                nodelay=True,
            )
        )
    except (ValueError, RuntimeError) as error:
        raise ConfigError(f"{address}: {error}") from error
