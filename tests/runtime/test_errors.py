"""The tree of errors, and how a handler says what kind of failure it met."""

from __future__ import annotations

import re

import pytest

from wakuwaku import (
    ConsumerStoppedError,
    ErrorClass,
    HandleError,
    HeaderError,
    RetryableError,
    TransientError,
    UnrecoverableError,
    WakuwakuError,
    errors,
)

CLASSES = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, WakuwakuError)]


def tree_of(docstring: str) -> dict[str, str | None]:
    """Read the drawn tree: the name of each class with the name of its parent."""
    parents: dict[str, str | None] = {}
    path: list[str] = []
    for line in docstring.splitlines():
        drawn = re.match(r"^ {4}(?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+Error)\b", line)
        if drawn:
            depth = len(drawn["branch"]) // 4
            path[depth:] = [drawn["name"]]
            parents[drawn["name"]] = path[depth - 1] if depth else None
    return parents


def test_the_drawn_tree_is_the_real_one() -> None:
    """The docstring of `wakuwaku.errors` shows every error class under its real parent, and no other."""
    real = {
        error.__name__: None if error is WakuwakuError else next(base.__name__ for base in error.__bases__)
        for error in CLASSES
    }

    assert tree_of(errors.__doc__ or "") == real


def test_the_module_exports_every_error() -> None:
    """`errors.__all__` holds each class, so nobody has to catch a private one."""
    assert sorted([*(error.__name__ for error in CLASSES), "ErrorClass"]) == errors.__all__


@pytest.mark.parametrize(
    ("make", "kind", "error_class"),
    [
        (HandleError.transient, TransientError, ErrorClass.TRANSIENT),
        (HandleError.retryable, RetryableError, ErrorClass.RETRYABLE),
        (HandleError.unrecoverable, UnrecoverableError, ErrorClass.UNRECOVERABLE),
        (TransientError, TransientError, ErrorClass.TRANSIENT),
        (RetryableError, RetryableError, ErrorClass.RETRYABLE),
        (UnrecoverableError, UnrecoverableError, ErrorClass.UNRECOVERABLE),
    ],
    ids=["transient()", "retryable()", "unrecoverable()", "TransientError", "RetryableError", "UnrecoverableError"],
)
def test_a_handler_says_what_kind_of_failure_it_met(
    make: type[HandleError], kind: type[HandleError], error_class: ErrorClass
) -> None:
    """Both ways, by method and by class, wrap an error and tell its class."""
    source = OSError("connection refused")

    error = make(source)

    assert type(error) is kind
    assert error.error_class is error_class
    assert error.source is source
    assert str(error) == "connection refused"


def test_a_failure_may_be_just_a_message() -> None:
    """Without an error to wrap, a message is enough."""
    error = HandleError.unrecoverable("order 7 was never placed")

    assert error.source is None
    assert str(error) == "order 7 was never placed"


def test_a_plain_handle_error_is_retryable() -> None:
    """What was not classified is tried again: a bug in a handler loses nothing."""
    assert HandleError("what now").error_class is ErrorClass.RETRYABLE


def test_a_stopped_consumer_names_its_partition() -> None:
    """An operator sees which partition stands still."""
    assert ConsumerStoppedError("partition 2 stopped", partition=2).partition == 2
    assert ConsumerStoppedError("stopped").partition is None


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("missing", "header 'wakuwaku-tag' is missing"),
        ("malformed", "header 'wakuwaku-tag' is malformed"),
        ("unknown_version", "header 'wakuwaku-tag' has an unknown version"),
    ],
)
def test_a_header_error_reads_as_a_sentence(reason: str, message: str) -> None:
    """Dead letters show the message, programs read header and reason."""
    error = HeaderError("wakuwaku-tag", reason)

    assert str(error) == message
    assert (error.header, error.reason) == ("wakuwaku-tag", reason)
