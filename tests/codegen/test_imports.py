"""Importing one topic loads that topic and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.imports import generate_all

LOADED = """
import sys
import generated.{statement}
print(*sorted(name for name in sys.modules if name.startswith("generated.")))
print(*sorted({{"hypothesis", "wakuwaku_gen", "asyncio", "jinja2", "pytest"}} & sys.modules.keys()))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    generate_all(folder, 5)
    return folder


def loaded(project: Path, statement: str) -> list[str]:
    """Import a module in a fresh interpreter, and return the generated modules that came with it."""
    program = LOADED.format(statement=statement)
    done = subprocess.run([sys.executable, "-c", program], cwd=project, capture_output=True, text=True, check=True)
    modules, foreign = done.stdout.splitlines()
    assert foreign == ""
    return [name.removeprefix("generated.") for name in modules.split()]


def test_a_package_alone_loads_none_of_its_modules(project: Path) -> None:
    """Its types are loaded when one of them is asked for."""
    assert loaded(project, "space1") == ["space1"]


def test_the_types_of_a_topic_load_nothing_else(project: Path) -> None:
    """Not the codecs, the contracts or the handlers of its own topic either."""
    assert loaded(project, "space1.events") == ["space1", "space1.events"]


def test_the_codecs_of_a_topic_load_its_types(project: Path) -> None:
    """But no other topic, and no decoder is built before it is used."""
    assert loaded(project, "space1.codecs") == ["space1", "space1.codecs", "space1.events"]


def test_the_contracts_of_a_topic_load_what_they_name(project: Path) -> None:
    """A consumer of one topic has all it needs, and nothing of the others."""
    assert loaded(project, "space1.contracts") == ["space1", "space1.codecs", "space1.contracts", "space1.events"]
