"""What keeps the checker from an answer."""

from __future__ import annotations

from collections.abc import Sequence

from wakuwaku_gen.diagnostics import Diagnostic

__all__ = ["CompatError"]


class CompatError(Exception):
    """Say what kept the checker from an answer, and the way out; `diagnostics` has the places when there are any."""

    def __init__(self, message: str, help_: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.message, self.help, self.diagnostics = message, help_, tuple(diagnostics)
