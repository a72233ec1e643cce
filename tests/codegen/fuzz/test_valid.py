"""Whatever a valid schema holds, its code imports, round-trips, and is in final form."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.fuzz.schemas import Files, schema_tables, schema_texts
from tests.codegen.fuzz.trials import LONG, fuzzing, generated, imported, write
from wakuwaku import Codec
from wakuwaku_gen.app import Options, Status, generate

REPOSITORY = Path(__file__).parents[3]
#: Docs and names are the schema author's, and imports are relative wherever the output lies.
IGNORED = "A001,A004,D205,D400,D403,D404,D405,D415,N815,RUF001,RUF002,RUF003,TID252"


@fuzzing(25)
@given(files=schema_tables(), headers=st.integers(1, 4), newline=st.sampled_from(["\n", "\r\n"]), data=st.data())
def test_a_valid_schema_gives_code_that_round_trips(
    files: Files, headers: int, newline: str, data: st.DataObject
) -> None:
    """Every module imports without a warning, and a drawn value of every event comes back from its bytes."""
    texts = schema_texts(files, headers=headers, newline=newline)
    with generated(texts) as (output, outcome):
        assert outcome.failure is None
        assert outcome.status is Status.DONE, [(str(one.span), one.rule, one.message) for one in outcome.diagnostics]
        with imported(output) as modules:
            for name, module in modules.items():
                if name.endswith(".codecs"):
                    strategies = modules[name.removesuffix("codecs") + "strategies"]
                    _round_trip(module, strategies, data)


def _round_trip(codecs: Any, strategies: Any, data: st.DataObject) -> None:
    for name, codec in vars(codecs).items():
        if isinstance(codec, Codec):
            event = data.draw(getattr(strategies, name))
            assert codec.decode(codec.encode(event)) == event
            key = event.__wakuwaku__.key.__wakuwaku__
            assert key.hash(event) == key.hash(event.key)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of many schemas, each as a package."""
    gallery = tmp_path_factory.mktemp("gallery")
    (gallery / "pyproject.toml").write_bytes((REPOSITORY / "pyproject.toml").read_bytes())

    @settings(fuzzing(12), max_examples=min(LONG, 150) or 12)
    @given(files=schema_tables())
    def fill(files: Files) -> None:
        root = gallery / f"case_{len(list(gallery.iterdir()))}"
        outcome = generate(Options(write(root, schema_texts(files)), root / "out"))
        assert outcome.status is Status.DONE

    fill()
    return gallery


def run_tool(gallery: Path, *command: str) -> None:
    tool = Path(sys.executable).with_name(command[0])
    done = subprocess.run([tool, *command[1:]], cwd=gallery, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("width", [88, 120])
def test_the_formatter_changes_nothing(gallery: Path, width: int) -> None:
    """At its own line length and at this repository's."""
    run_tool(gallery, "ruff", "format", "--isolated", "--line-length", str(width), "--diff", ".")


def test_the_linter_minds_nothing(gallery: Path) -> None:
    """With all the rules of this repository."""
    run_tool(gallery, "ruff", "check", "--no-cache", "--extend-ignore", IGNORED, ".")


def test_the_type_checker_minds_nothing(gallery: Path) -> None:
    """Strictly, stubs and laws included."""
    run_tool(gallery, "mypy", "--strict", "--cache-dir", str(gallery / "cache"), ".")
