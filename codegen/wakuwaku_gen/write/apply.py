"""Carry a plan out in steps that a kill can't spoil.

First the manifest says what is about to change, then files change one by one, each by a rename, and at last the
manifest says how they are. Wherever a run ends, what stands there is known to the next run, which finishes the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias, assert_never

from wakuwaku_gen.write.disk import sha256_of
from wakuwaku_gen.write.manifest import MANIFEST, Manifest
from wakuwaku_gen.write.plan import Action, Plan, Why

__all__ = ["Operation", "RemoveFile", "RemoveFolder", "WriteFile", "operations", "perform"]

#: One name for all unfinished files: at most one is left over, and the next write replaces it.
_UNFINISHED: Final = ".wakuwaku-unfinished"


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Put bytes in place of whatever the file holds, all at once."""

    path: PurePosixPath
    data: bytes


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """Remove a file."""

    path: PurePosixPath


@dataclass(frozen=True, slots=True)
class RemoveFolder:
    """Remove a folder if nothing is left in it but compiled modules."""

    path: PurePosixPath


Operation: TypeAlias = WriteFile | RemoveFile | RemoveFolder


def operations(plan: Plan) -> list[Operation]:
    """Return what to do, in order; an output that is up to date needs nothing."""
    removed = plan.of(Action.DELETE)
    work: list[Operation] = [RemoveFile(step.path) for step in removed]
    work += [WriteFile(step.path, step.data) for step in plan.steps if step.data is not None]
    # Deepest first, so that a folder is empty by the time its turn comes.
    folders = {folder for step in removed for folder in step.path.parents[:-1]}
    work += [RemoveFolder(folder) for folder in sorted(folders, key=lambda folder: (-len(folder.parts), folder))]
    after = plan.after.encode()
    if work:
        return [WriteFile(MANIFEST, _announced(plan).encode()), *work, WriteFile(MANIFEST, after)]
    return [] if after == plan.before.encode() else [WriteFile(MANIFEST, after)]


def perform(output: Path, work: Iterable[Operation]) -> None:
    """Carry operations out below the output folder, which is made when it is missing; raises `OSError`."""
    output.mkdir(parents=True, exist_ok=True)
    for operation in work:
        path = output / operation.path
        match operation:
            case WriteFile(data=data):
                _write(path, data, output / _UNFINISHED)
            case RemoveFile():
                path.unlink(missing_ok=True)
            case RemoveFolder():
                _remove_folder(path)
            case _:
                assert_never(operation)


def _announced(plan: Plan) -> Manifest:
    # Every file that is ours now or is about to be, with the bytes that may stand there until the run has finished.
    files = dict(plan.before.files)
    for step in plan.steps:
        entry = plan.after.files.get(step.path)
        if entry is not None and step.why is Why.SAME:
            files[step.path] = entry
        elif entry is not None and step.data is not None:
            files[step.path] = replace(entry, sha256=step.replaced, pending=sha256_of(step.data))
    return Manifest(plan.after.tool, files)


def _write(path: Path, data: bytes, unfinished: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished.unlink(missing_ok=True)
    try:
        with unfinished.open("xb") as file:
            file.write(data)
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def _remove_folder(folder: Path) -> None:
    compiled = folder / "__pycache__"
    others = [path for path in _children(folder) if path != compiled]
    if others or any(path.suffix != ".pyc" for path in _children(compiled)):
        return
    for path in _children(compiled):
        path.unlink(missing_ok=True)
    for empty in (compiled, folder):
        if empty.is_dir() and not empty.is_symlink():
            empty.rmdir()


def _children(folder: Path) -> Iterator[Path]:
    return folder.iterdir() if folder.is_dir() and not folder.is_symlink() else iter(())
