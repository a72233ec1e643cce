"""Which errors are worth another attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypeGuard, cast

from wakuwaku.retry.errors import (
    BackOffInterruptedError,
    CircuitOpenError,
    RetryError,
    RetryUsageError,
    TerminatedRetryError,
)
from wakuwaku.retry.immutable import Immutable

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ExceptionClassifier", "ExceptionTypes", "Groups", "causes_of", "is_own_verdict", "types_of"]

ExceptionTypes: TypeAlias = type[Exception] | tuple[type[Exception], ...]
Groups: TypeAlias = Literal["opaque", "all"]

_OWN_VERDICTS = (CircuitOpenError, TerminatedRetryError, BackOffInterruptedError)


def is_own_verdict(exc: Exception) -> bool:
    """Say whether an enclosing retry must let this error of ours through unless it names the type."""
    return isinstance(exc, _OWN_VERDICTS)


def types_of(types: ExceptionTypes, name: str) -> tuple[type[Exception], ...]:
    """Return one or many error types as a tuple; raise RetryUsageError, naming the argument, for anything else."""
    listed = cast("tuple[object, ...]", types if isinstance(types, tuple) else (types,))
    for kind in listed:
        if not _is_error_type(kind):
            raise RetryUsageError(
                f"{name} takes subclasses of Exception, one or a tuple, not {kind!r}; "
                "cancellation, Ctrl-C and other errors outside of Exception are never retried"
            )
    return cast("tuple[type[Exception], ...]", listed)


def _is_error_type(kind: object) -> TypeGuard[type[Exception]]:
    return isinstance(kind, type) and issubclass(kind, Exception)


def causes_of(exc: BaseException) -> Iterator[BaseException]:
    """Yield the causes of an error, nearest first, each once: ``__cause__``, else ``__context__`` unless suppressed."""
    seen = {id(exc)}
    while True:
        cause = exc.__cause__
        if cause is None and not exc.__suppress_context__:
            cause = exc.__context__
        if cause is None or id(cause) in seen:
            return
        seen.add(id(cause))
        yield cause
        exc = cause


class ExceptionClassifier(Immutable):
    """Say for an error whether it is worth another attempt.

    The nearest listed type along the error's ``__mro__`` decides; in both lists, `no_retry_for` wins. Errors of no
    listed type are retryable only when `retry_for` is empty. `traverse_causes` looks for a listed type among the causes
    of such an error. `groups="all"` looks into exception groups: every leaf must be retryable; an opaque group is one
    error.
    """

    def __init__(
        self,
        retry_for: ExceptionTypes = Exception,
        no_retry_for: ExceptionTypes = (),
        *,
        traverse_causes: bool = False,
        groups: Groups = "opaque",
    ) -> None:
        if groups not in {"opaque", "all"}:
            raise ValueError(f'groups must be "opaque" or "all", not {groups!r}')
        self.retry_for = types_of(retry_for, "retry_for")
        self.no_retry_for = types_of(no_retry_for, "no_retry_for")
        self.traverse_causes = traverse_causes
        self.groups = groups
        self._answers = dict.fromkeys(self.retry_for, True) | dict.fromkeys(self.no_retry_for, False)

    def __call__(self, exc: Exception) -> bool:
        """Say whether the error is worth another attempt."""
        if self.groups == "all" and isinstance(exc, ExceptionGroup):
            group = cast("ExceptionGroup[Exception]", exc)
            return all(self(leaf) for leaf in group.exceptions)
        answer = self._listed(exc)
        if answer is None and self.traverse_causes:
            answer = next((found for cause in causes_of(exc) if (found := self._listed(cause)) is not None), None)
        return not self.retry_for if answer is None else answer

    def _listed(self, exc: BaseException) -> bool | None:
        for kind in type(exc).__mro__:
            if kind in self._answers:
                return self._answers[kind]
        return None

    def names(self, exc: Exception) -> bool:
        """Say whether `retry_for` lists an error type of this toolkit that the error is an instance of."""
        return any(issubclass(kind, RetryError) and isinstance(exc, kind) for kind in self.retry_for)
