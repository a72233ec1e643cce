"""The circuit breaker: stop calling what fails anyway."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, ClassVar

from wakuwaku.retry.duration import Duration, seconds
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.immutable import Immutable
from wakuwaku.retry.policy import RetryPolicy, SimpleRetryPolicy
from wakuwaku.retry.stop_reason import StopReason

if TYPE_CHECKING:
    from wakuwaku.retry.context import RetryContext
    from wakuwaku.retry.failure import FailureSummary

__all__ = ["Circuit", "CircuitBreakerRetryPolicy"]


class Circuit:
    """Hold the state of one circuit, shared by every execution with its key; safe to use from several threads.

    `started` is when the current window, or the current time of being open, began. `refused` counts the calls refused
    since the circuit was last closed.
    """

    __slots__ = ("failure", "is_open", "lock", "refused", "started", "window")

    def __init__(self, now: float) -> None:
        self.lock = Lock()
        self.is_open = False
        self.refused = 0
        self.started = now
        self.window: RetryContext | None = None  # the delegate's context: failures since `started`
        self.failure: FailureSummary | None = None


class CircuitBreakerRetryPolicy(Immutable, RetryPolicy):
    """Make at most one attempt per execution, and none while the circuit is open.

    The circuit opens when `delegate` has had enough failures inside one window of `open_timeout`; it closes fully
    `reset_timeout` after it opened, however many calls it refused meanwhile. Executions share the circuit of their key,
    kept in the cache of the template: give them one fixed key, `RetryState("inventory")`, or a label.
    """

    shared: ClassVar[bool] = True

    def __init__(
        self,
        delegate: RetryPolicy | None = None,
        *,
        open_timeout: Duration = 5.0,
        reset_timeout: Duration = 20.0,
    ) -> None:
        self.delegate = SimpleRetryPolicy() if delegate is None else delegate
        if self.delegate.shared:
            raise RetryUsageError("the delegate of a circuit breaker can't be a circuit breaker")
        self.open_timeout = seconds(open_timeout, "open_timeout")
        self.reset_timeout = seconds(reset_timeout, "reset_timeout")

    @property
    def max_attempts(self) -> int | None:
        """Return how many failures of one window open the circuit."""
        return self.delegate.max_attempts

    def can_retry(self, context: RetryContext) -> bool:
        """Say whether the circuit lets a call through, as of its last failure or refusal."""
        return self.refusal(context) is None

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Refuse while the circuit is open."""
        return StopReason.CIRCUIT_OPEN if context.circuit_open else None

    def admit(self, context: RetryContext) -> bool:
        """Move the circuit on to the present and let the call through, or count it as refused."""
        circuit = self._circuit(context)
        with circuit.lock:
            self._move(circuit, context)
            if circuit.is_open:
                circuit.refused += 1
            return not circuit.is_open

    def register_exception(self, context: RetryContext, exc: Exception) -> None:
        """Count the failure in the window of the circuit, which may open it."""
        context.register(exc)
        circuit = self._circuit(context)
        with circuit.lock:
            window = self._window(circuit, context)
            self.delegate.register_exception(window, exc)
            self._move(circuit, context)
            window.forget_errors()

    def _circuit(self, context: RetryContext) -> Circuit:
        circuit = context.machinery.circuit
        if circuit is None:  # an execution without template, as in tests of the policy alone
            circuit = context.machinery.circuit = Circuit(context.clock())
        return circuit

    def _window(self, circuit: Circuit, context: RetryContext) -> RetryContext:
        if circuit.window is None:
            circuit.window = self.delegate.open(None)
            circuit.window.clock, circuit.window.opened_at = context.clock, circuit.started
        return circuit.window

    def _move(self, circuit: Circuit, context: RetryContext) -> None:
        now = context.clock()
        since = now - circuit.started
        if circuit.is_open or not self.delegate.can_retry(self._window(circuit, context)):
            if since > self.reset_timeout:
                self._renew(circuit, now)
            elif not circuit.is_open:
                circuit.is_open = True
                if since < self.open_timeout:
                    circuit.started = now  # only here: a refused call must not keep the circuit open
        elif since > self.open_timeout:
            self._renew(circuit, now)

    def _renew(self, circuit: Circuit, now: float) -> None:
        if circuit.window is not None:
            self.delegate.close(circuit.window)
        circuit.window = None
        circuit.started = now
        circuit.is_open = False
        circuit.refused = 0

    def may_recover(self, context: RetryContext, exc: Exception) -> bool:
        """Ask the delegate."""
        return self.delegate.may_recover(context, exc)

    def names(self, exc: Exception) -> bool:
        """Ask the delegate."""
        return self.delegate.names(exc)
