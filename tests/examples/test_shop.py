"""The shop of the README, and what a new event in its schema does to it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

NEW_EVENT = """
[event.OrderCancelled]
tag = 4
key = "OrderKey"
doc = "The customer changed their mind."
[event.OrderCancelled.fields]
reason = "str"
"""


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )


def test_the_quickstart_prints_what_the_readme_shows() -> None:
    done = run("examples.shop.quickstart", folder=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in (ROOT / "README.md").read_text()


@pytest.mark.slow
def test_a_new_event_makes_mypy_name_the_bundle_and_leaves_handlers_alone(tmp_path: Path) -> None:
    for name in ("schemas", "generated", "examples"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "data"))
    handlers = {path: path.read_bytes() for path in (tmp_path / "generated").rglob("handlers/*.py")}
    with (tmp_path / "schemas" / "shop.toml").open("a") as schema:
        schema.write(NEW_EVENT)

    generated = run("wakuwaku_gen", "schemas/", "-o", "generated/", folder=tmp_path)
    assert generated.returncode == 0, generated.stderr
    assert {path: path.read_bytes() for path in handlers} == handlers
    assert (tmp_path / "generated" / "shop" / "handlers" / "order_cancelled.py").exists()

    checked = run("mypy", "--strict", "--explicit-package-bases", "examples/shop", folder=tmp_path)
    assert checked.returncode == 1
    place, message = checked.stdout.splitlines()[0].split(" error: ")
    assert place.startswith("examples/shop/quickstart.py:")
    assert message == 'Missing named argument "order_cancelled" for "OrdersHandlers"  [call-arg]'
