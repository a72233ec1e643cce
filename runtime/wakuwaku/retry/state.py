"""What makes an execution stateful: its item comes back, and is recognised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from wakuwaku.retry.callables import require_sync
from wakuwaku.retry.immutable import Immutable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["RetryState"]


class RetryState(Immutable):
    """Tell which item an execution works on, so that its failures are counted across executions.

    `key` finds the context again; None keeps nothing. `force_refresh` says the item is known to be new. Errors for
    which `rollback_for` is false are retried inside the call; all others (the default) leave it, so that a transaction
    can roll back. `recovery="next"` recovers when the item comes back after its last failure, ``"immediate"`` in the
    call that fails last. `pause="defer"` does not sleep: `context.not_before` tells when the item may come back.
    """

    def __init__(
        self,
        key: Hashable | None,
        force_refresh: bool = False,  # noqa: FBT001, FBT002  (the order of the original)
        rollback_for: Callable[[Exception], bool] | None = None,
        *,
        recovery: Literal["next", "immediate"] = "next",
        pause: Literal["inline", "defer"] = "inline",
    ) -> None:
        require_sync(rollback_for, "rollback_for")
        if recovery not in {"next", "immediate"}:
            raise ValueError(f'recovery must be "next" or "immediate", not {recovery!r}')
        if pause not in {"inline", "defer"}:
            raise ValueError(f'pause must be "inline" or "defer", not {pause!r}')
        self.key = key
        self.force_refresh = force_refresh
        self.rollback_for = rollback_for
        self.recovery = recovery
        self.pause = pause
