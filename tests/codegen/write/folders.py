"""A small output to plan and write: files as values, and what a run with them does to a folder."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from wakuwaku_gen.render import FileKind, RenderedFile
from wakuwaku_gen.write import Plan, make_plan, operations, perform, read_manifest, survey

TOOL = "wakuwaku-gen 1.0"


def generated(path: str, text: str = "x = 1\n") -> RenderedFile:
    return RenderedFile(PurePosixPath(path), text, FileKind.GENERATED, "schemas/shop.toml")


def stub(path: str, text: str = "fill me in\n") -> RenderedFile:
    return RenderedFile(PurePosixPath(path), text, FileKind.STUB, "schemas/shop.toml")


def plan_for(
    folder: Path, files: list[RenderedFile], *, tool: str = TOOL, force: bool = False, recreate: bool = False
) -> Plan:
    manifest = read_manifest(folder, tool)
    found = survey(folder, {file.path for file in files} | manifest.files.keys())
    return make_plan(files, found, manifest, tool=tool, force=force, recreate=recreate)


def run(folder: Path, files: list[RenderedFile], *, force: bool = False, recreate: bool = False) -> Plan:
    """Plan and, unless something is refused, write."""
    plan = plan_for(folder, files, force=force, recreate=recreate)
    if not plan.refused:
        perform(folder, operations(plan))
    return plan


def tree(folder: Path) -> dict[str, str]:
    """Return the text of every file below a folder but the manifest."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".wakuwaku-manifest.json"
    }


def steps(plan: Plan) -> dict[str, tuple[str, str]]:
    """Return what a plan does to each file, and why."""
    return {step.path.as_posix(): (step.action.value, step.why.value) for step in plan.steps}
