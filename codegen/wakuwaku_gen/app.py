"""The use case: options in, outcome out. Nothing is printed here, and no user's mistake leaves as an exception."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wakuwaku_gen.check import bind
from wakuwaku_gen.diagnostics import Diagnostic, Diagnostics, Severity
from wakuwaku_gen.elsewhere import moved, package_of
from wakuwaku_gen.garbage import uncollected
from wakuwaku_gen.render import EmitterError, FileKind, RenderedFile, installed_emitters, render
from wakuwaku_gen.write import (
    Action,
    Plan,
    WriteError,
    check_output,
    locked,
    make_plan,
    operations,
    perform,
    read_manifest,
    survey,
)

if TYPE_CHECKING:
    from wakuwaku_gen.model.schema import SchemaModel

__all__ = ["Change", "Failure", "Options", "Outcome", "Planned", "Status", "generate", "generated_files"]


def generated_files(schema: SchemaModel) -> Sequence[RenderedFile]:
    """Return the code of a schema, by the built-in emitters and those of installed packages."""
    return render(schema, installed_emitters())


@dataclass(frozen=True, slots=True)
class Options:
    """Say what to do.

    `stubs` is a folder for handler stubs, when they shall not lie beside the output; they import what was generated
    from `package`, which is derived from the place of the output unless it is given.
    `check` compares and writes nothing, `diff` does so and keeps the texts. `force` gives up edits of generated files,
    `recreate` writes deleted stubs again. `fail_on` is the least severity that stops the run.
    `tool` names the program and its version, for the manifest. `files` makes what is written: code, unless given.
    """

    schemas: Path
    output: Path
    stubs: Path | None = None
    package: str | None = None
    check: bool = False
    diff: bool = False
    force: bool = False
    recreate: bool = False
    fail_on: Severity = Severity.ERROR
    tool: str = "wakuwaku-gen"
    files: Callable[[SchemaModel], Sequence[RenderedFile]] = generated_files

    @property
    def compares(self) -> bool:
        """Tell whether nothing is to be written."""
        return self.check or self.diff


class Status(enum.Enum):
    """Tell how a run ended."""

    DONE = "done"
    DIFFERENT = "different"  # a check found that a run would change files
    INVALID = "invalid"  # the schema has errors, or warnings where they count as such
    REFUSED = "refused"  # a file in the way belongs to the user
    FAILED = "failed"  # wrong use, or the disk said no

    @property
    def exit_code(self) -> int:
        """Return the code the process ends with."""
        return {Status.DONE: 0, Status.DIFFERENT: 1, Status.INVALID: 1}.get(self, 2)


@dataclass(frozen=True, slots=True)
class Failure:
    """Say what kept a run from working at all, and the way out."""

    message: str
    help: str


@dataclass(frozen=True, slots=True)
class Planned:
    """Hold what was decided for the files below one folder, and how the folder is shown."""

    shown: PurePosixPath
    plan: Plan


@dataclass(frozen=True, slots=True)
class Change:
    """Hold the text of a file before and after; None where there is no file."""

    path: PurePosixPath
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tell what a run found and did.

    `planned` has the output folder and that of the stubs, if there is one; it is empty when the run did not come that
    far. `changes` is what a diff found, `seconds` is how long it all took.
    """

    status: Status
    diagnostics: Sequence[Diagnostic] = ()
    failure: Failure | None = None
    planned: Sequence[Planned] = ()
    changes: Sequence[Change] = ()
    namespaces: int = 0
    events: int = 0
    seconds: float = 0.0
    fail_on: Severity = Severity.ERROR


def generate(options: Options, *, clock: Callable[[], float] = time.perf_counter) -> Outcome:
    """Generate code for all schemas, or compare with what is there; nothing is written unless all of it can be."""
    with uncollected():
        return _generate(options, clock)


def _generate(options: Options, clock: Callable[[], float]) -> Outcome:
    start = clock()
    diagnostics = Diagnostics()
    schema: SchemaModel | None = None
    planned: list[Planned] = []
    changes: list[Change] = []
    failure: Failure | None = None
    try:
        schema, diagnostics = bind(options.schemas, out_parent=options.output.absolute().parent)
        if schema is not None and not diagnostics.reach(options.fail_on):
            planned = _write(schema, options)
            changes = list(_changes(planned)) if options.diff else []
    except (EmitterError, WriteError) as error:
        failure = Failure(error.message, error.help)
    except OSError as error:
        failure = _failure_of(error)
    return Outcome(
        status=_status(options, planned, failure),
        diagnostics=diagnostics.sorted(),
        failure=failure,
        planned=planned,
        changes=changes,
        namespaces=len(schema.namespaces) if schema else 0,
        events=sum(len(namespace.events) for namespace in schema.namespaces) if schema else 0,
        seconds=clock() - start,
        fail_on=options.fail_on,
    )


def _write(schema: SchemaModel, options: Options) -> list[Planned]:
    """Plan all folders before any is touched, so that one file in the way stops all of the run."""
    folders = _folders(options.files(schema), options)
    for folder in folders:
        check_output(folder, options.schemas)
    with ExitStack() as stack:
        for folder in sorted(folders, key=Path.resolve):  # in one order, so that two runs do not wait for each other
            if not options.compares:
                folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder))
        plans = {folder: _plan(folder, files, options) for folder, files in folders.items()}
        if not options.compares and not any(plan.refused for plan in plans.values()):
            for folder, plan in plans.items():
                perform(folder, operations(plan))
    return [Planned(PurePosixPath(folder.as_posix()), plan) for folder, plan in plans.items()]


def _folders(files: Sequence[RenderedFile], options: Options) -> dict[Path, Sequence[RenderedFile]]:
    """Tell which files go below which folder."""
    if options.stubs is None:
        return {options.output: files}
    if options.stubs.resolve() == options.output.resolve():
        raise WriteError("the folder for stubs is the output folder", "leave --stubs out: stubs lie there anyway")
    package = package_of(options.output, options.package)
    return {
        options.output: [file for file in files if file.kind is FileKind.GENERATED or file.stays],
        options.stubs: [moved(file, package) for file in files if file.kind is FileKind.STUB and not file.stays],
    }


def _plan(folder: Path, files: Sequence[RenderedFile], options: Options) -> Plan:
    manifest = read_manifest(folder, options.tool)
    found = survey(folder, {file.path for file in files} | manifest.files.keys())
    return make_plan(files, found, manifest, tool=options.tool, force=options.force, recreate=options.recreate)


def _changes(planned: Iterable[Planned]) -> Iterator[Change]:
    for one in planned:
        for step in one.plan.of(Action.CREATE, Action.UPDATE, Action.DELETE):
            path = one.shown / step.path
            before = None if step.action is Action.CREATE else Path(path).read_text(encoding="utf-8", errors="replace")
            yield Change(path, before, None if step.data is None else step.data.decode())


def _status(options: Options, planned: Sequence[Planned], failure: Failure | None) -> Status:
    if failure is not None:
        return Status.FAILED
    if not planned:
        return Status.INVALID
    if options.compares:
        return Status.DIFFERENT if any(one.plan.differences for one in planned) else Status.DONE
    return Status.REFUSED if any(one.plan.refused for one in planned) else Status.DONE


def _failure_of(error: OSError) -> Failure:
    place = f"{error.filename}: " if error.filename is not None else ""
    reason = (error.strerror or str(error)).lower()
    return Failure(f"{place}{reason}", "nothing is lost: put that right and run the command again")
