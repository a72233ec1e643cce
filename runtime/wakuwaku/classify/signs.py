"""How an error of a library that is not imported here is told: by class name, code, or the function it came out of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from wakuwaku.classify.classifier import Rule
from wakuwaku.errors import ErrorClass

__all__ = ["Sign", "came_out_of", "coded", "is_a", "named", "reads"]

Sign: TypeAlias = Callable[[Exception], bool]


def named(sign: str, meaning: str, error_class: ErrorClass, *, unless: Sign | None = None) -> Rule:
    """Make a rule for errors of classes given as ``package.Class``, several with a comma between them.

    The package is the first part of the module's name: where inside of it a class lives changes between versions.
    """
    wanted = [tuple(one.strip().split(".")) for one in sign.split(",")]

    def bears(error: Exception) -> bool:
        return any(is_a(error, package, name) for package, name in wanted) and not (unless and unless(error))

    return Rule(", ".join(f"`{package}.{name}`" for package, name in wanted), meaning, error_class, bears)


def is_a(error: BaseException, package: str, name: str) -> bool:
    """Tell whether an error's class, or a base of it, has this name and comes from this package."""
    return any(kind.__name__ == name and kind.__module__.partition(".")[0] == package for kind in type(error).__mro__)


def reads(read: Callable[[Exception], object], *values: object) -> Sign:
    """Make a sign of a value that is read off an error."""
    return lambda error: read(error) in values


def coded(
    sign: str, meaning: str, error_class: ErrorClass, read: Callable[[Exception], object], *codes: object
) -> Rule:
    """Make a rule for errors with one of these codes."""
    return Rule(sign, meaning, error_class, reads(read, *codes))


def came_out_of(error: BaseException, module: str) -> bool:
    """Tell whether an error was raised in, or passed through, a function of a module, by its traceback."""
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__") == module:
            return True
        traceback = traceback.tb_next
    return False
