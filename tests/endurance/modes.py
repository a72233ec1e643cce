"""The delivery modes this version's consumer offers."""

from __future__ import annotations

import dataclasses
from typing import Any

from wakuwaku import ConsumerConfig

__all__ = ["MODES", "NO_DOUBLE_CONSUME", "NO_EVENT_LOSE", "settings_of"]

NO_EVENT_LOSE = "NO_EVENT_LOSE"
NO_DOUBLE_CONSUME = "NO_DOUBLE_CONSUME"

_DEFAULTS: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(ConsumerConfig)}
_DEFAULT_MODE = _DEFAULTS.get("mode")

#: Their names; a consumer without a choice loses no event.
MODES: list[str] = [NO_EVENT_LOSE] if _DEFAULT_MODE is None else [mode.name for mode in type(_DEFAULT_MODE)]


def settings_of(mode: str) -> dict[str, Any]:
    """Return the settings that choose a mode."""
    return {} if _DEFAULT_MODE is None else {"mode": type(_DEFAULT_MODE)[mode]}
