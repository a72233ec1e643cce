"""Hold a schema to all versions that were released: versions in, findings out."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wakuwaku_gen.compat.approvals import Approvals
from wakuwaku_gen.compat.axes import LEVELS, Axes, Axis, Level, Verdict
from wakuwaku_gen.compat.breaks import Break, Doubt
from wakuwaku_gen.compat.catalogue import Address, Catalogue, Record, references
from wakuwaku_gen.compat.codecs import Codecs
from wakuwaku_gen.compat.edit import Edit, Subject, measured
from wakuwaku_gen.compat.finding import Finding, fingerprint
from wakuwaku_gen.compat.naming import Named, name_changes
from wakuwaku_gen.compat.pairs import Both
from wakuwaku_gen.compat.rules import ALWAYS
from wakuwaku_gen.compat.states import State, States
from wakuwaku_gen.compat.witness import Prover, Witness
from wakuwaku_gen.diagnostics import Severity
from wakuwaku_gen.model.schema import StructModel

__all__ = ["UNNAMED", "Baseline", "compare", "draft_edits", "draft_findings"]


#: The detail of a change that no rule has a name for.
UNNAMED: Final = "unnamed"


@dataclass(frozen=True, slots=True)
class Baseline:
    """Hold a version to compare with; `label` is what messages call it, `number` its place among the releases."""

    label: str
    held: Catalogue
    number: int = -1


@dataclass(slots=True)
class _Found:
    """Gather what was found of one edit over all versions."""

    edit: Edit
    axes: Axes
    events: dict[Address, str]
    versions: set[str]
    proofs: dict[Axis, Witness]


def compare(
    new: Catalogue,
    baselines: Sequence[Baseline],
    *,
    level: Level = Level.BACKWARD,
    approvals: Approvals | None = None,
    accepted: Mapping[str, int] | None = None,
) -> list[Finding]:
    """Return what stands between a version and those before it, oldest first in `baselines`.

    `accepted` has the number of the release that accepted a finding, by its fingerprint: to the versions before that
    release it is no news. Approved findings are among the result, each with its reason.
    """
    codecs = {id(held): Codecs(held) for held in (new, *(baseline.held for baseline in baselines))}
    gathered: dict[str, _Found] = {}
    for named, baseline, versions in _changes(new, baselines):
        mark = fingerprint(named.edit)
        if accepted is not None and accepted.get(mark, -1) > baseline.number >= 0:
            continue
        prover = Prover(codecs[id(new)], codecs[id(baseline.held)], (new, baseline.held))
        axes, proofs = _proven(named, prover, _folds(named.events, new, baseline.held))
        found = gathered.setdefault(mark, _Found(named.edit, axes, {}, set(), {}))
        found.axes = found.axes.joined(axes)
        found.versions |= versions
        found.events |= {address: _name(address, new, baseline.held) for address in named.events}
        found.proofs = {**found.proofs, **proofs}  # of the oldest version
    order = [baseline.label for baseline in baselines]
    return sorted((_finding(found, level, approvals, order) for found in gathered.values()), key=_place)


def _changes(new: Catalogue, baselines: Sequence[Baseline]) -> Iterator[tuple[Named, Baseline, set[str]]]:
    """Return all changes, the latest version's first; each state of an event is compared once."""
    written = [next(iter(baseline.held.events.values()), None) for baseline in baselines]
    states = States(docs=any(event is not None and event.span.file.suffix == ".toml" for event in written))
    now = {address: states.of(new, address) for address in new.events}
    same: dict[tuple[Address, State], set[str]] = {}
    wanted: list[set[Address]] = []
    for baseline in reversed(baselines):
        fresh: set[Address] = set()
        for address in baseline.held.events:
            state = states.of(baseline.held, address)
            if (address, state) not in same:
                same[address, state] = set()
                if state != now.get(address):
                    fresh.add(address)
            same[address, state].add(baseline.label)
        wanted.append(fresh)
    recent: Catalogue | None = None
    for baseline, fresh in zip(reversed(baselines), wanted, strict=True):
        both = Both(new, baseline.held, states.same(new, baseline.held), states.kept(new, baseline.held, fresh))
        changes = name_changes(both, frozenset(fresh), recent=recent)
        for named in [*changes, *_unnamed(both, changes)]:
            held = [same[one, states.of(baseline.held, one)] for one in named.events if one in baseline.held.events]
            yield named, baseline, set().union(*held) if held else {baseline.label}
        recent = recent or baseline.held


def _unnamed(both: Both, named: Sequence[Named]) -> Iterator[Named]:
    """Return breaks that no rule has a name for; the tests know of none, and none shall be lost for that."""
    told: dict[Axis, set[Address]] = {axis: set() for axis in (Axis.BACKWARD, Axis.FORWARD)}
    for one in named:
        for axis, seen in told.items():
            if one.edit.axes.on(axis) is Verdict.ERROR:
                seen.update(one.events)
    for address in both.compared:
        new, old = both.new.events[address], both.old.events[address]
        records = Record(new.id, new.fields), Record(old.id, old.fields)
        backward = _first(both.back.breaks(*records)) if address not in told[Axis.BACKWARD] else ()
        forward = _first(both.forth.breaks(*reversed(records))) if address not in told[Axis.FORWARD] else ()
        if backward or forward:
            edit = Edit(
                "FIELD_TYPE_CHANGED",
                Subject(f"{address[0]}/{address[1]}"),
                f"records of {new.id.name!r} are not what they were",
                measured(backward, forward),
                new.span,
                old.span,
                detail=UNNAMED,
                backward=backward,
                forward=forward,
                stated=Axes(),
            )
            yield Named(edit, (address,))


def _first(found: Iterable[Break | Doubt]) -> tuple[Break, ...]:
    return tuple(itertools.islice((one for one in found if isinstance(one, Break)), 1))


def _folds(events: Iterable[Address], new: Catalogue, old: Catalogue) -> bool:
    """Tell whether consumers write one of the events again: they fold associative ones."""
    models = [held.events.get(address) for held in (new, old) for address in events]
    return any(model is not None and model.algebra == "associative" for model in models)


def _name(address: Address, new: Catalogue, old: Catalogue) -> str:
    event = new.events.get(address) or old.events.get(address)
    return f"{address[0]}/{address[1]}" if event is None else event.id.name


def _proven(named: Named, prover: Prover, folds: bool) -> tuple[Axes, dict[Axis, Witness]]:  # noqa: FBT001
    """Return the verdicts that hold: one of decoding needs a record that shows it, and relay a consumer that folds."""
    edit = named.edit
    address = named.events[0] if named.events else None
    proofs: dict[Axis, Witness] = {}
    verdicts: dict[str, Verdict] = {}
    for axis, breaks, prove in (
        (Axis.BACKWARD, edit.backward, prover.backward),
        (Axis.FORWARD, edit.forward, prover.forward),
        (Axis.RELAY, edit.relay if folds else (), prover.relay),
    ):
        verdict = edit.axes.on(axis)
        if axis is Axis.RELAY and not folds:
            verdict = Verdict.OK
        elif breaks and address is not None:
            witness = prove(address, breaks)
            if witness is not None:
                proofs[axis] = witness
            elif verdict is Verdict.ERROR:
                stated = edit.unproven.on(axis)
                verdict = stated if stated is Verdict.ERROR else Verdict.WARNING
        verdicts[axis.value] = verdict
    return Axes(**verdicts, source=edit.axes.source), proofs


def _finding(found: _Found, level: Level, approvals: Approvals | None, order: Sequence[str]) -> Finding:
    edit = found.edit
    severity = _severity(edit.rule, found.axes, level)
    counts = severity is not Severity.HINT
    return Finding(
        replace(edit, axes=found.axes),
        found.axes,
        severity,
        tuple(label for label in order if label in found.versions),
        tuple(found.events),
        tuple(dict.fromkeys(found.events.values())),
        found.proofs,
        approvals.reason(edit) if approvals is not None and counts else None,
    )


def _severity(rule: str, axes: Axes, level: Level) -> Severity:
    """Return how heavy a finding weighs: what the level asks for counts in full, the rest one degree less."""
    asked = frozenset(Axis) - {Axis.SOURCE} if rule in ALWAYS else LEVELS[level]
    inside = max((axes.on(axis) for axis in asked), key=lambda one: one.weight)
    others = frozenset(Axis) - asked - {Axis.SOURCE}
    outside = max((axes.on(axis) for axis in others), key=lambda one: one.weight, default=Verdict.OK)
    if inside is Verdict.ERROR:
        return Severity.ERROR
    return Severity.WARNING if inside is Verdict.WARNING or outside is Verdict.ERROR else Severity.HINT


def _place(finding: Finding) -> tuple[bool, str, str, str]:
    span = finding.edit.at
    place = "" if span is None else f"{span.file}:{span.line:09}:{span.column:06}"
    return (span is None, place, finding.rule, finding.place)


def draft_findings(new: Catalogue, level: Level, approvals: Approvals) -> Iterator[Finding]:
    """Return where a stable event or type holds a draft: whatever becomes of the draft becomes of its records."""
    for named in draft_edits(new):
        address = named.events[0]
        yield Finding(
            named.edit,
            named.edit.axes,
            _severity(named.edit.rule, named.edit.axes, level),
            (),
            named.events,
            (new.events[address].id.name,),
            approved=approvals.reason(named.edit),
        )


def draft_edits(new: Catalogue) -> Iterator[Named]:
    """Name fields of stable events and types that hold a draft."""
    for address, event in sorted(new.events.items()):
        if event.draft:
            continue
        records = [Record(event.id, event.fields)]
        reached = [new.types[name] for name in sorted(new.reached(event.fields), key=str)]
        records += [new.record(one.id) for one in reached if isinstance(one, StructModel) and not one.draft]
        for record in records:
            owner = f"{address[0]}/{address[1]}" if record.id == event.id else str(record.id)
            for field in record.fields:
                for name in references(field.type):
                    if new.types[name].draft:
                        edit = Edit(
                            "DRAFT_TYPE_USED",
                            Subject(owner, field.wire),
                            f"{field.wire!r} of the stable {record.id.name!r} holds {name.name!r}, which is a draft",
                            Axes(backward=Verdict.ERROR),
                            field.span,
                            None,
                            f"make {name.name!r} stable, or the event a draft as well",
                            detail=str(name),
                        )
                        yield Named(edit, (address,))
