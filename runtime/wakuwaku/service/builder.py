"""Put a service together: what it needs, what handles its events, and in which order all of it is made and closed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeVar, final

from wakuwaku.consumer import Consumer
from wakuwaku.errors import StartError
from wakuwaku.event import Event
from wakuwaku.handler import HandlerBundle, Ignore
from wakuwaku.service.handler_set import HandlerSet, check_opened
from wakuwaku.service.needs import needs_of, result_of
from wakuwaku.service.running import Service
from wakuwaku.service.services import Services

if TYPE_CHECKING:
    from typing import TypeAlias

    from wakuwaku.config import ConsumerConfig
    from wakuwaku.errors import ErrorClass
    from wakuwaku.log import Log

__all__ = ["ServiceBuilder"]

T = TypeVar("T")

#: What has to be entered, awaited or run before the thing itself is there.
_MADE_LATER: tuple[type, ...] = (AbstractAsyncContextManager, AsyncIterator, Awaitable)

What: TypeAlias = Literal[
    "push", "lend", "construct", "compose", "consumer", "compose_consumer", "compose_bundle", "ignore"
]


class _Step(NamedTuple):
    """Say one thing a builder was told: what to do with what, and for a handler the event it is for."""

    what: What
    subject: Any
    event: type[Event] | None = None


@final
class ServiceBuilder:
    """Put a service together from its parts and start it.

    ``ServiceBuilder(store).push(Mailer()).consumer(RecordOrder).compose_consumer(lambda s: …).start(log, config)``

    Every method returns a new builder; nothing is made before `start` or `into_parts`. Then things are made in the
    order in which they were named, so what something needs has to be named before it. A thing is found by its class,
    or by a base class of the only one that has it. What is pushed, constructed or composed belongs to the service: an
    async context manager is entered when its turn comes and left when the service stops, the last one first. What is
    lent stays the caller's.
    """

    __slots__ = ("_steps",)

    def __init__(self, *values: object) -> None:
        self._steps: Sequence[_Step] = tuple(_Step("push", value) for value in values)

    def push(self, value: object) -> Self:
        """Add a thing that belongs to the service from now on."""
        return self._with(_Step("push", value))

    def lend(self, value: object) -> Self:
        """Add a thing that stays the caller's: it is neither entered nor closed."""
        return self._with(_Step("lend", value))

    def construct(self, kind: Callable[..., object]) -> Self:
        """Make a thing, its constructor's arguments by their annotations, for those that come after it."""
        return self._with(_Step("construct", kind))

    def compose(self, make: Callable[[Services], object | Awaitable[object]]) -> Self:
        """Make a thing with a function of the services so far, which may be a coroutine function."""
        return self._with(_Step("compose", make))

    def consumer(self, kind: Callable[..., object], event: type[Event] | None = None) -> Self:
        """Make a handler, its constructor's arguments by their annotations, and have it take its event, or `event`.

        A handler is no thing that others can need.
        """
        return self._with(_Step("consumer", kind, event))

    def compose_consumer(
        self, make: Callable[[Services], object | Awaitable[object]], event: type[Event] | None = None
    ) -> Self:
        """Make a handler with a function of the services so far: one that needs several things, or is there already."""
        return self._with(_Step("compose_consumer", make, event))

    def compose_bundle(self, make: Callable[[Services], HandlerBundle | Awaitable[HandlerBundle]]) -> Self:
        """Make a generated bundle with a function of the services so far: a type checker tells of forgotten events."""
        return self._with(_Step("compose_bundle", make))

    def ignore(self, event: type[Event], reason: str = "") -> Self:
        """Say on purpose that nobody handles an event here."""
        return self._with(_Step("ignore", Ignore(reason), event))

    def provide(self, kind: type[T]) -> T:
        """Return a thing that was pushed or lent; all others are there once the service runs, in its `services`.

        Raises `StartError` when there is none or more than one.
        """
        services = Services()
        for step in self._steps:
            if step.what in {"push", "lend"}:
                services.lend(step.subject)
        return services.provide(kind)

    async def into_parts(self) -> tuple[Services, HandlerSet]:
        """Make everything, and return the things and the handlers, to go on with by hand.

        Close the services when all is over: ``async with services: …``. Raises one `StartError` with everything that
        is missing before anything is made; when making something fails, what was made is closed.
        """
        problems = list(_missing(self._steps))
        if problems:
            raise StartError("; ".join(problems))
        services = Services()
        entries: list[tuple[object, type[Event] | None]] = []
        try:
            for step in self._steps:
                await _make(step, services, entries)
        except BaseException:
            await services.close()
            raise
        return services, HandlerSet(entries)

    async def start(
        self,
        log: Log,
        config: ConsumerConfig,
        *,
        classifier: Callable[[Exception], ErrorClass | None] | None = None,
    ) -> Service:
        """Make everything, check it, and start a consumer of it.

        Raises `StartError` that says what is missing or wrong and what to do, `LogError` when the log can't be reached,
        and what making a thing raises; in each case what was made is closed, and nothing was read.
        """
        check_opened(log)
        services, handlers = await self.into_parts()
        try:
            consumer = Consumer(log, handlers.bundle(), config, classifier=classifier)
            try:
                await consumer.start()
            except BaseException:
                await consumer.abort()
                raise
        except BaseException:
            await services.close()
            raise
        return Service(services, consumer)

    def _with(self, step: _Step) -> Self:
        builder = type(self)()
        builder._steps = (*self._steps, step)  # noqa: SLF001 - a builder of the same class
        return builder

    def __repr__(self) -> str:
        return f"<service builder, {len(self._steps)} steps>"


async def _make(step: _Step, services: Services, entries: list[tuple[object, type[Event] | None]]) -> None:
    match step.what:
        case "push":
            await services.push(step.subject)
        case "lend":
            services.lend(step.subject)
        case "construct":
            await services.construct(step.subject)
        case "compose":
            await services.compose(step.subject)
        case "consumer":
            entries.append((services.make(step.subject), step.event))
        case "compose_consumer":
            entries.append((await services.made_by(step.subject), step.event))
        case "compose_bundle":
            bundle = await services.made_by(step.subject)
            if not isinstance(bundle, HandlerBundle):
                raise StartError(
                    f"compose_bundle was given a function that returned {bundle!r}; return a generated bundle, or use"
                    " compose_consumer for a single handler"
                )
            entries.extend((route.handler, route.codec.event) for route in bundle.routes().values())
        case "ignore":
            entries.append((step.subject, step.event))


def _missing(steps: Sequence[_Step]) -> list[str]:
    """Return what can be told before anything is made: who needs what nobody before them provides.

    Where something is made whose class is not known before, nothing is missing for sure behind it.
    """
    problems: list[str] = []
    known: list[type] = []
    certain = True
    for step in steps:
        if step.what in {"construct", "consumer"}:
            try:
                needs = needs_of(step.subject)
            except StartError as error:
                problems.append(str(error))
                needs = []
            problems += [
                f"{need.told} needs a {need.kind.__qualname__}, and nothing before it is one: add it with push,"
                " construct or compose"
                for need in needs
                if certain and need.required and not any(_may_be(kind, need.kind) for kind in known)
            ]
        if step.what in {"consumer", "compose_consumer", "compose_bundle", "ignore"}:
            continue
        kind = _class_made(step)
        if kind is None:
            certain = False
        else:
            known.append(kind)
    return problems


def _class_made(step: _Step) -> type | None:
    """Return the class a step adds, or None when only making it will tell."""
    kind = step.subject.__class__ if step.what in {"push", "lend"} else result_of(step.subject)
    if kind is None or step.what == "lend" or not issubclass(kind, _MADE_LATER):
        return kind
    return _class_entered(kind)


def _class_entered(kind: type) -> type | None:
    """Return what entering gives, when it is the thing itself."""
    returns: object = getattr(getattr(kind, "__aenter__", None), "__annotations__", {}).get("return")
    return kind if returns in {"Self", Self} else None


def _may_be(kind: type, wanted: type) -> bool:
    try:
        return issubclass(kind, wanted)
    except TypeError:  # a Protocol that is not checkable by class
        return True
