"""Turn an error into bounded text, whatever its author did to `__str__`."""

from __future__ import annotations

import linecache
from traceback import walk_tb

from wakuwaku._core.commands import Failure
from wakuwaku.errors import HandleError

__all__ = ["describe"]

_MESSAGE_LIMIT = 2_000
_TRACEBACK_LIMIT = 8_000
_DEEPEST_FRAMES = 50


def describe(error: BaseException, *, handler: str = "", attempts: int = 0) -> Failure:
    """Describe an error; a `HandleError` that wraps another is described by the one inside.

    Message and traceback are cut to 2 000 and 8 000 characters. Never raises.
    """
    inner = error.source if isinstance(error, HandleError) and error.source is not None else error
    return Failure(
        error_type=f"{type(inner).__module__}.{type(inner).__qualname__}".removeprefix("builtins."),
        message=_bounded(_text_of(inner), _MESSAGE_LIMIT),
        traceback=_bounded(_traceback_of(error), _TRACEBACK_LIMIT),
        handler=handler,
        attempts=attempts,
    )


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as broken:  # noqa: BLE001 - an error's own __str__ may fail in any way
        return f"<{type(error).__name__}: its text can't be made, {type(broken).__name__}>"


def _traceback_of(error: BaseException) -> str:
    """Return where the error was raised: frames only, since a message may hold an event's content.

    What `traceback.format_tb` gives but for the carets, for which it would parse each line again at every failure.
    """
    frames = list(walk_tb(error.__traceback__))
    left_out = len(frames) - _DEEPEST_FRAMES
    lines = [f"  ({left_out} frames)\n"] if left_out > 0 else []
    for frame, number in frames[-_DEEPEST_FRAMES:]:
        code = frame.f_code
        lines.append(f'  File "{code.co_filename}", line {number}, in {code.co_name}\n')
        if source := linecache.getline(code.co_filename, number, frame.f_globals).strip():
            lines.append(f"    {source}\n")
    return "".join(lines)


def _bounded(text: str, limit: int) -> str:
    """Return text that any encoder takes, cut to a length; lone surrogates are written as escapes."""
    cut = text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
    return cut.encode("utf-8", "backslashreplace").decode()
