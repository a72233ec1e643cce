"""What one execution knows about itself, and how nested code finds it."""

from __future__ import annotations

import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.snapshot import RetrySnapshot
from wakuwaku.retry.stop_reason import StopReason

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, MutableMapping

    from wakuwaku.retry.circuit import Circuit
    from wakuwaku.retry.failure import FailureSummary
    from wakuwaku.retry.policy import RetryPolicy

__all__ = ["Clock", "Machinery", "RetryContext", "current_context", "entered"]

Clock: TypeAlias = "Callable[[], float]"


class Machinery:
    """Hold what policies, backoff and engine keep in a context between steps; none of it is for callbacks."""

    __slots__ = ("backoff_state", "children", "circuit", "key_hash", "refusal", "registered")

    def __init__(self) -> None:
        self.children: dict[str, RetryContext] = {}
        self.backoff_state: Any = None
        self.circuit: Circuit | None = None
        self.key_hash: int | None = None
        self.registered = False  # a failure was decided about, and `refusal` is the answer
        self.refusal: StopReason | None = None


class RetryContext:
    """Describe one execution: its attempts, its last error, and a bag of attributes.

    Callbacks, recoveries and listeners read it; all attributes but the bag are set by the machinery only.
    `parent` is the context of the enclosing execution, which may be closed already when a task outlives it.
    `retry_count` counts the failures so far, so `attempt` is one more. `total_delay` is in seconds. `not_before` is set
    by a deferred pause, on the clock of the template. `failure` sums up the last failure of a stateful execution.
    """

    __slots__ = (
        "_attributes",
        "_machinery",
        "clock",
        "closed",
        "error",
        "exhausted",
        "exhausted_only",
        "failure",
        "kept",
        "key",
        "label",
        "no_recovery",
        "not_before",
        "opened_at",
        "parent",
        "policy",
        "recovered",
        "retry_count",
        "stop_reason",
        "total_delay",
    )

    key: Hashable | None
    retry_count: int
    error: Exception | None
    failure: FailureSummary | None
    total_delay: float
    exhausted: bool
    exhausted_only: bool
    recovered: bool
    no_recovery: bool
    kept: bool
    stop_reason: StopReason | None
    not_before: float | None
    _attributes: dict[str, object] | None
    _machinery: Machinery | None

    def __init__(
        self,
        parent: RetryContext | None = None,
        policy: RetryPolicy | None = None,
        label: str | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.parent = parent
        self.policy = policy
        self.label = label
        self.clock = clock
        self.opened_at = clock()
        self.closed = False

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # An execution that succeeds at once never reads most fields; setting them all would cost a tenth of it.
            if name not in _AT_FIRST:
                raise AttributeError(f"RetryContext has no attribute {name!r}", name=name, obj=self)
            return _AT_FIRST[name]

    @property
    def attempt(self) -> int:
        """Return the number of the attempt under way, from 1."""
        return self.retry_count + 1

    @property
    def last_exception(self) -> Exception | None:
        """Return the error that caused this attempt, or None in the first one.

        In a later presentation of a stateful execution it is a stand-in of the same type and message; once a stateless
        execution is over it is None.
        """
        if self.error is None and self.failure is not None:
            self.error = self.failure.stand_in()
        return self.error

    @property
    def max_attempts(self) -> int | None:
        """Return how many attempts the policy allows in all, or None when it has no such number."""
        return None if self.policy is None else self.policy.max_attempts

    @property
    def is_last_attempt(self) -> bool | None:
        """Say whether no attempt can follow this one, or None when the policy can't know."""
        limit = self.max_attempts
        return None if limit is None else self.attempt >= limit

    @property
    def elapsed(self) -> float:
        """Return the seconds since the context was opened; never negative, whatever the clock does."""
        return max(0.0, self.clock() - self.opened_at)

    @property
    def circuit_open(self) -> bool:
        """Say whether the circuit this execution belongs to is open; False without one."""
        circuit = self.machinery.circuit
        return circuit is not None and circuit.is_open

    @property
    def short_circuit_count(self) -> int:
        """Return how many calls the circuit refused since it was last closed; 0 without one."""
        circuit = self.machinery.circuit
        return 0 if circuit is None else circuit.refused

    @property
    def attributes(self) -> MutableMapping[str, object]:
        """Return the bag of attributes for the callback's own use, kept from attempt to attempt."""
        if self._attributes is None:
            self._attributes = {}
        return self._attributes

    @property
    def machinery(self) -> Machinery:
        """Return what policies and engine keep here; not for callbacks."""
        if self._machinery is None:
            self._machinery = Machinery()
        return self._machinery

    def set_exhausted_only(self) -> None:
        """End retrying after the current failure; a returned value is still a success."""
        self.exhausted_only = True

    def keep_state(self) -> None:
        """Keep the cache entry of a stateful execution although this attempt returns."""
        self.kept = True

    def register(self, exc: Exception) -> None:
        """Count one failure; policies call it through `RetryPolicy.register_exception`."""
        self.retry_count += 1
        self.error = exc

    def forget_errors(self) -> None:
        """Drop the error objects held here and below, so that no traceback keeps a payload alive."""
        self.error = None
        if self._machinery is not None:
            for child in self._machinery.children.values():
                child.forget_errors()

    def snapshot(self, *, wall: Clock = time.time) -> RetrySnapshot:
        """Return the context as a value that outlives the process.

        Raise RetryUsageError for a circuit: circuits live in memory, shared by the threads of one process.
        """
        machinery = self.machinery
        if machinery.circuit is not None:
            raise RetryUsageError("a circuit can't be stored: give the breaker's template a MapRetryContextCache")
        now, wall_now = self.clock(), wall()
        return RetrySnapshot(
            label=self.label,
            retry_count=self.retry_count,
            failure=self.failure,
            opened_at=wall_now - (now - self.opened_at),
            not_before=None if self.not_before is None else wall_now + (self.not_before - now),
            total_delay=self.total_delay,
            exhausted_only=self.exhausted_only,
            no_recovery=self.no_recovery,
            registered=machinery.registered,
            refusal=None if machinery.refusal is None else machinery.refusal.value,
            backoff_state=machinery.backoff_state,
            attributes=self._attributes or {},
            children={name: child.snapshot(wall=wall) for name, child in machinery.children.items()},
        )

    @classmethod
    def restore(cls, value: RetrySnapshot, *, clock: Clock = time.monotonic, wall: Clock = time.time) -> RetryContext:
        """Return a context that goes on where the snapshot was taken; `clock` must be the one of the template.

        Time that passed in between counts as elapsed; a wall clock that was set back counts as no time.
        """
        now, wall_now = clock(), wall()
        context = cls()
        context.clock = clock
        context.label = value.label
        context.retry_count = value.retry_count
        context.failure = value.failure
        context.opened_at = now - max(0.0, wall_now - value.opened_at)
        context.not_before = None if value.not_before is None else now + (value.not_before - wall_now)
        context.total_delay = value.total_delay
        context.exhausted_only = value.exhausted_only
        context.no_recovery = value.no_recovery
        context.attributes.update(value.attributes)
        machinery = context.machinery
        machinery.registered = value.registered
        machinery.refusal = None if value.refusal is None else StopReason(value.refusal)
        context.stop_reason = machinery.refusal
        machinery.backoff_state = value.backoff_state
        machinery.children = {
            name: cls.restore(child, clock=clock, wall=wall) for name, child in value.children.items()
        }
        return context

    def __repr__(self) -> str:
        end = "" if self.stop_reason is None else f", {self.stop_reason.value}"
        return f"<RetryContext {self.label or '-'}: attempt {self.attempt}{end}>"


_AT_FIRST = {
    "key": None,
    "retry_count": 0,
    "error": None,
    "failure": None,
    "total_delay": 0.0,
    "exhausted": False,
    "exhausted_only": False,
    "recovered": False,
    "no_recovery": False,
    "kept": False,
    "stop_reason": None,
    "not_before": None,
    "_attributes": None,
    "_machinery": None,
}

entered: ContextVar[RetryContext | None] = ContextVar("wakuwaku.retry.entered", default=None)


def current_context() -> RetryContext | None:
    """Return the context of the innermost execution this code runs in, or None outside of any."""
    return entered.get()
