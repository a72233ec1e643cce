"""`wakuwaku-gen --diff`: what a run would change, as text, and nothing written."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.codegen.cli.test_cli import ARGUMENTS, PACKED, SHOP, SOLD, Run, run, schema

__all__ = ["run", "schema"]


def test_a_clean_output_has_no_diff(run: Run, schema: Path) -> None:
    """Exit code 0."""
    run(*ARGUMENTS)

    clean = run(*ARGUMENTS, "--diff")

    assert (clean.code, clean.err) == (0, "")
    assert clean.out.startswith("1 namespace, 2 events: ")


def test_changes_are_shown_and_not_made(run: Run, schema: Path) -> None:
    """With the paths that `patch -p1` takes, and exit code 1."""
    run(*ARGUMENTS)
    before = Path("out/shop/events.py").read_text(encoding="utf-8")
    schema.write_text((SHOP + SOLD + PACKED).replace('doc = "Sold."', 'doc = "Sold out."'), encoding="utf-8")

    shown = run(*ARGUMENTS, "--diff")

    assert shown.code == 1
    assert "--- a/out/shop/events.py\n+++ b/out/shop/events.py\n@@ " in shown.out
    lines = shown.out.splitlines()
    assert any(line.startswith("-") and "Sold." in line for line in lines)
    assert any(line.startswith("+") and "Sold out." in line for line in lines)
    assert Path("out/shop/events.py").read_text(encoding="utf-8") == before


def test_new_and_stale_files_are_compared_with_none(run: Run, schema: Path) -> None:
    """Empty ones too."""
    run(*ARGUMENTS)
    schema.write_text((SHOP + SOLD).replace('"shop"', '"store"'), encoding="utf-8")

    shown = run(*ARGUMENTS, "--diff").out

    assert "--- /dev/null\n+++ b/out/store/events.py\n" in shown
    assert "--- a/out/shop/events.py\n+++ /dev/null\n" in shown
    assert "--- /dev/null\n+++ b/out/store/py.typed\n" in shown
    assert not Path("out/store").exists()


def test_the_diff_is_what_the_run_does(run: Run, schema: Path, tmp_path: Path) -> None:
    """Applied as a patch it gives the same files."""
    run(*ARGUMENTS)
    schema.write_text((SHOP + SOLD + PACKED).replace('doc = "Sold."', 'doc = "Größe\\tx."'), encoding="utf-8")
    diff = run(*ARGUMENTS, "--diff").out
    patch, _, _ = diff.rpartition("1 namespace")
    subprocess.run(["git", "apply", "--unsafe-paths", "-p1", "-"], cwd=tmp_path, input=patch, text=True, check=True)
    patched = Path("out/shop/events.py").read_bytes()

    run(*ARGUMENTS, "--force")

    assert Path("out/shop/events.py").read_bytes() == patched


def test_a_file_in_the_way_is_named_beside_the_diff(run: Run, schema: Path) -> None:
    """It would be refused, so its own changes are not shown."""
    run(*ARGUMENTS)
    Path("out/shop/events.py").write_text("edited")

    shown = run(*ARGUMENTS, "--diff")

    assert shown.code == 1
    assert "b/out/shop/events.py" not in shown.out
    assert "out/shop/events.py: it was edited by hand" in shown.err
