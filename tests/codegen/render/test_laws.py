"""The generated law tests pass on the rules of the language, and find a rule that is not associative."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.codegen.building import KEY, model_of, write_files
from wakuwaku_gen.render import render

SCHEMA = (
    KEY
    + """
[event.Added]
tag = 1
key = "BoxKey"
algebra = "associative"
[event.Added.fields]
amount = "i64"
share = { type = "float", default = 0.5 }
price = { type = "Decimal", le = 1000 }
currency = "str"
names = "list[str]"
[event.Added.combine]
amount = "sum"
share = "sum"
price = "sum"
currency = "keep"
names = "concat"
"""
)


def run_laws(folder: Path) -> subprocess.CompletedProcess[str]:
    pytest_ = Path(sys.executable).with_name("pytest")
    command = [
        str(pytest_),
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-c",
        "none.ini",
        "--rootdir",
        ".",
        "out",
    ]
    (folder / "none.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    write_files(tmp_path / "out", render(model_of(tmp_path, boxes=SCHEMA)))
    return tmp_path


def test_the_law_holds_for_the_rules_of_the_language(output: Path) -> None:
    """Sums of floats are left out, as they are rounded; sums that break a bound make nothing to compare."""
    done = run_laws(output)

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].startswith("1 passed")


@pytest.mark.parametrize(
    ("rule", "broken", "field"),
    [
        ("self.amount + later.amount", "self.amount - later.amount", "amount"),
        ("self.amount + later.amount", "(self.amount + later.amount) // 2", "amount"),
        ("self.names + later.names", "later.names[:1] + self.names[1:] + later.names", "names"),
    ],
)
def test_the_law_test_finds_a_rule_that_is_not_associative(output: Path, rule: str, broken: str, field: str) -> None:
    """It tells the field, and what comes of both groupings."""
    events = output / "out" / "boxes" / "events.py"
    text = events.read_text(encoding="utf-8")
    assert text.count(rule) == 1
    events.write_text(text.replace(rule, broken), encoding="utf-8")

    done = run_laws(output)

    assert done.returncode == 1, done.stdout
    assert f"AssertionError: {field} is " in done.stdout
    assert "when the first two are folded first" in done.stdout


def test_a_namespace_without_associative_events_has_no_laws(tmp_path: Path) -> None:
    """There would be nothing to test."""
    paths = {file.path.as_posix() for file in render(model_of(tmp_path, boxes=KEY))}

    assert "boxes/strategies.py" in paths
    assert "boxes/test_laws.py" not in paths
