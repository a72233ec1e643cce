"""The use case: options in, outcome out. Nothing is printed here, and no user's mistake leaves as an exception."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wakuwaku_gen.check import bind
from wakuwaku_gen.diagnostics import Diagnostic, Diagnostics
from wakuwaku_gen.render import render
from wakuwaku_gen.render.limits import report_unsupported
from wakuwaku_gen.write import (
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

__all__ = ["Failure", "Options", "Outcome", "Status", "generate"]


@dataclass(frozen=True, slots=True)
class Options:
    """Say what to do.

    `check` compares and writes nothing, `force` gives up edits of generated files, `recreate` writes deleted stubs
    again. `tool` names the program and its version, for the manifest.
    """

    schemas: Path
    output: Path
    check: bool = False
    force: bool = False
    recreate: bool = False
    tool: str = "wakuwaku-gen"


class Status(enum.Enum):
    """Tell how a run ended."""

    DONE = "done"
    DIFFERENT = "different"  # a check found that a run would change files
    INVALID = "invalid"  # the schema has errors
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
class Outcome:
    """Tell what a run found and did. `plan` is missing when it did not come that far; `seconds` is how long it took."""

    status: Status
    diagnostics: Sequence[Diagnostic] = ()
    failure: Failure | None = None
    plan: Plan | None = None
    namespaces: int = 0
    events: int = 0
    seconds: float = 0.0


def generate(options: Options, *, clock: Callable[[], float] = time.perf_counter) -> Outcome:
    """Generate code for all schemas, or compare with what is there; nothing is written unless all of it can be."""
    start = clock()
    diagnostics = Diagnostics()
    schema: SchemaModel | None = None
    plan: Plan | None = None
    failure: Failure | None = None
    try:
        schema, diagnostics = bind(options.schemas, out_parent=options.output.absolute().parent)
        if schema is not None:
            report_unsupported(schema, diagnostics)
            plan = _write(schema, options) if not diagnostics.failed else None
    except WriteError as error:
        failure = Failure(error.message, error.help)
    except OSError as error:
        failure = _failure_of(error)
    return Outcome(
        status=_status(options, plan, failure),
        diagnostics=diagnostics.sorted(),
        failure=failure,
        plan=plan,
        namespaces=len(schema.namespaces) if schema else 0,
        events=sum(len(namespace.events) for namespace in schema.namespaces) if schema else 0,
        seconds=clock() - start,
    )


def _write(schema: SchemaModel, options: Options) -> Plan:
    check_output(options.output, options.schemas)
    files = render(schema)
    if not options.check:
        options.output.mkdir(parents=True, exist_ok=True)
    with locked(options.output):
        manifest = read_manifest(options.output, options.tool)
        found = survey(options.output, {file.path for file in files} | manifest.files.keys())
        plan = make_plan(files, found, manifest, tool=options.tool, force=options.force, recreate=options.recreate)
        if not options.check and not plan.refused:
            perform(options.output, operations(plan))
    return plan


def _status(options: Options, plan: Plan | None, failure: Failure | None) -> Status:
    if failure is not None:
        return Status.FAILED
    if plan is None:
        return Status.INVALID
    if options.check:
        return Status.DIFFERENT if plan.differences else Status.DONE
    return Status.REFUSED if plan.refused else Status.DONE


def _failure_of(error: OSError) -> Failure:
    place = f"{error.filename}: " if error.filename is not None else ""
    reason = (error.strerror or str(error)).lower()
    return Failure(f"{place}{reason}", "nothing is lost: put that right and run the command again")
