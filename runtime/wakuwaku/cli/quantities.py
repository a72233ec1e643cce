"""Durations and sizes as people write them."""

from __future__ import annotations

import re
from typing import Final

from wakuwaku.errors import ConfigError

__all__ = ["duration", "shown_bytes", "size"]

_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_BYTES: Final = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


def duration(text: str) -> float:
    """Return the seconds of a text such as 90s, 36h or 7d. Raises `ConfigError`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", text)
    if match is None:
        raise ConfigError(f"{text!r} is no duration; write a number and s, m, h, d or w, such as 36h")
    return float(match[1]) * _SECONDS[match[2]]


def size(text: str) -> int:
    """Return the bytes of a text such as 1048576, 500M or 2G, in powers of 1024. Raises `ConfigError`."""
    match = re.fullmatch(r"(\d+)([KMGT]?)", text)
    if match is None:
        raise ConfigError(f"{text!r} is no size; write a number, and K, M, G or T behind it, such as 500M")
    return int(match[1]) * _BYTES[match[2]]


def shown_bytes(count: int) -> str:
    """Return a number of bytes in the largest unit that leaves at least one."""
    unit = max((name for name, factor in _BYTES.items() if count >= factor), key=_BYTES.__getitem__, default="")
    return f"{count:,} bytes" if not unit else f"{count / _BYTES[unit]:,.1f} {unit}iB"
