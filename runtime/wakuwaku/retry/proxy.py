"""Retry the methods of an object whose class stays as it is."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar, cast

from wakuwaku.retry.callables import is_async, name_of, require_retryable
from wakuwaku.retry.driver import drive, drive_async
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.template import RetryTemplate

if TYPE_CHECKING:
    from collections.abc import Callable

    from wakuwaku.retry.context import RetryContext

__all__ = ["retry_proxy"]

T = TypeVar("T")

# Looked up by Python on the type, so `__getattr__` never sees them.
_PROTOCOLS = (
    "__aenter__",
    "__aexit__",
    "__aiter__",
    "__anext__",
    "__bool__",
    "__call__",
    "__contains__",
    "__delitem__",
    "__enter__",
    "__eq__",
    "__exit__",
    "__ge__",
    "__getitem__",
    "__gt__",
    "__hash__",
    "__iter__",
    "__le__",
    "__len__",
    "__lt__",
    "__ne__",
    "__next__",
    "__setitem__",
    "__str__",
)


def retry_proxy(
    target: T,
    *,
    methods: str | re.Pattern[str] | Collection[str] = "*",
    template: RetryTemplate | None = None,
    recover: Callable[[RetryContext], object] | None = None,
) -> T:
    """Return an object like `target` whose matching public methods are called through a template.

    `methods` is a pattern such as ``"fetch_*"``, a compiled expression that must match the whole name, or a collection
    of names. Coroutine methods are awaited; attributes, other methods, operators and `isinstance` behave as before, and
    attributes that are set are set on the target. The default template makes three attempts without pause. Raise
    RetryUsageError for names the target does not have, and for generator methods when they are used.
    """
    if isinstance(methods, Collection) and not isinstance(methods, str):
        missing = sorted(name for name in methods if not callable(getattr(target, name, None)))
        if missing:
            raise RetryUsageError(f"{type(target).__name__} has no method {', '.join(missing)} to retry")
    used = RetryTemplate() if template is None else template
    namespace = {name: _forward(name) for name in _PROTOCOLS if getattr(type(target), name, None) is not None}
    namespace["__hash__"] = _forward("__hash__") if type(target).__hash__ is not None else None  # type: ignore[assignment]
    kind = type(f"{type(target).__name__}RetryProxy", (_Proxy,), namespace)
    return cast("T", kind(target, _matcher(methods), used, recover))


def _matcher(methods: str | re.Pattern[str] | Collection[str]) -> Callable[[str], bool]:
    if isinstance(methods, re.Pattern):
        return lambda name: methods.fullmatch(name) is not None
    if isinstance(methods, str):
        return lambda name: fnmatchcase(name, methods)
    return frozenset(methods).__contains__


def _forward(name: str) -> Callable[..., Any]:
    def forward(self: _Proxy, *args: Any, **kwargs: Any) -> Any:
        return getattr(object.__getattribute__(self, "_retry_target"), name)(*args, **kwargs)

    return forward


class _Proxy:
    """Pass everything on to the target, calls of matching methods through the template."""

    __slots__ = ("_retry_matches", "_retry_recover", "_retry_target", "_retry_template")

    def __init__(
        self,
        target: object,
        matches: Callable[[str], bool],
        template: RetryTemplate,
        recover: Callable[[RetryContext], object] | None,
    ) -> None:
        object.__setattr__(self, "_retry_target", target)
        object.__setattr__(self, "_retry_matches", matches)
        object.__setattr__(self, "_retry_template", template)
        object.__setattr__(self, "_retry_recover", recover)

    def __getattribute__(self, name: str) -> Any:
        own = functools.partial(object.__getattribute__, self)
        target = own("_retry_target")
        value = getattr(target, name)
        if name.startswith("_") or not callable(value) or isinstance(value, type) or not own("_retry_matches")(name):
            return value
        return _retrying(value, own("_retry_template"), own("_retry_recover"))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_retry_target"), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(object.__getattribute__(self, "_retry_target"), name)

    def __repr__(self) -> str:
        return f"<retry_proxy of {object.__getattribute__(self, '_retry_target')!r}>"

    def __dir__(self) -> list[str]:
        return dir(object.__getattribute__(self, "_retry_target"))


def _retrying(
    method: Callable[..., Any],
    template: RetryTemplate,
    recover: Callable[[RetryContext], object] | None,
) -> Callable[..., Any]:
    require_retryable(method)
    label = template.label or f"{getattr(method, '__module__', None) or '?'}.{name_of(method)}"
    if is_async(method):

        @functools.wraps(method)
        async def retried_async(*args: Any, **kwargs: Any) -> Any:
            return await drive_async(template, method, args, kwargs, label, recover)

        return retried_async

    @functools.wraps(method)
    def retried(*args: Any, **kwargs: Any) -> Any:
        return drive(template, method, args, kwargs, label, recover)

    return retried
