"""Check that a handler keeps what its event's algebra promises: `check_laws`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec

from wakuwaku._core.reduce import reduce
from wakuwaku.algebra import Algebra
from wakuwaku.event import Event, combined
from wakuwaku.handler import Batch, Handler

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["LawBrokenError", "check_laws"]

E = TypeVar("E", bound=Event)
S = TypeVar("S")

_IDEMPOTENT = (Algebra.IDEMPOTENT, Algebra.IDEMPOTENT_COMMUTATIVE)
_COMMUTATIVE = (Algebra.COMMUTATIVE, Algebra.IDEMPOTENT_COMMUTATIVE)

#: What one call of the handler is given: the places of events among those that were drawn.
Calls = Sequence[Sequence[int]]


class LawBrokenError(AssertionError):
    """Report that a handler or a combine rule does not keep a law, with the events that show it."""


def check_laws(
    handler: Callable[[S], Handler[E]],
    strategy: SearchStrategy[E],
    make_state: Callable[[], S | Awaitable[S]],
    read_state: Callable[[S], object],
    *,
    redelivered: bool = False,
    examples: int = 100,
) -> None:
    """Have a handler handle random events in the ways its algebra allows, and compare what each leaves.

    `strategy` draws events, such as those of a generated `strategies.py`; all events of an example get the key of the
    first. For each way a new state is made with `make_state`, the handler is made of it, and `read_state` returns what
    is compared; each may be a coroutine function. Checked is, always after some other events of the key:

    - any algebra: events handed over in one call leave what they leave one by one (unless `max_batch` is 1);
    - idempotent: an event handled twice leaves what it leaves once;
    - commutative: two events in either order leave the same;
    - associative: events folded leave what they leave unfolded, and it does not matter which are folded first;
    - with `redelivered`: events that are handed over again with the offsets they had, as after a crash, leave nothing
      new, also when they come folded with newer ones.

    An example whose events fail one by one is left out. Call it from a plain test function: it runs an event loop of
    its own, and Hypothesis, which shrinks what it finds. Raises `LawBrokenError` with the smallest example,
    `ValueError` when there is nothing to check, and `RuntimeError` inside of a running event loop.
    """
    import hypothesis  # noqa: PLC0415 - only who checks laws needs it
    from hypothesis import errors  # noqa: PLC0415 - as above
    from hypothesis import strategies as st  # noqa: PLC0415 - as above

    _refuse_a_running_loop()
    check = hypothesis.HealthCheck
    failed: list[Exception] = []
    with asyncio.Runner() as runner:
        trial = _Trial(handler, make_state, read_state, runner)

        @hypothesis.settings(
            max_examples=examples,
            deadline=None,
            report_multiple_bugs=False,
            suppress_health_check=(
                check.too_slow,
                check.filter_too_much,
                check.data_too_large,
                check.large_base_example,
            ),
            phases=[phase for phase in hypothesis.Phase if phase.name != "explain"],
        )
        @hypothesis.given(st.lists(strategy, min_size=3, max_size=5))
        def example(drawn: list[E]) -> None:
            events = _of_one_key(drawn)
            expected = trial.run(events, [[place] for place in range(len(events))])
            if expected.error is not None:
                failed.append(expected.error)
                hypothesis.reject()
            _check_combine(events)
            ways = list(_ways(events, trial.max_batch, redelivered=redelivered))
            if not ways:
                raise ValueError(
                    f"there is nothing to check: {_name(events[0])} is {_algebra(events[0])}, which promises nothing,"
                    " and max_batch is 1. redelivered=True checks that events which come again change nothing"
                )
            for law, calls, compared in ways:
                one = expected if compared is None else trial.run(events, compared)
                if one.error is None:
                    _compare(law, events, (compared, one), (calls, trial.run(events, calls)))

        try:
            example()
        except errors.Unsatisfiable:
            raise LawBrokenError(
                f"no example could be checked, since handling the events one by one failed: {failed[-1]!r}. Draw events"
                " that the state made by make_state can take, such as st.builds(Event, order_id=st.just(7))"
            ) from failed[-1]


@dataclass(frozen=True, slots=True)
class _Left:
    """Tell what handling left: the state, or the error that ended it."""

    state: object
    error: Exception | None = None


class _Trial(Generic[S, E]):
    """Hand events to a new handler on a new state."""

    def __init__(
        self,
        handler: Callable[[S], Handler[E]],
        make_state: Callable[[], S | Awaitable[S]],
        read_state: Callable[[S], object],
        runner: asyncio.Runner,
    ) -> None:
        self._handler = handler
        self._make_state = make_state
        self._read_state = read_state
        self._runner = runner
        self.max_batch = 1

    def run(self, events: Sequence[E], calls: Calls) -> _Left:
        """Return what these calls leave; the offset of an event is its place, so a repeat has the offset it had."""
        return self._runner.run(self._run(events, calls))

    async def _run(self, events: Sequence[E], calls: Calls) -> _Left:
        state = cast("S", await _awaited(self._make_state()))
        handler = self._handler(state)
        self.max_batch = handler.max_batch
        try:
            for places in calls:
                for batch in _batches(events, places, handler.max_batch):
                    await _awaited(handler.handle(batch))
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is the result
            return _Left(None, error)
        return _Left(await _awaited(self._read_state(state)))


def _ways(events: Sequence[Event], max_batch: int, *, redelivered: bool) -> Iterator[tuple[str, Calls, Calls | None]]:
    """Yield what is promised, the calls that show it, and the calls they are compared with; None means one by one."""
    algebra = events[0].__wakuwaku__.algebra
    last = len(events) - 1
    before: list[list[int]] = [[place] for place in range(last - 1)]
    one, two = [last - 1], [last]
    if max_batch > 1 or algebra is Algebra.ASSOCIATIVE:
        how = "folded" if algebra is Algebra.ASSOCIATIVE else "in one call"
        yield f"events that come {how} leave what they leave one by one", [*before, one + two], None
        yield f"events that come {how} leave what they leave one by one", [list(range(last + 1))], None
    if algebra in _IDEMPOTENT:
        # Another record of the same content: it has an offset of its own, behind all others.
        yield "an event handled twice leaves what it leaves once", [*before, one, two, [~last]], None
    if algebra in _COMMUTATIVE:
        yield "events leave the same in any order", [*before, two, one], None
        yield "events leave the same in any order", [two, one, *reversed(before)], None
    if algebra is Algebra.IDEMPOTENT_COMMUTATIVE:
        yield "an event handled twice leaves what it leaves once", [*before, one, two, [~(last - 1)]], None
    if redelivered:
        yield "events handed over again leave nothing new", [*before, one, two, one, two], None
        yield "events handed over again with newer ones leave nothing new", [*before, one, one + two], None


def _batches(events: Sequence[E], places: Sequence[int], max_batch: int) -> Iterator[Batch[E]]:
    """Yield the batches of a run, folded and cut as the engine does; ~place is that event again, as a new record."""
    run = [events[~place if place < 0 else place] for place in places]
    offsets = [2 * len(events) + ~place if place < 0 else place for place in places]
    described = run[0].__wakuwaku__
    reduced = reduce(described.algebra, run, combined)
    for start in range(0, len(reduced.events), max_batch):
        sources = [at for group in reduced.sources[start : start + max_batch] for at in group]
        yield Batch(
            reduced.events[start : start + max_batch],
            topic=described.topic,
            partition=0,
            offsets=[offsets[at] for at in sources],
            unfolded=[run[at] for at in sources],
        )


def _check_combine(events: Sequence[Event]) -> None:
    """Check that it does not matter which of three neighbours are folded first."""
    if events[0].__wakuwaku__.algebra is not Algebra.ASSOCIATIVE:
        return
    first, second, third = events[-3:]
    left = _folded(_folded(first, second), third)
    right = _folded(first, _folded(second, third))
    if left is not None and right is not None and left != right:
        raise LawBrokenError(
            f"{_name(first)} promises to be associative, and its combine rule is not:\n"
            f"  {first!r}\n  {second!r}\n  {third!r}\n"
            f"  are {left!r} when the first two are folded first\n"
            f"  and {right!r} when the last two are"
        )


def _folded(earlier: Event | None, later: Event | None) -> Event | None:
    return None if earlier is None or later is None else combined(earlier, later)


def _compare(law: str, events: Sequence[Event], one: tuple[Calls | None, _Left], other: tuple[Calls, _Left]) -> None:
    """Raise the story of two ways that left different things."""
    (calls, expected), (other_calls, left) = one, other
    if left.error is None and left.state == expected.state:
        return
    told = f"a failure: {left.error!r}" if left.error is not None else repr(left.state)
    story = "\n".join(f"  {place}: {event!r}" for place, event in enumerate(events))
    raise LawBrokenError(
        f"{_name(events[0])} is {_algebra(events[0])}, and so {law}. Of the events\n{story}\n"
        f"  handled {_shown(calls)} is left  {expected.state!r}\n"
        f"  handled {_shown(other_calls)} is left  {told}"
    ) from left.error


def _shown(calls: Calls | None) -> str:
    if calls is None:
        return "one by one"
    return " ".join("+".join(f"{~place if place < 0 else place}" for place in places) for places in calls)


def _name(event: Event) -> str:
    return type(event).__name__


def _algebra(event: Event) -> str:
    algebra: Algebra = event.__wakuwaku__.algebra
    names = {Algebra.NON_ASSOCIATIVE: "non-associative", Algebra.IDEMPOTENT_COMMUTATIVE: "idempotent and commutative"}
    return names.get(algebra, algebra.name.lower())


def _of_one_key(events: Sequence[E]) -> list[E]:
    """Return the events with the key of the first."""
    key = events[0].__wakuwaku__.key.__wakuwaku__
    same = {field: getattr(events[0], field) for field in key.layout}
    return [msgspec.structs.replace(event, **same) for event in events]


def _refuse_a_running_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError("check_laws runs an event loop of its own: call it from a plain test function, `def test_…`")


async def _awaited(value: object) -> Any:
    return await value if inspect.isawaitable(value) else value
