"""The output of all golden cases: it is in final form, has types without a hole, and does what it should."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wakuwaku_gen.load.language import ROOT, Named, OneOf, Record, Sequence, Shape

CASES = Path(__file__).parent
REPOSITORY = CASES.parents[1]
EVENTS = 18  # of all cases
BY_HAND = [f"test_{event}_is_associative" for event in ("class", "read", "subscription_renewal_reminder_sent")]


def sound_cases() -> Iterator[Path]:
    """Yield the folders of the cases that generate code."""
    for path in sorted(CASES.glob("*/case.toml")):
        case = tomllib.loads(path.read_text(encoding="utf-8"))
        if case["exit"] == 0 and "command" not in case:
            yield path.parent


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder with the output of all cases that generate something, each as a package."""
    folder = tmp_path_factory.mktemp("gallery")
    for case in sound_cases():
        shutil.copytree(case / "expected", folder / "gallery" / case.name)
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    return folder


def run(gallery: Path, *command: str | Path, **environment: str) -> str:
    """Run a program in the gallery, and return what it printed; it must succeed."""
    done = subprocess.run(
        command, cwd=gallery, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tool(name: str) -> Path:
    return Path(sys.executable).with_name(name)


@pytest.mark.parametrize("width", [88, 120])
def test_golden_output_is_in_final_form(gallery: Path, width: int) -> None:
    """The formatter changes nothing, at its own line length and at this repository's."""
    run(gallery, tool("ruff"), "format", "--isolated", "--line-length", str(width), "--diff", "gallery")


def test_golden_output_has_no_lint(gallery: Path) -> None:
    """The linter minds nothing but docs, which are the schema author's, and imports that must be relative."""
    ignored = "D400,RUF001,RUF002,RUF003,TID252"
    run(gallery, tool("ruff"), "check", "--no-cache", "--extend-ignore", ignored, "gallery")


def test_golden_output_passes_strict_mypy(gallery: Path) -> None:
    """Generated code and stubs are typed without a hole."""
    run(gallery, tool("mypy"), "--strict", "--cache-dir", str(gallery / "cache"), "gallery")


@pytest.mark.parametrize(
    ("usage", "error"),
    [
        (
            """
from gallery.combining.bank.contracts import AccountsV2Handlers
from wakuwaku import Ignore
AccountsV2Handlers(booked=Ignore())
""",
            '<string>:4: error: Missing named argument "counted" for "AccountsV2Handlers"',
        ),
        (
            """
from gallery.custom_combine.meters.contracts import ReadCombinerContract
class Mine(ReadCombinerContract): ...
Mine()
""",
            '<string>:4: error: Cannot instantiate abstract class "Mine" with abstract attributes "combine_mean" and ',
        ),
        (
            """
from gallery.custom_combine.meters.contracts import ReadCombinerContract
from gallery.custom_combine.meters.events import Read
class Mine(ReadCombinerContract):
    def combine_mean(self, earlier: Read, later: Read) -> str: return ""
""",
            '<string>:5: error: Return type "str" of "combine_mean" incompatible with return type "float" in supertype',
        ),
    ],
)
def test_mypy_tells_what_is_left_to_do_by_hand(gallery: Path, usage: str, error: str) -> None:
    """An event that nobody handles, a combine rule that nobody wrote, and one that returns something else."""
    command = [str(tool("mypy")), "--strict", "--cache-dir", str(gallery / "cache"), "-c", usage]

    done = subprocess.run(command, cwd=gallery, capture_output=True, text=True, check=False)

    assert done.stdout.startswith(error), done.stdout


@pytest.mark.slow
def test_golden_output_passes_strict_basedpyright(gallery: Path) -> None:
    """The second checker agrees with the first."""
    (gallery / "pyrightconfig.json").write_text(
        '{"include": ["gallery"], "typeCheckingMode": "strict", "reportPrivateUsage": false, "pythonVersion": "3.11"}',
        encoding="utf-8",
    )
    run(gallery, tool("basedpyright"), "--pythonpath", sys.executable, "-p", "pyrightconfig.json")


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to import from that holds the runtime and what it stands on, and nothing else."""
    folder = tmp_path_factory.mktemp("runtime")
    for name in ("msgspec", "xxhash", "siphash24"):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        (folder / name).symlink_to(origin.parent) if origin.stem == "__init__" else (
            (folder / origin.name).symlink_to(origin)
        )
    (folder / "wakuwaku").symlink_to(REPOSITORY / "runtime" / "wakuwaku")
    return folder


@pytest.mark.parametrize("seed", ["0", "1"])
def test_golden_output_runs_on_the_runtime_alone(gallery: Path, runtime: Path, seed: str) -> None:
    """Without any other package every module imports, every decoder builds, and samples of all events round-trip."""
    script = REPOSITORY / "tests" / "codegen" / "exercise.py"
    start = f"import sys, runpy; sys.path.insert(0, {str(runtime)!r}); sys.argv[1:] = [{str(gallery)!r}]"
    program = f"{start}; runpy.run_path({str(script)!r}, run_name='__main__')"

    printed = run(gallery, sys.executable, "-S", "-W", "error", "-c", program, PYTHONHASHSEED=seed, PYTHONPATH="")

    assert printed.splitlines()[-1] == f"{EVENTS} events round-trip"


def test_drawn_values_of_golden_output_round_trip(gallery: Path) -> None:
    """The strategies make values that obey their schema, and the codecs give them back."""
    script = REPOSITORY / "tests" / "codegen" / "draw_values.py"

    printed = run(gallery, sys.executable, "-W", "error", script, gallery)

    assert printed.splitlines()[-1] == f"values of {EVENTS} events round-trip"


def test_the_laws_of_golden_output_hold(gallery: Path) -> None:
    """Where the rules are those of the language; what is written by hand fails as long as it is a stub."""
    command = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--import-mode=importlib", "gallery"]
    command += ["-o", "consider_namespace_packages=true"]  # the output may lie in no package of its own

    done = subprocess.run(
        [tool("pytest"), *command, "-o", "testpaths=", "-o", "addopts=", "-o", "pythonpath=."],
        cwd=gallery,
        capture_output=True,
        text=True,
        check=False,
    )

    failed = sorted(line.split(" ")[1].split("::")[1] for line in done.stdout.splitlines() if line.startswith("FAILED"))
    assert failed == BY_HAND, done.stdout
    assert done.stdout.count("E       NotImplementedError") == len(BY_HAND)
    assert " 4 passed" in done.stdout.splitlines()[-1]


def keys_of(value: Any, shape: Shape) -> Iterator[tuple[str, str]]:
    """Yield what of the language a schema uses, as the record and the key."""
    match shape:
        case Record(name, keys) if isinstance(value, dict):
            for key in keys:
                if key.name in value:
                    yield name, key.name
                    yield from keys_of(value[key.name], key.shape)
        case Named(_, item) if isinstance(value, dict):
            for one in value.values():
                yield from keys_of(one, item)
        case Sequence(item) if isinstance(value, list):
            for one in value:
                yield from keys_of(one, item)
        case OneOf(shapes):
            for one in shapes:
                yield from keys_of(value, one)
        case _:
            return


def all_keys(shape: Shape) -> Iterator[tuple[str, str]]:
    match shape:
        case Record(name, keys):
            for key in keys:
                yield name, key.name
                yield from all_keys(key.shape)
        case Named(_, item) | Sequence(item):
            yield from all_keys(item)
        case OneOf(shapes):
            for one in shapes:
                yield from all_keys(one)
        case _:
            return


def test_every_construct_of_the_language_is_in_a_golden_case() -> None:
    """Every key of every table; types, rules, laws and fences by their names."""
    texts = [path.read_text(encoding="utf-8") for case in sound_cases() for path in case.glob("input/**/*.toml")]
    used = {pair for text in texts for pair in keys_of(tomllib.loads(text), ROOT)}
    words = {word for text in texts for word in text.replace('"', " ").replace("[", " ").replace(",", " ").split()}

    assert sorted(set(all_keys(ROOT)) - used) == []
    assert sorted(WORDS - words) == []


WORDS = {
    *("bool", "int", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "float", "str", "bytes", "UUID", "Decimal"),
    *("datetime", "naive_datetime", "date", "time", "timedelta", "list", "set", "dict", "tuple", "None"),
    *(
        "sum",
        "product",
        "min",
        "max",
        "first",
        "last",
        "concat",
        "union",
        "intersection",
        "merge",
        "any",
        "all",
        "keep",
    ),
    *("custom", "non_associative", "commutative", "idempotent", "associative", "Associative", "relaxed", "acquire"),
    *("release", "acq_rel", "rust", "xxh3"),
}
