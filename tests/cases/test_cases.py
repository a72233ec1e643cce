"""Run every folder beside this file as a golden case.

A case is `input/` (the working directory), `case.toml` (arguments and exit code), and what must come out: `expected/`
(the output folder without its manifest), `stdout.txt` and `stderr.txt`. `make golden` writes those three anew.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from wakuwaku_gen.cli import app

CASES = Path(__file__).parent
REPOSITORY = CASES.parents[1]
NAMES = sorted(path.parent.name for path in CASES.glob("*/case.toml"))
MANIFEST = ".wakuwaku-manifest.json"
DURATION = re.compile(r"in \d+\.\d s$", re.MULTILINE)


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def rewrite(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_gives_the_expected_files_and_messages(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    """The command, run in a copy of the input, prints, exits and writes as the case says."""
    case = CASES / name
    arguments = tomllib.loads((case / "case.toml").read_text(encoding="utf-8"))
    shutil.copytree(case / "input", tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")

    with pytest.raises(SystemExit) as ended:
        app(arguments["args"], prog_name="wakuwaku-gen")

    printed = capsys.readouterr()
    out, err = DURATION.sub("in 0.0 s", printed.out), printed.err
    written = files_below(tmp_path / "work" / "generated")
    assert ended.value.code == arguments["exit"], printed.err
    if request.config.getoption("--update", default=False):
        rewrite(case / "expected", written)
        (case / "stdout.txt").write_text(out, encoding="utf-8")
        (case / "stderr.txt").write_text(err, encoding="utf-8")
    assert out == (case / "stdout.txt").read_text(encoding="utf-8")
    assert err == (case / "stderr.txt").read_text(encoding="utf-8")
    assert written == files_below(case / "expected")


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder with the output of all cases that generate something, each as a package."""
    folder = tmp_path_factory.mktemp("gallery")
    for name in NAMES:
        case = CASES / name
        if tomllib.loads((case / "case.toml").read_text(encoding="utf-8"))["exit"] == 0:
            shutil.copytree(case / "expected", folder / "gallery" / name)
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    return folder


def run_tool(gallery: Path, *command: str) -> None:
    tool = Path(sys.executable).with_name(command[0])
    done = subprocess.run([tool, *command[1:]], cwd=gallery, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("width", [88, 120])
def test_golden_output_is_in_final_form(gallery: Path, width: int) -> None:
    """The formatter changes nothing, at its own line length and at this repository's."""
    run_tool(gallery, "ruff", "format", "--isolated", "--line-length", str(width), "--diff", "gallery")


def test_golden_output_has_no_lint(gallery: Path) -> None:
    """The linter minds nothing but docs, which are the schema author's, and imports that must be relative."""
    run_tool(gallery, "ruff", "check", "--no-cache", "--extend-ignore", "D400,RUF001,RUF002,RUF003,TID252", "gallery")


def test_golden_output_passes_strict_mypy(gallery: Path) -> None:
    """Generated code and stubs are typed without a hole."""
    run_tool(gallery, "mypy", "--strict", "--cache-dir", str(gallery / "cache"), "gallery")


def test_mypy_names_the_event_that_nobody_handles(gallery: Path) -> None:
    """A bundle has one required field per event, so a new event is a type error until somebody handles it."""
    usage = (
        "from gallery.combining.bank.contracts import AccountsV2Handlers\n"
        "from wakuwaku import Ignore\n\n"
        "AccountsV2Handlers(booked=Ignore())\n"
    )
    command = [Path(sys.executable).with_name("mypy"), "--strict", "--cache-dir", gallery / "cache", "-c", usage]

    done = subprocess.run(command, cwd=gallery, capture_output=True, text=True, check=False)

    assert done.stdout.startswith('<string>:4: error: Missing named argument "counted" for "AccountsV2Handlers"')


@pytest.mark.slow
def test_golden_output_passes_strict_basedpyright(gallery: Path) -> None:
    """The second checker agrees with the first."""
    (gallery / "pyrightconfig.json").write_text(
        '{"include": ["gallery"], "typeCheckingMode": "strict", "reportPrivateUsage": false, "pythonVersion": "3.11"}',
        encoding="utf-8",
    )
    run_tool(gallery, "basedpyright", "--pythonpath", sys.executable, "-p", "pyrightconfig.json")


@pytest.mark.parametrize("seed", ["0", "1"])
def test_golden_output_runs_on_the_runtime_alone(gallery: Path, seed: str) -> None:
    """In a fresh interpreter every module imports, every decoder builds, and samples of all events round-trip."""
    script = REPOSITORY / "tests" / "codegen" / "exercise.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", script, gallery],
        env={"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "8 events round-trip"
