"""What a classifier is: rules in order, the first that knows an error decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from wakuwaku.errors import ErrorClass

__all__ = ["Classifier", "Classify", "Rule", "by_type", "describe"]

#: What the engine asks: the class of an error, or None for one that is not known.
Classify: TypeAlias = Callable[[Exception], ErrorClass | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """Give errors that bear a sign a class; `sign` and `meaning` are for people, and for the table in the docs."""

    sign: str
    meaning: str
    error_class: ErrorClass
    bears: Callable[[Exception], bool]

    def __call__(self, error: Exception) -> ErrorClass | None:
        """Return the class of an error that bears the sign, else None."""
        return self.error_class if self.bears(error) else None


@final
class Classifier:
    """Say for an error which class it has, or None when no part knows it; then it counts as Retryable.

    `parts` are rules, other classifiers and plain functions; the first that knows an error decides. Join with ``|``:
    ``by_type({UnknownSku: ErrorClass.RETRYABLE}) | postgres() | http()``. A classifier never changes.

    An error that a library wrapped, as SQLAlchemy does with the driver's, is known by what is inside. The causes that a
    handler chains with ``raise … from`` are not looked at: whoever raises an error of their own means that one.
    """

    __slots__ = ("parts",)

    def __init__(self, *parts: Classify) -> None:
        flat: list[Classify] = []
        for part in parts:
            if not callable(part):
                raise TypeError(
                    f"{part!r} is no part of a classifier; give a function of an error that returns an ErrorClass or"
                    " None, or by_type({…})"
                )
            flat.extend(part.parts if isinstance(part, Classifier) else (part,))
        self.parts: Sequence[Classify] = tuple(flat)

    def __call__(self, error: Exception) -> ErrorClass | None:
        """Return the class of an error, or None."""
        for part in self.parts:
            for one in _layers(error):
                found = part(one)
                if found is not None:
                    return found
        return None

    def __or__(self, other: Classify) -> Classifier:
        """Ask this one first, then the other."""
        return Classifier(self, other)

    def __ror__(self, other: Classify) -> Classifier:
        """Ask the other first, then this one."""
        return Classifier(other, self)

    def otherwise(self, error_class: ErrorClass) -> Classifier:
        """Give every error that is not known a class, as in ``postgres().otherwise(ErrorClass.UNRECOVERABLE)``."""
        return Classifier(self, Rule("any other error", "as this service wants it", error_class, lambda _: True))

    def __repr__(self) -> str:
        return f"<classifier of {len(self.parts)} parts>"


def by_type(classes: Mapping[type[Exception], ErrorClass]) -> Classifier:
    """Classify errors by their type; the nearest type along an error's bases decides, whatever the order given.

    Raises `TypeError` for what is no subclass of Exception: cancellation and Ctrl-C have no class.
    """
    for kind, error_class in classes.items():
        if not _is_error_type(kind) or not _is_error_class(error_class):
            raise TypeError(f"by_type wants {{subclass of Exception: ErrorClass}}, not {{{kind!r}: {error_class!r}}}")
    known = dict(classes)

    def nearest(error: Exception) -> ErrorClass | None:
        return next((known[kind] for kind in type(error).__mro__ if kind in known), None)

    return Classifier(nearest)


def describe(classifier: Classifier) -> Iterator[Rule]:
    """Yield the rules of a classifier in the order in which they are asked; functions among its parts are left out."""
    for part in classifier.parts:
        if isinstance(part, Rule):
            yield part


def _layers(error: Exception) -> Iterator[Exception]:
    """Yield an error and, where SQLAlchemy wrapped it, the driver's inside."""
    yield error
    inner: object = getattr(error, "orig", None)
    while isinstance(inner, Exception) and inner is not error:
        yield inner
        # SQLAlchemy gives asyncpg's errors a face of its own first; the real one is the cause of that.
        inner = inner.__cause__ if type(inner).__module__.startswith("sqlalchemy.") else None


def _is_error_type(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Exception)


def _is_error_class(value: object) -> bool:
    return isinstance(value, ErrorClass)
