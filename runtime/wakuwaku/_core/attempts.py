"""Attempts of quarantined keys: what they work on, and what follows from how they end."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wakuwaku._core.burial import AttemptOver, Burial
from wakuwaku._core.commands import (
    AttemptFailed,
    Command,
    Dead,
    DeadReason,
    Failure,
    GaveUp,
    RecordsBuried,
    RunKey,
)
from wakuwaku._core.inputs import KeyAbandoned, KeyFinished
from wakuwaku._core.intake import Intake
from wakuwaku._core.journal import original
from wakuwaku._core.plan import Entry, plan
from wakuwaku._core.quarantine import Quarantine
from wakuwaku._core.quarantined_key import Stage
from wakuwaku._core.schedule import GiveUp, exhausted
from wakuwaku._core.settings import DeliveryMode, Settings

__all__ = ["Attempts", "burials"]

_NOBODY_KNOWS = Failure("ProcessEnded", "the process ended during the attempt, again and again")


class Attempts:
    """Start and end the attempts of a partition's quarantined keys."""

    def __init__(self, settings: Settings, intake: Intake, quarantine: Quarantine, burial: Burial) -> None:
        self._settings = settings
        self._intake = intake
        self._quarantine = quarantine
        self._burial = burial
        self._refused: dict[int, list[Dead]] = {}  # pending records that no handler knows any more
        self.stop_reason: str | None = None  # a key was given up and the policy is to stop

    def open(self, now: float) -> list[Command]:
        """Take up what was pending at the start; an attempt that a crash cut short counts as a failed one."""
        hand_again = self._settings.mode is DeliveryMode.NO_EVENT_LOSE
        commands: list[Command] = []
        for key in self._quarantine.open(now, hand_again=hand_again):
            if hand_again and exhausted(self._settings.retry_delays, self._quarantine.keys[key].attempts):
                everything = self._quarantine.resume(key)
                attempts = self._quarantine.keys[key].attempts
                failed = frozenset(entry.offset for entry in everything)
                commands.extend(self._over(KeyFinished(key, (), everything, failed, _NOBODY_KNOWS), attempts, now))
        return commands

    def waits(self, key: int) -> bool:
        """Tell whether a key's attempt waits for a worker."""
        state = self._quarantine.keys.get(key)
        return state is not None and state.stage is Stage.READY

    def taken(self, key: int) -> RunKey:
        """Return what a worker does for a key whose attempt may run."""
        entries: list[Entry] = []
        refused: list[Dead] = []
        for entry in self._quarantine.take(key):
            known = self._settings.algebras.get(entry.tag) is not None
            dead = None if known else self._intake.refusal(entry.offset, entry.record)
            if dead is None and known:
                entries.append(entry)
            elif dead is not None:
                refused.append(dead)
        if refused:
            self._refused[key] = refused
        return RunKey(key, plan(entries), self._quarantine.keys[key].attempts + 1)

    def over(self, finished: KeyFinished, now: float) -> list[Command]:
        """Decide what follows from an attempt that ended."""
        attempts = self._quarantine.keys[finished.key].attempts
        return self._over(finished, attempts + 1 if finished.failed else attempts, now)

    def _over(self, finished: KeyFinished, attempts: int, now: float) -> list[Command]:
        """Decide with the number of attempts that failed so far, this one included."""
        key, settings = finished.key, self._settings
        dead = [*self._refused.pop(key, ()), *finished.dead]
        commands: list[Command] = [*burials(dead)]
        unfinished = {entry.offset for entry in finished.unfinished}
        due: float | None = now
        if finished.failure is not None:
            if not exhausted(settings.retry_delays, attempts):
                due = now + settings.retry_delays[attempts]
                commands.append(AttemptFailed(key, attempts, finished.failure, due - now))
            else:
                commands.append(GaveUp(key, attempts, finished.failure, settings.on_give_up))
                attempts, due = (attempts, None) if settings.on_give_up is GiveUp.PARK else (0, now)
                if settings.on_give_up is GiveUp.CONTINUE:
                    unfinished -= finished.failed
                    dead.extend(_given_up(finished, finished.failure))
                elif settings.on_give_up is GiveUp.STOP:
                    self.stop_reason = f"a key was given up after {len(settings.retry_delays)} attempts"
        over = AttemptOver(key, attempts, due, self._quarantine.resolved_by(key, unfinished))
        if dead:
            self._burial.add(list(map(_as_it_was, dead)), after=over)
        else:
            self.end(over)
        return commands

    def not_begun(self, key: int, now: float) -> None:
        """End an attempt that no worker took: it is not a failed one, and the key is due at once."""
        self.end(AttemptOver(key, self._quarantine.keys[key].attempts, now, []))

    def abandoned(self, abandoned: KeyAbandoned, now: float) -> list[Command]:
        """End an attempt that has no outcome: it is not a failed one, and the key is due at once.

        In NO_EVENT_LOSE all of it is done again. In NO_DOUBLE_CONSUME only what is certainly not done.
        """
        key = abandoned.key
        refused = self._refused.pop(key, ())
        attempts = self._quarantine.keys[key].attempts
        if self._settings.mode is DeliveryMode.NO_EVENT_LOSE:
            self.not_begun(key, now)
            return []
        dead = [*refused, *abandoned.dead]
        over = AttemptOver(key, attempts, now, self._quarantine.resolved_by(key, abandoned.kept))
        if dead:
            self._burial.add(list(map(_as_it_was, dead)), after=over)
        else:
            self.end(over)
        return [*burials(dead)]

    def end(self, over: AttemptOver) -> None:
        """Write how an attempt ended."""
        self._quarantine.end(over.key, attempts=over.attempts, due=over.due, resolved=over.resolved)


def burials(dead: Sequence[Dead]) -> list[RecordsBuried]:
    """Return one note for each failure, with the offsets it cost."""
    groups: dict[int, list[Dead]] = {}
    for one in dead:
        groups.setdefault(id(one.failure), []).append(one)
    return [
        RecordsBuried(group[0].reason, group[0].failure, [one.offset for one in group]) for group in groups.values()
    ]


def _given_up(finished: KeyFinished, failure: Failure) -> list[Dead]:
    return [
        Dead(entry.offset, entry.record, DeadReason.GAVE_UP, failure)
        for entry in finished.unfinished
        if entry.offset in finished.failed
    ]


def _as_it_was(dead: Dead) -> Dead:
    """Return a pending record's letter with the record as it stood in the main topic, if it ever stood there."""
    foreign = dead.offset < 0
    offset = -1 - dead.offset if foreign else dead.offset
    return msgspec.structs.replace(dead, offset=offset, record=original(dead.record), retry=foreign)
