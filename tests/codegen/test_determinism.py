"""The same schema gives the same bytes, whatever differs around it; what a kill leaves is finished by the next run."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wakuwaku_gen.app import Options, Status, generate
from wakuwaku_gen.write.manifest import MANIFEST

CASES = Path(__file__).parents[1] / "cases"
SCHEMAS = sorted(
    path for name in ("every_type", "language", "unions") for path in CASES.glob(f"{name}/input/schemas/*")
)
PROGRAM = """
import os, sys
from pathlib import Path
from wakuwaku_gen.app import Options, generate
real = os.scandir
if sys.argv[3] == "reversed":
    class Backwards(list):
        def __enter__(self): return self
        def __exit__(self, *_): pass
    os.scandir = lambda path: Backwards(reversed(list(real(path))))
print(generate(Options(Path(sys.argv[1]), Path(sys.argv[2]))).status.value)
"""


def bytes_of(output: Path) -> dict[str, str]:
    """Return the hash of every file below a folder; the manifest names schema files and has no other place either."""
    return {
        path.relative_to(output).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(output.rglob("*"))
        if path.is_file()
    }


def project(root: Path, *, newline: bytes = b"\n", reverse: bool = False) -> Path:
    """Lay the schemas out below a folder, written in this or that order."""
    (root / "schemas").mkdir(parents=True)
    for path in reversed(SCHEMAS) if reverse else SCHEMAS:
        (root / "schemas" / path.name).write_bytes(path.read_bytes().replace(b"\n", newline))
    return root


def run(root: Path, *, seed: str = "0", order: str = "plain", **environment: str) -> dict[str, str]:
    command = [sys.executable, "-c", PROGRAM, str(root / "schemas"), str(root / "generated"), order]
    env = {**os.environ, "PYTHONHASHSEED": seed, **environment}
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "done\n", done.stdout + done.stderr
    return bytes_of(root / "generated")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return run(project(tmp_path_factory.mktemp("plain")))


@pytest.mark.parametrize("seed", ["1", "42"])
def test_the_hash_seed_does_not_count(tmp_path: Path, expected: dict[str, str], seed: str) -> None:
    """No order of a set or of a dict of sets reaches the output."""
    assert run(project(tmp_path), seed=seed) == expected


def test_the_place_of_the_checkout_does_not_count(tmp_path: Path, expected: dict[str, str]) -> None:
    """However deep it lies, and whatever its folders are called."""
    assert run(project(tmp_path / "a b" / "größe" / "src")) == expected


def test_line_endings_do_not_count(tmp_path: Path, expected: dict[str, str]) -> None:
    """Git may turn them; the output always has those of Unix."""
    assert run(project(tmp_path, newline=b"\r\n")) == expected
    assert not any(b"\r\n" in path.read_bytes() for path in (tmp_path / "generated").rglob("*.py"))


def test_the_order_of_a_directory_does_not_count(tmp_path: Path, expected: dict[str, str]) -> None:
    """Neither the one files were written in, nor the one the system lists them in."""
    assert run(project(tmp_path, reverse=True), order="reversed") == expected


def test_dates_time_zones_and_locales_do_not_count(tmp_path: Path, expected: dict[str, str]) -> None:
    """Schema files from another day, a machine on the other side of the world."""
    root = project(tmp_path)
    for path in (root / "schemas").iterdir():
        os.utime(path, (1_000_000, 1_000_000))

    assert run(root, TZ="Pacific/Kiritimati", LC_ALL="tr_TR.UTF-8", SOURCE_DATE_EPOCH="1") == expected


def test_a_second_run_touches_no_file(tmp_path: Path, expected: dict[str, str]) -> None:
    """Not even the manifest."""
    root = project(tmp_path)
    run(root)
    before = {path: path.stat().st_mtime_ns for path in (root / "generated").rglob("*")}

    assert run(root, seed="7") == expected

    assert {path: path.stat().st_mtime_ns for path in (root / "generated").rglob("*")} == before


KILLED = """
import os, signal, sys
from pathlib import Path
from wakuwaku_gen.app import Options, generate

left = int(sys.argv[3])
def killing(real):
    def call(*arguments, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)
    return call

for owner, name in ((Path, "replace"), (Path, "unlink"), (Path, "mkdir"), (Path, "open"), (Path, "rmdir")):
    setattr(owner, name, killing(getattr(owner, name)))
generate(Options(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def smaller(root: Path) -> None:
    """Take a schema and some events away, so that a run creates, updates and deletes."""
    (root / "schemas" / "tree.toml").unlink()
    shop = root / "schemas" / "shop.toml"
    text = shop.read_text(encoding="utf-8")
    shop.write_text(text[: text.index("[key.ParcelKey]")].replace("OrderSeen", "OrderViewed"), encoding="utf-8")


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose output is that of an older schema."""
    root = project(tmp_path_factory.mktemp("before"))
    assert generate(Options(root / "schemas", root / "generated")).status is Status.DONE
    smaller(root)
    return root


@pytest.fixture(scope="module")
def after(before: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The output that a run without a kill makes of it."""
    root = shutil.copytree(before, tmp_path_factory.mktemp("after") / "project")
    assert generate(Options(root / "schemas", root / "generated")).status is Status.DONE
    return bytes_of(root / "generated")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("number", range(6))
def test_a_run_that_is_killed_is_finished_by_the_next(
    tmp_path: Path, before: Path, after: dict[str, str], number: int
) -> None:
    """A real process, ended by SIGKILL in front of one of its calls that change the disk, twice in a row.

    Which calls depends on a fresh seed; a failure prints it.
    """
    seed = int(os.environ.get("WAKUWAKU_KILL_SEED", "0")) or random.SystemRandom().randrange(2**32)
    draw = random.Random(seed + number)
    root = shutil.copytree(before, tmp_path / "project")
    for _ in range(2):
        at = draw.randrange(1, 60)
        command = [sys.executable, "-c", KILLED, str(root / "schemas"), str(root / "generated"), str(at)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr

    outcome = generate(Options(root / "schemas", root / "generated"))

    assert outcome.status is Status.DONE, f"WAKUWAKU_KILL_SEED={seed}"
    assert bytes_of(root / "generated") == after, f"WAKUWAKU_KILL_SEED={seed}"
    assert (root / "generated" / MANIFEST).is_file()
    assert not list((root / "generated").rglob("*unfinished*"))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_kill_in_the_middle_of_anything_is_repaired(tmp_path: Path, before: Path, after: dict[str, str]) -> None:
    """The signal comes from outside, when the process is somewhere in its work."""
    root = shutil.copytree(before, tmp_path / "project")
    command = [sys.executable, "-c", PROGRAM, str(root / "schemas"), str(root / "generated"), "plain"]
    manifest = root / "generated" / MANIFEST
    known = manifest.read_bytes()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None and manifest.read_bytes() == known:
        pass
    process.kill()
    process.wait()

    assert generate(Options(root / "schemas", root / "generated")).status is Status.DONE
    assert bytes_of(root / "generated") == after
