"""Decide what a run does to each file: a pure function of what is there, what we know of it, and what should be.

Laws: a file we did not write, or that changed since, is never replaced or deleted (`force` overrides for edits of our
own files). A stub is written once: from then on it is the user's, and stays gone when the user deleted it. One refusal
means that nothing is written at all.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from wakuwaku_gen.render.emitter import FileKind, RenderedFile
from wakuwaku_gen.write.disk import Found, sha256_of
from wakuwaku_gen.write.manifest import Entry, Manifest

__all__ = ["Action", "Plan", "Step", "Why", "make_plan"]


class Action(enum.StrEnum):
    """Name what happens to a file."""

    CREATE = "create"
    UPDATE = "update"
    KEEP = "keep"
    DELETE = "delete"
    REFUSE = "refuse"


class Why(enum.StrEnum):
    """Name how a file differs from what it should be."""

    SAME = "same"
    MISSING = "missing"
    CHANGED = "changed"  # it is as we left it, and the schema says something else now
    STALE = "stale"  # nothing in the schema makes it any more
    EDITED = "edited"  # it is ours, but not as we left it
    FOREIGN = "foreign"  # we never wrote it
    BLOCKED = "blocked"  # a link, a folder or a repository is in the way
    YOURS = "yours"  # a stub: filled in or deleted by the user
    ORPHANED = "orphaned"  # a stub whose event is gone


@dataclass(frozen=True, slots=True)
class Step:
    """Say what happens to one file and why.

    `data` are the bytes to write, `replaced` is the hash of those they replace, `detail` tells what is in the way.
    """

    action: Action
    why: Why
    path: PurePosixPath
    kind: FileKind
    data: bytes | None = None
    replaced: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Hold the steps by path, and the manifests: as it was, and as it will be once all steps are done."""

    steps: Sequence[Step]
    before: Manifest
    after: Manifest

    def of(self, *actions: Action) -> Sequence[Step]:
        """Return the steps of some actions."""
        return [step for step in self.steps if step.action in actions]

    @property
    def refused(self) -> bool:
        """Tell whether a file is in the way of the run."""
        return any(step.action is Action.REFUSE for step in self.steps)

    @property
    def differences(self) -> Sequence[Step]:
        """Return the steps that a clean output would not need."""
        return [step for step in self.steps if step.action is not Action.KEEP]


def make_plan(
    files: Sequence[RenderedFile],
    found: Mapping[PurePosixPath, Found],
    manifest: Manifest,
    *,
    tool: str,
    force: bool = False,
    recreate: bool = False,
) -> Plan:
    """Decide the steps for all files that should be there and all that the manifest knows.

    `found` covers both; `force` gives up edits of generated files, `recreate` writes deleted stubs again.
    """
    steps: list[Step] = []
    entries: dict[PurePosixPath, Entry] = {}
    for file in files:
        entry = manifest.files.get(file.path)
        decide = _stub_step if file.kind is FileKind.STUB else _generated_step
        step = decide(file, found.get(file.path), entry, overrule=recreate if file.kind is FileKind.STUB else force)
        steps.append(step)
        entries[file.path] = _entry_after(file, step, entry)
    wanted = {file.path for file in files}
    for path, entry in manifest.files.items():
        if path not in wanted and path in found:
            step = _leftover_step(path, found[path], entry, overrule=force)
            steps.append(step)
            if step.action is not Action.DELETE:
                entries[path] = entry
    return Plan(sorted(steps, key=lambda step: step.path), manifest, Manifest(tool, entries))


def _generated_step(file: RenderedFile, found: Found | None, entry: Entry | None, *, overrule: bool) -> Step:
    data = file.text.encode()
    if found is None:
        return Step(Action.CREATE, Why.MISSING, file.path, file.kind, data)
    if found.obstacle:
        return Step(Action.REFUSE, Why.BLOCKED, file.path, file.kind, detail=found.obstacle)
    if found.sha256 == sha256_of(data):
        return Step(Action.KEEP, Why.SAME, file.path, file.kind)
    if entry is None or entry.kind is FileKind.STUB:
        return Step(Action.REFUSE, Why.FOREIGN, file.path, file.kind)
    if entry.knows(found.sha256):
        return Step(Action.UPDATE, Why.CHANGED, file.path, file.kind, data, found.sha256)
    edited = Step(Action.REFUSE, Why.EDITED, file.path, file.kind)
    return replace(edited, action=Action.UPDATE, data=data, replaced=found.sha256) if overrule else edited


def _stub_step(file: RenderedFile, found: Found | None, entry: Entry | None, *, overrule: bool) -> Step:
    if found is not None and found.obstacle:
        return Step(Action.REFUSE, Why.BLOCKED, file.path, file.kind, detail=found.obstacle)
    if found is not None:
        return Step(Action.KEEP, Why.YOURS, file.path, file.kind)
    if entry is not None and entry.sha256 is not None and not overrule:
        return Step(Action.KEEP, Why.YOURS, file.path, file.kind)
    return Step(Action.CREATE, Why.MISSING, file.path, file.kind, file.text.encode())


def _leftover_step(path: PurePosixPath, found: Found, entry: Entry, *, overrule: bool) -> Step:
    if entry.kind is FileKind.STUB:
        return Step(Action.KEEP, Why.ORPHANED, path, entry.kind)
    if found.obstacle:
        return Step(Action.REFUSE, Why.BLOCKED, path, entry.kind, detail=found.obstacle)
    if entry.knows(found.sha256) or overrule:
        return Step(Action.DELETE, Why.STALE, path, entry.kind)
    return Step(Action.REFUSE, Why.EDITED, path, entry.kind, detail="nothing in the schema makes it any more")


def _entry_after(file: RenderedFile, step: Step, entry: Entry | None) -> Entry:
    if file.kind is FileKind.STUB and step.action is Action.KEEP and entry is not None:
        return Entry(file.kind, file.source, entry.sha256 or entry.pending)
    return Entry(file.kind, file.source, sha256_of(file.text.encode()))
