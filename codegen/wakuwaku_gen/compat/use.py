"""The use cases: check a schema against its past, make repairs, release a version. Nothing is printed."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wakuwaku_gen.check import bind
from wakuwaku_gen.compat.approvals import APPROVALS, Approvals, in_schema, read_approvals
from wakuwaku_gen.compat.axes import Level, Verdict
from wakuwaku_gen.compat.baselines import Baselines, read_lock
from wakuwaku_gen.compat.catalogue import Catalogue, catalogue_of
from wakuwaku_gen.compat.checker import Baseline, compare, draft_findings
from wakuwaku_gen.compat.errors import CompatError
from wakuwaku_gen.compat.evidence import count_records
from wakuwaku_gen.compat.finding import Count, Finding
from wakuwaku_gen.compat.fixes import Fixed, edited, write_files
from wakuwaku_gen.compat.golden import golden_findings
from wakuwaku_gen.compat.lock import LOCK, Lock, dump_lock
from wakuwaku_gen.compat.plan import Plan, plan_of
from wakuwaku_gen.compat.release import changed_subjects, check_version, release_lines
from wakuwaku_gen.diagnostics import Diagnostic, Severity
from wakuwaku_gen.garbage import uncollected
from wakuwaku_gen.load.folder import shown_path
from wakuwaku_gen.model.schema import SchemaModel

__all__ = ["Options", "Outcome", "Status", "check_compat", "release"]


@dataclass(frozen=True, slots=True)
class Options:
    """Say what to check, and against what.

    Without `against` it is the lock beside the schemas. `fail_on` is the least severity that fails. `fix` makes the
    edits that findings offer. `check_lock` asks that the lock has the present shapes. `evidence` names logs.
    `today` decides whether an approval is over.
    """

    schemas: Path
    against: tuple[str, ...] = ()
    level: Level = Level.BACKWARD
    fail_on: Severity = Severity.ERROR
    lock: Path | None = None
    approvals: Path | None = None
    tip: bool = False
    fetch: bool = False
    check_lock: bool = False
    fix: bool = False
    evidence: tuple[str, ...] = ()
    today: dt.date | None = None

    @property
    def lock_file(self) -> Path:
        """Return where the lock is."""
        return self.lock or self.schemas / LOCK


class Status(enum.Enum):
    """Tell how a check ended."""

    COMPATIBLE = "compatible"
    INCOMPATIBLE = "incompatible"
    FAILED = "failed"  # there is no answer: a bad ref, broken TOML, an unknown lock
    STALE = "stale"  # the lock does not have the present shapes

    @property
    def exit_code(self) -> int:
        """Return the code the process ends with."""
        return list(Status).index(self)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tell what a check found.

    `findings` has approved ones, too. `diagnostics` are about the schema and its approvals. `notices` say what else to
    know, such as that there is nothing to compare with yet. `stale` is what the lock does not have as it is now.
    """

    status: Status
    findings: Sequence[Finding] = ()
    plan: Plan | None = None
    versions: Sequence[str] = ()
    diagnostics: Sequence[Diagnostic] = ()
    notices: Sequence[str] = ()
    stale: Sequence[str] = ()
    fixed: Sequence[Fixed] = ()
    failure: CompatError | None = None
    events: int = 0
    level: Level = Level.BACKWARD


@dataclass(slots=True)
class _Run:
    """Hold what a check has found so far."""

    options: Options
    schema: SchemaModel
    held: Catalogue
    lock: Lock
    baselines: list[Baseline]
    notices: list[str] = field(default_factory=list[str])


def check_compat(options: Options) -> Outcome:
    """Hold a schema to its past; no user's mistake leaves as an exception."""
    try:
        with uncollected():
            run = _start(options)
            outcome = _checked(run)
            if options.fix and any(_offers(finding) for finding in outcome.findings):
                outcome = _fix(run, outcome)
            return outcome
    except CompatError as error:
        return Outcome(Status.FAILED, failure=error, diagnostics=error.diagnostics, level=options.level)
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        failure = CompatError(f"{place}{(error.strerror or str(error)).lower()}", "put that right and run it again")
        return Outcome(Status.FAILED, failure=failure, level=options.level)


def _start(options: Options, *, nothing_is_fine: bool = False) -> _Run:
    schema = _bound(options.schemas)
    lock = read_lock(options.lock_file)
    baselines = Baselines(options.schemas, tip=options.tip, fetch=options.fetch)
    if not options.against:
        baselines.add_lock(lock)
        if not lock.versions and not nothing_is_fine:
            message = (
                f"there is nothing to compare with: no --against, and no {shown_path(options.lock_file, Path.cwd())}"
            )
            raise CompatError(message, f"wakuwaku release {options.schemas} --version 0.1.0, or --against git:main")
    for words in options.against:
        baselines.add(words)
    return _Run(options, schema, catalogue_of(schema), lock, baselines.found, baselines.notices)


def _bound(schemas: Path) -> SchemaModel:
    schema, diagnostics = bind(schemas, out_parent=schemas.absolute().parent)
    if schema is None:
        errors = [item for item in diagnostics.sorted() if item.severity is Severity.ERROR]
        raise CompatError("the schemas have errors, so nothing was compared", "mend them first", errors)
    return schema


def _checked(run: _Run) -> Outcome:
    options = run.options
    shown = shown_path(options.approvals or options.schemas / APPROVALS, Path.cwd())
    given = [
        *in_schema(run.schema.allows, run.held),
        *read_approvals(options.approvals or options.schemas / APPROVALS, shown),
    ]
    today = options.today or dt.datetime.now(dt.UTC).date()
    approvals = Approvals(given, today)
    findings = [
        *draft_findings(run.held, options.level, approvals),
        *golden_findings(run.lock),
        *compare(run.held, run.baselines, level=options.level, approvals=approvals, accepted=run.lock.accepted),
    ]
    if options.evidence:
        findings = _counted(findings, run)
    remarks = list(approvals.remarks(finding.edit for finding in findings))
    stale = changed_subjects(run.lock, run.held) if options.check_lock else []
    failing = any(finding.severity.at_least(options.fail_on) and finding.approved is None for finding in findings)
    failing = failing or any(remark.severity.at_least(options.fail_on) for remark in remarks)
    status = Status.INCOMPATIBLE if failing else Status.STALE if stale else Status.COMPATIBLE
    return Outcome(
        status,
        findings,
        plan_of(findings),
        [baseline.label for baseline in run.baselines],
        remarks,
        run.notices,
        stale,
        events=len(run.held.events),
        level=options.level,
    )


def _counted(findings: Sequence[Finding], run: _Run) -> list[Finding]:
    """Return findings with what the logs say of those that old records may be lost by."""
    meant = [finding for finding in findings if finding.axes.backward is not Verdict.OK]
    wanted = frozenset(address for finding in meant for address in finding.events)
    counts = count_records(run.options.evidence, run.held, wanted)

    def counted(finding: Finding) -> Finding:
        held = [counts[address] for address in finding.events if address in counts]
        if finding.axes.backward is Verdict.OK or not held:
            return finding
        return replace(finding, evidence=Count(sum(one.records for one in held), sum(one.unread for one in held)))

    return [counted(finding) for finding in findings]


# Repairs


def _offers(finding: Finding) -> bool:
    return finding.edit.fix is not None and finding.approved is None and finding.rule != "EVENT_REMOVED"


def _fix(run: _Run, outcome: Outcome) -> Outcome:
    """Make the edits on offer, then check what came of them; files that got worse are put back."""
    fixes = [finding.edit.fix for finding in outcome.findings if _offers(finding) and finding.edit.fix is not None]
    fixed = edited(fixes, run.held)
    if not fixed:
        return outcome
    write_files({one.path: one.after for one in fixed})
    try:
        again = _checked(_start(run.options))
    except CompatError as error:
        write_files({one.path: one.before for one in fixed})
        help_ = "make the edits by hand; the files are as they were"
        raise CompatError(
            f"the edits on offer do not fit this schema: {error.message}", help_, error.diagnostics
        ) from error
    return replace(again, fixed=fixed)


# Releases


def release(options: Options, version: str) -> Outcome:
    """Add the present shapes to the lock as a version, unless an unapproved finding stands against it."""
    try:
        with uncollected():
            run = _start(options, nothing_is_fine=True)
            check_version(run.lock, version)
            outcome = _checked(run)
            if outcome.status is not Status.COMPATIBLE:
                return outcome
            approved = [finding for finding in outcome.findings if finding.approved is not None]
            write_files({options.lock_file: dump_lock(release_lines(run.lock, run.held, version, approved))})
            return outcome
    except CompatError as error:
        return Outcome(Status.FAILED, failure=error, diagnostics=error.diagnostics, level=options.level)
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        failure = CompatError(f"{place}{(error.strerror or str(error)).lower()}", "put that right and run it again")
        return Outcome(Status.FAILED, failure=failure, level=options.level)
