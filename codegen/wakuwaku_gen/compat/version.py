"""Versions of releases, in order: numbers joined by dots, perhaps a pre-release behind a dash."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

__all__ = ["Version", "parse_version"]

#: What versions are ordered by: numbers, whether it is no pre-release, the parts of the pre-release.
Version: TypeAlias = tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]
_VERSION: Final = re.compile(r"v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


def parse_version(text: str) -> Version:
    """Return what a version is ordered by, as Semantic Versioning has it; raises `ValueError` when it is none."""
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no version such as 1.4.0 or 2.0.0-rc.1")
    numbers = [int(part) for part in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    parts = match[2].split(".") if match[2] else []
    pre = tuple((not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)
    return (tuple(numbers), not pre, pre)
