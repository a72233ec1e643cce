"""One appearance of an item in a stateful execution: how its context is found, kept and dropped."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from wakuwaku.retry.circuit import Circuit
from wakuwaku.retry.context import RetryContext
from wakuwaku.retry.errors import RetryError, RetryUsageError
from wakuwaku.retry.state import RetryState

if TYPE_CHECKING:
    from wakuwaku.retry.template import RetryTemplate

__all__ = ["Presentation"]

_circuit_birth = Lock()  # two first calls at once must not make two circuits for one key


class Presentation:
    """Connect one execution with the context that waits for its item in the cache.

    `defers` and `immediate` are the choices of the state; a circuit never leaves the call on an error.
    """

    __slots__ = ("_cache", "_shared", "_state", "defers", "immediate", "key")

    def __init__(self, template: RetryTemplate, state: RetryState) -> None:
        self._cache = template.cache
        self._shared = template.policy.shared
        self._state = state
        self.key = state.key
        self.defers = state.pause == "defer"
        self.immediate = state.recovery == "immediate"

    @classmethod
    def of(cls, template: RetryTemplate, state: RetryState | None, label: str | None) -> Presentation | None:
        """Return the presentation of a stateful execution, None of a stateless one.

        A circuit without a state is found by its label; raise RetryUsageError when there is none.
        """
        if template.policy.shared:
            if state is None and label is not None:
                state = RetryState((label, "circuit"))
            if state is None or state.key is None:
                raise RetryUsageError(
                    'a circuit breaker needs one key for its circuit: give label="name" or state=RetryState("name")'
                )
        return None if state is None else cls(template, state)

    def find(self) -> RetryContext | None:
        """Return the context that waits for this item, with the marks of its last presentation taken off.

        Raise RetryError when the cache says that it has the key and gives nothing.
        """
        key, cache = self.key, self._cache
        if key is None or self._state.force_refresh or self._shared or key not in cache:
            return None
        context = cache.get(key)
        if context is None:
            if key in cache:
                raise RetryError(
                    f"the retry cache has the key {key!r} but gives no context for it: "
                    "the hash and the equality of the key do not agree"
                )
            return None  # it expired in between
        context.closed = context.exhausted = context.recovered = context.kept = False
        context.machinery.key_hash = hash(key)
        return context

    def circuit(self, now: float) -> Circuit:
        """Return the circuit of the key, made on first use."""
        with _circuit_birth:
            home = self._cache.get(self.key)
            if home is None:
                home = RetryContext()
                home.machinery.circuit = Circuit(now)
                self._cache.put(self.key, home)
        circuit = home.machinery.circuit
        if circuit is None:
            raise RetryUsageError(f"the key {self.key!r} belongs to a stateful execution, not to a circuit")
        return circuit

    def keep(self, context: RetryContext) -> None:
        """Let the context wait for the next presentation.

        Raise RetryError when the key is not where it was put before, which from the second failure on can be seen.
        """
        key, cache = self.key, self._cache
        if key is None or self._shared:
            return
        if context.retry_count > 1:
            moved = hash(key) != context.machinery.key_hash
            if moved or (key not in cache and getattr(cache, "ttl", None) is None):
                raise RetryError(
                    f"the retry cache lost the key {key!r}: its hash or equality changed after it was stored; "
                    "use a key that never changes, such as an id"
                )
        context.machinery.key_hash = hash(key)
        cache.put(key, context)

    def drop(self) -> None:
        """Forget the context of this item."""
        if self.key is not None and not self._shared:
            self._cache.remove(self.key)

    def leaves_on(self, exc: Exception) -> bool:
        """Say whether the error leaves the execution, so that the caller's transaction rolls back."""
        if self._shared:
            return False
        rule = self._state.rollback_for
        return rule is None or bool(rule(exc))
