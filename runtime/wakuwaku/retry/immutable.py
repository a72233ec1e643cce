"""Values that never change after they were made."""

from __future__ import annotations

from typing import Any

__all__ = ["Immutable"]


class Immutable:
    """Let every attribute be set once, in ``__init__``, and compare, hash and print by attributes.

    Hand-made because a frozen dataclass costs half a millisecond of import time each.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.{name} can't be changed: make a new {type(self).__name__}")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} can't be deleted")

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and vars(self) == vars(other))

    def __hash__(self) -> int:
        return hash((type(self), *(value for value in vars(self).values() if value.__hash__ is not None)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if not name.startswith("_"))
        return f"{type(self).__name__}({shown})"
