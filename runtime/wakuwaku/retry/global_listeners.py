"""Listeners for everything that is declared with decorators."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

if TYPE_CHECKING:
    from wakuwaku.retry.listener import RetryListener

__all__ = ["add_global_listener", "follow", "remove_global_listener"]


class Follower(Protocol):
    """Be told when the global listeners change."""

    def listen(self, listeners: tuple[RetryListener, ...], /) -> None:
        """Use these listeners from now on."""
        ...


_lock = Lock()
_listeners: list[RetryListener] = []
_followers: WeakSet[Follower] = WeakSet()


def add_global_listener(listener: RetryListener) -> None:
    """Let a listener hear of every decorated function that does not name listeners of its own, past and future ones."""
    with _lock:
        _listeners.append(listener)
        _tell()


def remove_global_listener(listener: RetryListener) -> None:
    """Take a global listener away again; raise ValueError when it is none."""
    with _lock:
        if listener not in _listeners:
            raise ValueError(f"{listener!r} is not a global listener")
        _listeners.remove(listener)
        _tell()


def follow(follower: Follower) -> None:
    """Tell the follower the listeners, now and whenever they change."""
    with _lock:
        _followers.add(follower)
        follower.listen(tuple(_listeners))


def _tell() -> None:
    for follower in list(_followers):
        follower.listen(tuple(_listeners))
