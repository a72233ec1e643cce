"""The things a service is made of, by their types: made one after another, closed in reverse order."""

from __future__ import annotations

import inspect
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TYPE_CHECKING, Any, TypeVar, cast, final

from wakuwaku.errors import StartError
from wakuwaku.service.needs import needs_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType
    from typing import Self

__all__ = ["Services"]

T = TypeVar("T")


@final
class Services:
    """Hold the things of a service by type, and close those that have to be closed.

    What is an async context manager is entered when it comes in, and left when the services are closed, the last one
    first; what entering it returned is what others get. Closing twice is fine.
    """

    def __init__(self) -> None:
        self._values: list[object] = []
        self._stack = AsyncExitStack()

    def provide(self, kind: type[T], *, needed_by: str = "") -> T:
        """Return the thing of a type: the one of exactly this class, or else the only one of a subclass.

        Raises `StartError` when there is none or more than one; it names `needed_by` and what there is.
        """
        exact: list[object] = [value for value in self._values if type(value) is kind]
        fitting = exact or [value for value in self._values if _is_a(value, kind)]
        if len(fitting) == 1:
            return cast("T", fitting[0])
        raise StartError(self._told(kind, needed_by, fitting))

    def has(self, kind: type) -> bool:
        """Tell whether there is anything of a type."""
        return any(_is_a(value, kind) for value in self._values)

    def lend(self, value: T) -> T:
        """Add a thing that belongs to somebody else: it is neither entered nor closed."""
        self._values.append(value)
        return value

    async def push(self, value: object) -> object:
        """Add a thing, and return it as others get it: an async context manager is entered first."""
        entered = value
        if isinstance(value, AbstractAsyncContextManager):
            manager = cast("AbstractAsyncContextManager[object]", value)
            entered = await self._stack.enter_async_context(manager)
        self._values.append(entered)
        return entered

    async def construct(self, kind: Callable[..., T]) -> T:
        """Make a thing, its constructor's arguments by their annotations, and add it. Raises `StartError`."""
        return cast("T", await self.push(await _settled(self.make(kind))))

    async def compose(self, make: Callable[[Services], T | Awaitable[T]]) -> T:
        """Make a thing with a function of the services, which may be a coroutine function, and add it."""
        return cast("T", await self.push(await self.made_by(make)))

    def make(self, kind: Callable[..., T]) -> T:
        """Make a thing, its constructor's arguments by their annotations, without adding it. Raises `StartError`."""
        arguments: dict[str, Any] = {}
        for need in needs_of(kind):
            if self.has(need.kind) or need.required:
                arguments[need.parameter] = self.provide(need.kind, needed_by=need.told)
        return kind(**arguments)

    async def made_by(self, make: Callable[[Services], object]) -> object:
        """Return what a function of the services makes, awaited where it has to be."""
        return await _settled(make(self))

    async def close(self) -> None:
        """Leave everything that was entered, the last one first; all are left, whatever one of them raises."""
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, traceback)

    def _told(self, kind: type, needed_by: str, fitting: list[object]) -> str:
        who = f"{needed_by} needs" if needed_by else "the program asks for"
        name = getattr(kind, "__qualname__", repr(kind))
        if fitting:
            found = ", ".join(type(value).__qualname__ for value in fitting)
            return (
                f"{who} a {name}, and there are {len(fitting)}: {found}. Give one a class of its own, or make what"
                " needs it with compose or compose_consumer, where you choose"
            )
        there_is = ", ".join(sorted({type(value).__qualname__ for value in self._values})) or "nothing yet"
        return (
            f"{who} a {name}, and nothing here is one; there is {there_is}."
            " Add it before with push, construct or compose"
        )


def _is_a(value: object, kind: type) -> bool:
    try:
        return isinstance(value, kind)
    except TypeError:  # a Protocol that is not checkable at run time: only its own class would do
        return False


async def _settled(made: object) -> object:
    """Await what a coroutine function made; what can be entered is left to that, such as a pool of asyncpg."""
    if inspect.isawaitable(made) and not isinstance(made, AbstractAsyncContextManager):
        return await cast("Awaitable[object]", made)
    return made
