"""Settings of a consumer."""

from __future__ import annotations

import math
import os
import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, TypedDict, Unpack

from wakuwaku._core.schedule import GiveUp
from wakuwaku._core.settings import DeliveryMode, UnknownEvents
from wakuwaku.environment import settings_from, variable
from wakuwaku.errors import ConfigError

__all__ = ["ConsumerConfig", "ConsumerSettings", "DeliveryMode", "GiveUp", "UnknownEvents"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class ConsumerSettings(TypedDict, total=False):
    """Name some of the settings of a consumer, such as those a program has values of its own for."""

    consumer: str
    partitions: Sequence[int]
    mode: DeliveryMode
    retry_delays: Sequence[float]
    poll_count: int
    poll_interval: float
    idle_interval: float
    concurrency: int
    max_in_flight: int
    max_pending_retry: int
    on_give_up: GiveUp
    unknown_events: UnknownEvents
    failures_in_a_row: int
    handler_timeout: float | None
    lag_warning: float | None
    lease_seconds: float | None
    drain_timeout: float
    share_retry_topic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerConfig:
    """Set up a consumer; checked when it is made, all that is wrong is told in one `ConfigError`.

    Durations are seconds. `consumer` names the consumer: offsets are stored and dead letters kept under it.
    `partitions` is an explicit assignment, ids from 0; there is no "all".

    A handler that raises a Transient error is called again after each of `retry_delays` in turn; the last one repeats
    for ever. A key whose handler raises a Retryable one is tried again once after each of `retry_delays`; then
    `on_give_up` says what becomes of it. While `max_pending_retry` records of a partition wait for another attempt,
    reading pauses; nothing is dropped.

    `poll_count` records are read at a time; at the end of the log the next read comes after `poll_interval`, growing to
    `idle_interval`. `concurrency` handlers run at a time per partition; reading pauses while `max_in_flight` records of
    a partition are unresolved. A call of a handler that takes longer than `handler_timeout` is cancelled and counts as
    failed with `TimeoutError`; a plain function's thread can't be cancelled, so there that comes when it returns. Plain
    functions have `concurrency` threads for all partitions together. A handler that blocks
    the event loop for longer than `lag_warning` is named in the log; None turns the watch off. When
    `failures_in_a_row` keys fail for good one after another, the partition stops: then it is not the events that are
    wrong. A lease of `lease_seconds` keeps a second instance off the partitions of this one; None works without, as on
    a log that keeps no leases. `drain_timeout` is how long a graceful stop waits for what runs.

    With `share_retry_topic` what waits for another attempt is kept in ``retry_<topic>`` instead of a topic of this
    consumer's own, so that it can take over from a Rust service under the same consumer name, and hand over to one.
    """

    consumer: str
    partitions: Sequence[int]
    mode: DeliveryMode = DeliveryMode.NO_EVENT_LOSE
    retry_delays: Sequence[float] = (2.0, 4.0, 8.0, 16.0)
    poll_count: int = 1000
    poll_interval: float = 0.1
    idle_interval: float = 1.0
    concurrency: int = 100
    max_in_flight: int = 10_000
    max_pending_retry: int = 100_000
    on_give_up: GiveUp = GiveUp.CONTINUE
    unknown_events: UnknownEvents = UnknownEvents.DEAD_LETTER
    failures_in_a_row: int = 1000
    handler_timeout: float | None = None
    lag_warning: float | None = 1.0
    lease_seconds: float | None = 30.0
    drain_timeout: float = 25.0
    share_retry_topic: bool = False

    def __post_init__(self) -> None:
        problems = self._type_problems()
        if problems:
            raise ConfigError(*problems)
        object.__setattr__(self, "partitions", tuple(self.partitions))
        object.__setattr__(self, "retry_delays", tuple(self.retry_delays))
        problems = [*self._partition_problems(), *self._number_problems()]
        if not _NAME.fullmatch(self.consumer):
            problems.append(
                f"consumer: {self.consumer!r} is not a name; use letters, digits, '.', '_' and '-', 100 at most"
            )
        if problems:
            raise ConfigError(*problems)

    @classmethod
    def from_env(
        cls, prefix: str, environ: Mapping[str, str] | None = None, **settings: Unpack[ConsumerSettings]
    ) -> Self:
        """Read the settings from variables such as ``ORDER_PARTITIONS=0,2`` and ``ORDER_RETRY_DELAYS=1,10,60``.

        `prefix` is ``ORDER`` here; `environ` is `os.environ` unless given. What the environment does not hold comes
        from `settings`, and else is the default. Numbers of partitions are listed, or a range such as ``0-3``;
        durations are seconds, or have a unit (``500ms``, ``5m``); a choice is its name in any case; ``none`` turns off
        what may be None.

        Raises one `ConfigError` that names every variable that is wrong, missing or almost called as a setting is.
        """
        hints = typing.get_type_hints(cls)
        given, problems = settings_from(hints, prefix, os.environ if environ is None else environ)
        values: dict[str, Any] = {**settings, **given}
        wrong = {problem.partition(":")[0] for problem in problems}
        for setting in ("consumer", "partitions"):
            name = variable(prefix, setting)
            if setting not in values and name not in wrong:
                example = "0,2" if setting == "partitions" else "order-projection"
                problems.append(f"{name}: not set; set it, such as {name}={example}, or give {setting}= in the program")
        # The constructor finds what no single variable shows; neutral values stand in for what is wrong already.
        stand_in: dict[str, Any] = {"consumer": "c", "partitions": (0,)}
        try:
            made = cls(**(stand_in | values))
        except ConfigError as error:
            names = {field.name: variable(prefix, field.name) for field in fields(cls) if field.name in given}
            found = (_in_the_words_of_the_environment(one, names) for one in error.problems)
            raise ConfigError(*problems, *found) from None
        if problems:
            raise ConfigError(*problems)
        return made

    def _type_problems(self) -> list[str]:
        """Return what is of a wrong kind altogether: configuration often comes from where no type checker looks."""
        kinds: dict[str, tuple[type, str]] = {
            "consumer": (str, "a text"),
            "partitions": (Sequence, "a sequence of numbers"),
            "retry_delays": (Sequence, "a sequence of seconds"),
            "mode": (DeliveryMode, "a DeliveryMode"),
            "on_give_up": (GiveUp, "a GiveUp"),
            "unknown_events": (UnknownEvents, "an UnknownEvents"),
            "share_retry_topic": (bool, "True or False"),
        }
        return [
            f"{name}: {value!r} is not {what}"
            for name, (kind, what) in kinds.items()
            if not isinstance(value := getattr(self, name), kind) or (isinstance(value, str) and kind is Sequence)
        ]

    def _partition_problems(self) -> list[str]:
        if not self.partitions:
            return ["partitions: empty; name the partitions this consumer reads, such as [0, 1]"]
        if any(not _is_whole(id_, 0) for id_ in self.partitions):
            return [f"partitions: {list(self.partitions)!r}; ids are whole numbers from 0"]
        if len(set(self.partitions)) < len(self.partitions):
            return [f"partitions: {list(self.partitions)!r} names one twice"]
        return []

    def _number_problems(self) -> list[str]:
        problems: list[str] = []
        if not self.retry_delays:
            problems.append("retry_delays: empty; name at least one delay")
        problems.extend(
            f"retry_delays: {delay!r} is not a duration of 0 seconds or more"
            for delay in self.retry_delays
            if not _is_duration(delay)
        )
        problems.extend(
            f"{name}: {value!r}; at least 1 is needed"
            for name in ("poll_count", "concurrency", "max_in_flight", "max_pending_retry", "failures_in_a_row")
            if not _is_whole(value := getattr(self, name), 1)
        )
        problems.extend(
            f"{name}: {value!r} is not a duration of 0 seconds or more"
            for name in ("poll_interval", "idle_interval", "drain_timeout")
            if not _is_duration(value := getattr(self, name))
        )
        problems.extend(
            f"{name}: {value!r} is neither None nor a duration of more than 0 seconds"
            for name in ("handler_timeout", "lag_warning", "lease_seconds")
            if (value := getattr(self, name)) is not None and (not _is_duration(value) or not value)
        )
        return problems


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_duration(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _in_the_words_of_the_environment(problem: str, names: Mapping[str, str]) -> str:
    """Name the variable in a problem with a setting that came from one."""
    setting, colon, rest = problem.partition(":")
    return f"{names.get(setting, setting)}{colon}{rest}"
