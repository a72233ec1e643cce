"""Two runs on one output take turns."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wakuwaku_gen.write import locked

HOLD = """
import sys
from pathlib import Path
from wakuwaku_gen.write import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
    (Path(sys.argv[1]) / "done").touch()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no lock on folders")
def test_a_run_waits_for_the_other_one(tmp_path: Path) -> None:
    """Whoever comes second starts when the first has finished, and finds what it left."""
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdin is not None
    assert other.stdout is not None
    with other:
        assert other.stdout.readline() == "held\n"
        other.stdin.write("\n")
        other.stdin.flush()
        with locked(tmp_path):
            assert (tmp_path / "done").exists()


def test_a_folder_that_does_not_exist_needs_no_lock(tmp_path: Path) -> None:
    """A check of an output that was never made has nobody to wait for."""
    with locked(tmp_path / "missing"):
        assert not (tmp_path / "missing").exists()
    assert list(tmp_path.iterdir()) == []
