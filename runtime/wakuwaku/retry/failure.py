"""What is kept of a failure once the error itself must go."""

from __future__ import annotations

import sys
from typing import final

from wakuwaku.retry.errors import RetryError

__all__ = ["FailureSummary"]

_LONGEST_MESSAGE = 1000


@final
class FailureSummary:
    """Sum up one failure: type, message, and wall-clock time in seconds since the epoch.

    An error keeps its traceback, which keeps frames, which keep the payload of the call; a cache entry that lives for
    minutes must not. The message is cut at 1000 characters. Summaries pickle, and compare by these facts.
    """

    __slots__ = ("_type", "at", "message", "module", "name")

    def __init__(self, module: str, name: str, message: str, at: float) -> None:
        self.module = module
        self.name = name
        self.message = message
        self.at = at
        self._type: type[Exception] | None = None

    @classmethod
    def of(cls, exc: Exception, at: float) -> FailureSummary:
        """Sum up an error that happened at this wall-clock time."""
        kind = type(exc)
        try:
            message = str(exc)[:_LONGEST_MESSAGE]
        except Exception:  # noqa: BLE001  (a broken __str__ of a user's error must not hide the failure)
            message = f"<unprintable {kind.__name__}>"
        summary = cls(kind.__module__, kind.__qualname__, message, at)
        summary._type = kind
        return summary

    def stand_in(self) -> Exception:
        """Make an error of the same type and message, without what its constructor would have set.

        A type that is not loaded in this process gives a `RetryError` with type and message in its text.
        """
        kind = self._type or self._loaded_type()
        if kind is None:
            return RetryError(str(self))
        error = kind.__new__(kind, self.message)
        error.args = (self.message,)
        error.add_note("stands in for an error of an earlier attempt: the retry cache keeps type and message only")
        return error

    def _loaded_type(self) -> type[Exception] | None:
        found: object = sys.modules.get(self.module)
        for part in self.name.split("."):
            found = getattr(found, part, None)
        return found if isinstance(found, type) and issubclass(found, Exception) else None

    def __reduce__(self) -> tuple[type[FailureSummary], tuple[str, str, str, float]]:
        return FailureSummary, (self.module, self.name, self.message, self.at)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FailureSummary) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.__reduce__())

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.message else self.name

    def __repr__(self) -> str:
        return f"FailureSummary({self.module!r}, {self.name!r}, {self.message!r}, {self.at!r})"
