"""The page on dependencies speaks of those the project has, and of no other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def test_each_dependency_has_its_line() -> None:
    """docs/explanation/dependencies.md has a row for each dependency of pyproject.toml: what for, why this one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    needed = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(n for e in extras for n in e),
    ]
    names = {match[0] for need in needed if (match := _NAME.match(need))} - {"wakuwaku"}

    page = (ROOT / "docs" / "explanation" / "dependencies.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| [^|]*\w[^|]* \| [^|]*\w[^|]* \|$", page, flags=re.MULTILINE)

    assert sorted(rows) == sorted(names)
