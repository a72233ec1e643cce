"""A project to start from: a schema, handlers that are filled in, a program and its test.

The files lie in `files/` as they will be, but for their suffix `.in`; the rest is generated from the schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from wakuwaku_gen.app import Options, Outcome, generate
from wakuwaku_gen.json_schema import json_schema

__all__ = ["Started", "start_project"]

_FILES: Final = Path(__file__).with_name("files")
_SUFFIX: Final = ".in"


@dataclass(frozen=True, slots=True)
class Started:
    """Tell what came of it: files that were in the way, or those written and what generating gave."""

    in_the_way: tuple[PurePosixPath, ...]
    written: tuple[PurePosixPath, ...] = ()
    outcome: Outcome | None = None


def start_project(folder: Path, *, tool: str) -> Started:
    """Write a starter project below a folder and generate its code; when anything is in the way, write nothing.

    `tool` names the program and its version, for the manifest. Raises `OSError` when the disk says no.
    """
    files = dict(_files())
    taken = {PurePosixPath("generated"), *files}
    in_the_way = tuple(sorted(path for path in taken if _exists(folder / path)))
    if in_the_way:
        return Started(in_the_way)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with (folder / path).open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    outcome = generate(Options(folder / "schemas", folder / "generated", tool=tool))
    return Started((), tuple(sorted(files)), outcome)


def _exists(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _files() -> Iterator[tuple[PurePosixPath, str]]:
    for path in sorted(_FILES.rglob(f"*{_SUFFIX}")):
        name = path.relative_to(_FILES).as_posix().removesuffix(_SUFFIX)
        yield PurePosixPath(name), path.read_text(encoding="utf-8")
    yield PurePosixPath("schemas/wakuwaku.schema.json"), f"{json.dumps(json_schema(), indent=2, ensure_ascii=False)}\n"
