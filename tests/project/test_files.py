"""The files of the repository say nothing of the machine they were written on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Where packages come from is the reader's choice: no file names a registry or points pip at one.
REGISTRIES = re.compile("|".join(["pypi" + r"\.", "index" + "-url", "find" + "-links", "trusted" + "-host"]))
#: Paths that exist on one machine only.
MACHINES = re.compile(r"(?<![\w.])/(root|home|tmp|Users)/")


def files() -> list[Path]:
    """List the files git has or would take, all but data, as paths from the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    paths = [Path(name) for name in listed if name and not name.endswith((".csv", ".jsonl"))]
    return [path for path in paths if (ROOT / path).is_file()]


def places(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    """List where a pattern stands, as file:line."""
    return [
        f"{path.as_posix()}:{number}"
        for path in paths
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize("text", ["/home" + "/ada/x", 'open("' + "/tmp" + '/x")', "x=/root" + "/.cache"])
def test_paths_of_a_machine_are_found(text: str) -> None:
    """The pattern sees a path behind quotes, blanks and signs."""
    assert MACHINES.search(text)


@pytest.mark.parametrize("text", ["src/home/page", "docs/tmp/x", "https://example.org/home"])
def test_other_paths_are_left_alone(text: str) -> None:
    """A folder of ours may be called like one of the system."""
    assert not MACHINES.search(text)


def test_no_file_names_a_registry() -> None:
    """Set-up works behind any mirror, since nothing here chooses one."""
    assert places(REGISTRIES, files()) == []


def test_no_source_names_a_path_of_one_machine() -> None:
    """What works here works in any checkout; tests may name paths that do not exist."""
    assert places(MACHINES, [path for path in files() if path.parts[0] != "tests"]) == []
