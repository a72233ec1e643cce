"""Items 11 and 12 of the acceptance list: the cache, and presentations of a stateful item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.runtime.retry.recording import Boom, Callback, Mode
from wakuwaku.retry import (
    ExhaustedRetryError,
    MapRetryContextCache,
    RetryCacheCapacityExceededError,
    RetryContext,
    RetryError,
    RetryState,
    RetryTemplate,
    SequenceBackOff,
    SimpleRetryPolicy,
    SnapshotRetryContextCache,
    StopReason,
    TerminatedRetryError,
)
from wakuwaku.retry.testing import FakeClock, RecordingSleeper

if TYPE_CHECKING:
    from collections.abc import Hashable


async def fail(mode: Mode, template: RetryTemplate, state: RetryState) -> None:
    """Present an item once, with a failing callback that must leave the call."""
    with pytest.raises(Boom):
        await mode.execute(template, Callback(Boom("e")), state=state)


class MutableKey:
    """Be a key whose hash changes."""

    def __init__(self) -> None:
        self.value = 1

    def __hash__(self) -> int:
        return self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MutableKey) and self.value == other.value


class TestCache:
    """Item 11."""

    async def test_acceptance_11_a_second_failing_key_overflows_a_cache_of_one(self, mode: Mode) -> None:
        """The error tells what to look at, and keeps the original error."""
        template = RetryTemplate(cache=MapRetryContextCache(1))
        await fail(mode, template, RetryState("a"))

        with pytest.raises(TerminatedRetryError, match="Boom could not be registered") as caught:
            await mode.execute(template, Callback(Boom("e")), state=RetryState("b"))

        assert isinstance(caught.value.__cause__, RetryCacheCapacityExceededError)
        assert isinstance(caught.value.__context__, Boom)

    async def test_acceptance_11_the_same_key_is_updated_at_full_capacity(self, mode: Mode) -> None:
        """A known key needs no new place."""
        template = RetryTemplate(cache=MapRetryContextCache(1), policy=SimpleRetryPolicy(5))

        for _ in range(3):
            await fail(mode, template, RetryState("a"))

        waiting = template.cache.get("a")
        assert waiting is not None
        assert waiting.retry_count == 3

    async def test_acceptance_11_a_recovered_key_frees_its_place(self, mode: Mode) -> None:
        """After recovery another key can fail."""
        template = RetryTemplate(cache=MapRetryContextCache(1), policy=SimpleRetryPolicy(1))
        await fail(mode, template, RetryState("a"))
        await mode.execute(template, Callback(), recover=lambda _: "recovered", state=RetryState("a"))

        await fail(mode, template, RetryState("b"))

    async def test_acceptance_11_a_key_that_changes_is_detected_at_the_second_failure(self, mode: Mode) -> None:
        """The second failure finds the first one's place empty."""
        key = MutableKey()
        template = RetryTemplate()
        state = RetryState(key)
        await fail(mode, template, state)

        def callback(context: RetryContext) -> None:
            key.value = 2
            raise Boom

        with pytest.raises(TerminatedRetryError, match="its hash or equality changed") as caught:
            await mode.execute(template, callback, state=state)

        assert isinstance(caught.value.__cause__, RetryError)

    async def test_acceptance_11_without_a_key_nothing_is_kept(self, mode: Mode) -> None:
        """Every presentation starts afresh, and the error leaves every time."""
        template = RetryTemplate(cache=(cache := MapRetryContextCache()))

        for _ in range(5):
            callback = Callback(Boom())
            with pytest.raises(Boom):
                await mode.execute(template, callback, state=RetryState(None))
            assert callback.attempts == [1]

        assert len(cache) == 0

    async def test_acceptance_11_force_refresh_starts_afresh(self, mode: Mode) -> None:
        """The entry of an older item with the same key is not looked at, and overwritten."""
        template = RetryTemplate()
        for _ in range(2):
            await fail(mode, template, RetryState("a"))
        callback = Callback(Boom())

        with pytest.raises(Boom):
            await mode.execute(template, callback, state=RetryState("a", force_refresh=True))

        waiting = template.cache.get("a")
        assert waiting is not None
        assert (callback.attempts, waiting.retry_count) == ([1], 1)

    async def test_acceptance_11_an_entry_that_expires_between_contains_and_get_starts_afresh(self, mode: Mode) -> None:
        """The item is simply new again."""

        class Expiring(MapRetryContextCache):
            def get(self, key: Hashable) -> RetryContext | None:
                self.remove(key)
                return super().get(key)

        callback = Callback(Boom(), Boom())
        template = RetryTemplate(cache=Expiring())

        for _ in range(2):
            with pytest.raises(Boom):
                await mode.execute(template, callback, state=RetryState("a"))

        assert callback.attempts == [1, 1]

    async def test_acceptance_11_a_key_that_is_there_but_not_found_is_an_error(self, mode: Mode) -> None:
        """A cache that contradicts itself means a broken key."""

        class Inconsistent(MapRetryContextCache):
            def get(self, key: Hashable) -> RetryContext | None:
                return None

        template = RetryTemplate(cache=Inconsistent())
        await fail(mode, template, RetryState("a"))

        with pytest.raises(RetryError, match="gives no context for it"):
            await mode.execute(template, Callback(), state=RetryState("a"))

    async def test_a_context_expires_when_it_is_not_updated_for_the_time_to_live(self, mode: Mode) -> None:
        """Each failure starts the time anew; after it the item is new, and an expired entry gives its place away."""
        clock = FakeClock()
        cache = MapRetryContextCache(1, ttl=10, clock=clock)
        template = RetryTemplate(cache=cache, policy=SimpleRetryPolicy(9))
        state = RetryState("a")
        await fail(mode, template, state)
        clock.advance(9)
        await fail(mode, template, state)
        clock.advance(9)
        assert "a" in cache

        clock.advance(1)

        callback = Callback(Boom())
        with pytest.raises(Boom):
            await mode.execute(template, callback, state=RetryState("b"))
        assert ("a" in cache, callback.attempts, len(cache)) == (False, [1], 1)

    def test_an_expired_entry_is_not_found(self) -> None:
        """Neither by get nor by contains."""
        clock = FakeClock()
        cache = MapRetryContextCache(ttl=10, clock=clock)
        cache.put("a", RetryContext())
        clock.advance(10)

        assert ("a" in cache, cache.get("a"), len(cache)) == (False, None, 0)

    async def test_expiry_during_an_attempt_is_no_changed_key(self, mode: Mode) -> None:
        """An attempt longer than the time to live goes on counting."""
        clock = FakeClock()
        template = RetryTemplate(cache=MapRetryContextCache(ttl=10, clock=clock))
        state = RetryState("a")
        await fail(mode, template, state)

        def slow(context: RetryContext) -> None:
            clock.advance(60)
            raise Boom(str(context.attempt))

        with pytest.raises(Boom, match="2"):
            await mode.execute(template, slow, state=state)

    @pytest.mark.parametrize("capacity", [0, -1])
    def test_a_cache_has_room_for_one_at_least(self, capacity: int) -> None:
        """A capacity below 1 is refused."""
        with pytest.raises(ValueError, match="capacity must be 1 or more"):
            MapRetryContextCache(capacity)


class TestPresentations:
    """Item 12."""

    @pytest.mark.parametrize("n", [1, 2, 5])
    async def test_acceptance_12_an_item_is_presented_n_plus_one_times(self, mode: Mode, n: int) -> None:
        """N failing calls, and one more that recovers without a call."""
        template = RetryTemplate(policy=SimpleRetryPolicy(n))
        callback = Callback(*[Boom()] * 99)
        state = RetryState("item")

        for _ in range(n):
            with pytest.raises(Boom):
                await mode.execute(template, callback, recover=lambda _: "recovered", state=state)
        result = await mode.execute(template, callback, recover=lambda _: "recovered", state=state)

        assert (result, callback.attempts) == ("recovered", list(range(1, n + 1)))

    async def test_acceptance_12_exhaustion_clears_the_entry(self, mode: Mode) -> None:
        """The same item is new afterwards."""
        template = RetryTemplate(policy=SimpleRetryPolicy(1))
        state = RetryState("item")
        await fail(mode, template, state)
        with pytest.raises(ExhaustedRetryError, match=r"no attempt is left for 'item' after 1 failed \(max_attempts\)"):
            await mode.execute(template, Callback(), state=state)

        assert await mode.execute(template, Callback(), state=state) == "done"

    async def test_acceptance_12_success_clears_the_entry(self, mode: Mode) -> None:
        """Failures before a success do not count for the item's next appearance."""
        template = RetryTemplate(policy=SimpleRetryPolicy(2), cache=(cache := MapRetryContextCache()))
        state = RetryState("item")
        await fail(mode, template, state)
        await mode.execute(template, Callback(), state=state)

        assert len(cache) == 0
        await fail(mode, template, state)

    @pytest.mark.parametrize("n", [1, 2, 5])
    async def test_acceptance_12_immediate_recovery_needs_n_presentations(self, mode: Mode, n: int) -> None:
        """The call that fails last recovers."""
        template = RetryTemplate(policy=SimpleRetryPolicy(n))
        callback = Callback(*[Boom()] * 99)
        state = RetryState("item", recovery="immediate")

        for _ in range(n - 1):
            with pytest.raises(Boom):
                await mode.execute(template, callback, recover=lambda _: "recovered", state=state)
        result = await mode.execute(template, callback, recover=lambda _: "recovered", state=state)

        assert (result, callback.attempts) == ("recovered", list(range(1, n + 1)))

    async def test_immediate_exhaustion_without_recovery_raises_in_the_failing_call(self, mode: Mode) -> None:
        """The cause is the very error of that call."""
        error = Boom("last")
        template = RetryTemplate(policy=SimpleRetryPolicy(1))

        with pytest.raises(ExhaustedRetryError) as caught:
            await mode.execute(template, Callback(error), state=RetryState("item", recovery="immediate"))

        assert caught.value.__cause__ is error
        assert caught.value.failure is not None
        assert str(caught.value.failure) == "Boom: last"

    async def test_the_last_error_can_be_asked_for(self, mode: Mode) -> None:
        """With `raise_last_on_exhausted`, the last presentation raises an error of the same type and message."""
        template = RetryTemplate(policy=SimpleRetryPolicy(1), raise_last_on_exhausted=True)
        state = RetryState("item")
        await fail(mode, template, state)

        with pytest.raises(Boom, match="e") as caught:
            await mode.execute(template, Callback(), state=state)

        assert str(caught.value) == "e"
        assert "stands in for an error of an earlier attempt" in caught.value.__notes__[0]

    async def test_recovery_sees_the_last_error_of_the_earlier_presentation(self, mode: Mode) -> None:
        """The context gives an error of the same type and message."""
        template = RetryTemplate(policy=SimpleRetryPolicy(1))
        state = RetryState("item")
        await fail(mode, template, state)

        result = await mode.execute(template, Callback(), recover=lambda c: repr(c.last_exception), state=state)

        assert result == "Boom('e')"

    async def test_keep_state_keeps_the_count_over_a_return(self, mode: Mode) -> None:
        """An attempt that leaves work undone is no success for the key."""
        template = RetryTemplate(policy=SimpleRetryPolicy(5))
        state = RetryState("item")
        await fail(mode, template, state)

        def keeping(context: RetryContext) -> int:
            context.keep_state()
            return context.attempt

        assert await mode.execute(template, keeping, state=state) == 2
        callback = Callback()
        await mode.execute(template, callback, state=state)

        assert callback.attempts == [2]
        assert template.cache.get("item") is None

    async def test_keep_state_keeps_attributes_in_a_durable_cache(self, mode: Mode) -> None:
        """What the attempt wrote down is there when the item comes back."""
        template = RetryTemplate(cache=SnapshotRetryContextCache({}))
        state = RetryState("item")
        await fail(mode, template, state)

        def keeping(context: RetryContext) -> object:
            done = context.attributes.get("done", 0)
            assert isinstance(done, int)
            context.attributes["done"] = done + 1
            context.keep_state()
            return done

        assert [await mode.execute(template, keeping, state=state) for _ in range(3)] == [0, 1, 2]

    async def test_a_deferred_pause_tells_when_to_come_back_and_does_not_sleep(self, mode: Mode) -> None:
        """The scheduler reads `not_before`, on the clock of the template."""
        clock = FakeClock(100)
        sleeper = RecordingSleeper(clock)
        template = RetryTemplate(
            policy=SimpleRetryPolicy(3), backoff=SequenceBackOff([2, 4]), sleeper=sleeper, clock=clock
        )
        state = RetryState("item", pause="defer")
        due: list[float | None] = []
        reasons: list[StopReason | None] = []

        for _ in range(2):
            await fail(mode, template, state)
            waiting = template.cache.get("item")
            assert waiting is not None
            due.append(waiting.not_before)
            reasons.append(waiting.stop_reason)

        assert (due, sleeper.pauses) == ([102, 104], [])
        assert reasons == [StopReason.DEFERRED] * 2
