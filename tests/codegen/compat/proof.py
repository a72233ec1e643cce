"""Compare what the checker says of two versions with what their codecs do.

`judge` is the whole proof for one pair: each verdict "refused" has a record that is refused, each "reads all" survives
drawn records, in both directions and through a relay. It raises `DisprovedError` otherwise. Nothing here depends on how
the checker comes to its verdicts, so a mutation of it is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import msgspec
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.codegen.compat.records import records
from tests.codegen.compat.versions import ADDRESS
from wakuwaku_gen.compat.axes import Axis, Level, Verdict
from wakuwaku_gen.compat.breaks import Break, Doubt
from wakuwaku_gen.compat.catalogue import Address, Catalogue, Record
from wakuwaku_gen.compat.checker import UNNAMED, Baseline, compare
from wakuwaku_gen.compat.codecs import Codecs, DecodeError
from wakuwaku_gen.compat.finding import Finding
from wakuwaku_gen.compat.payload import PayloadError, payload
from wakuwaku_gen.compat.reading import Reading
from wakuwaku_gen.compat.relay import Loss, Relaying

__all__ = ["DisprovedError", "Trial", "judge", "unordered"]


class DisprovedError(AssertionError):
    """Say which verdict is not true."""


@dataclass
class Trial:
    """Two versions, the codecs the checker makes of them, and how many records are drawn of what is said to be read.

    `number` makes the drawn records those of this pair, the same in each run.
    """

    old: Catalogue
    new: Catalogue
    number: int = 0
    drawn: int = 4
    address: Address = ADDRESS

    def __post_init__(self) -> None:
        self.codecs = {id(self.old): Codecs(self.old), id(self.new): Codecs(self.new)}

    def record(self, held: Catalogue) -> Record:
        event = held.events[self.address]
        return Record(event.id, event.fields)

    def decodes(self, held: Catalogue, body: bytes) -> bool:
        try:
            self.codecs[id(held)].decode(self.record(held), body)
        except DecodeError:
            return False
        return True

    def bodies(self, held: Catalogue) -> Iterator[bytes]:
        """Draw records that a version may write: what its publisher would send, which its own codec reads."""
        yield self.codecs[id(held)].rewrite(self.record(held), payload(held, self.record(held)))
        drawn: list[object] = []

        @seed(self.number)
        @settings(max_examples=self.drawn, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        @given(records(held, self.record(held)))
        def collect(payload: object) -> None:
            drawn.append(payload)

        collect()
        yield from (self.codecs[id(held)].rewrite(self.record(held), one) for one in drawn)

    def relayed(self, body: bytes) -> bytes:
        """Return what a consumer of the old version writes of a record of the new one."""
        try:
            return self.codecs[id(self.old)].relay(self.record(self.old), body)
        except DecodeError as error:
            raise DisprovedError(f"relay: {body.hex()} is not read at all: {error}") from error

    def planted(self, held: Catalogue, found: Break) -> bytes:
        try:
            made = payload(held, self.record(held), found.place, found.plant)
            return self.codecs[id(held)].rewrite(self.record(held), made)
        except (PayloadError, *DecodeError) as error:
            raise DisprovedError(f"no record shows {found}: {error}") from error


def judge(trial: Trial, counts: Counter[str]) -> None:
    """Hold all verdicts on a pair of versions against its codecs."""
    forward = _reads(trial, trial.old, trial.new, "forward", counts)
    backward = _reads(trial, trial.new, trial.old, "backward", counts)
    if forward is False:
        counts["relay: not read at all"] += 1
    elif forward is not None:
        _relays(trial, counts)
    _names(trial, backward, forward)


def _reads(trial: Trial, reader: Catalogue, writer: Catalogue, direction: str, counts: Counter[str]) -> bool | None:
    """Check one direction; return whether all is read, None when the checker can't tell."""
    found = list(Reading(reader, writer).breaks(trial.record(reader), trial.record(writer)))
    breaks = [one for one in found if isinstance(one, Break)]
    for one in breaks:
        counts[f"{direction}: {one.kind}"] += 1
        body = trial.planted(writer, one)
        if trial.decodes(reader, body):
            raise DisprovedError(f"{direction}: {one} is read")
    if breaks:
        return False
    if any(isinstance(one, Doubt) for one in found):
        counts[f"{direction}: doubt"] += 1
        return None
    counts[f"{direction}: reads all"] += 1
    for body in trial.bodies(writer):
        if not trial.decodes(reader, body):
            raise DisprovedError(f"{direction}: {body.hex()} is refused")
    return True


def _relays(trial: Trial, counts: Counter[str]) -> None:
    """Check what a relay leaves: refused, changed, or the same."""
    new = trial.codecs[id(trial.new)]
    found = list(Relaying(trial.new, trial.old).found(trial.record(trial.new), trial.record(trial.old)))
    breaks = [one for one in found if isinstance(one, Break)]
    for one in breaks:
        counts[f"relay: {one.kind}"] += 1
        left = trial.relayed(trial.planted(trial.new, one))
        if trial.decodes(trial.new, left):
            raise DisprovedError(f"relay: {one} is read")
    if breaks:
        return
    lossless = not any(isinstance(one, Loss) for one in found)
    counts["relay: the same" if lossless else "relay: loses something"] += 1
    for body in trial.bodies(trial.new):
        left = trial.relayed(body)
        if not trial.decodes(trial.new, left):
            raise DisprovedError(f"relay: {body.hex()} comes out as {left.hex()}, which is refused")
        if lossless and unordered(new.relay(trial.record(trial.new), left)) != unordered(
            new.relay(trial.record(trial.new), body)
        ):
            raise DisprovedError(f"relay: {body.hex()} comes out as {left.hex()}, which is another value")


def unordered(body: bytes) -> str:
    """Return a record as text in which lists are sorted, since sets have no order, and NaN equals itself."""
    return _sorted(msgspec.msgpack.decode(body, strict=False))


def _sorted(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(sorted(map(_sorted, cast('list[object]', value))))}]"
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value).items()
        return f"{{{', '.join(sorted(f'{_sorted(key)}: {_sorted(one)}' for key, one in pairs))}}}"
    return repr(value)


def _names(trial: Trial, backward: bool | None, forward: bool | None) -> None:
    """Check that findings say the same as the codecs, each change by a name."""
    findings = compare(trial.new, [Baseline("old", trial.old)], level=Level.FULL)
    if any(one.edit.detail == UNNAMED for one in findings):
        raise DisprovedError(f"a change has no name: {findings}")
    for axis, reads in ((Axis.BACKWARD, backward), (Axis.FORWARD, forward)):
        proven = [one for one in findings if axis in one.proofs and trial.address in one.events]
        if reads is False and not proven:
            raise DisprovedError(f"{axis.value}: no finding proves it: {_told(findings)}")
        if reads is True and (proven or any(_decoding(one, axis) for one in findings)):
            raise DisprovedError(f"{axis.value}: all is read, and yet {_told(findings)}")
        for one in findings:
            if _decoding(one, axis) and axis not in one.proofs and reads is not None:
                raise DisprovedError(f"{axis.value}: no proof of {one.rule}: {one.edit.message}")


def _decoding(finding: Finding, axis: Axis) -> bool:
    """Tell whether a verdict is one of decoding."""
    breaks = {Axis.BACKWARD: finding.edit.backward, Axis.FORWARD: finding.edit.forward}[axis]
    return bool(breaks) and finding.axes.on(axis) is not Verdict.OK


def _told(findings: Iterable[Finding]) -> list[str]:
    return [f"{one.rule} {one.axes} {one.edit.message}" for one in findings]
