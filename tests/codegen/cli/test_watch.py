"""`wakuwaku-gen --watch`: once per burst of changes, never for its own writes, until Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.codegen.building import KEY
from wakuwaku_gen.cli.watch import bursts, keep_running

SHOP = f'wakuwaku = 1\nnamespace = "shop"\ndoc = "A shop."\n{KEY}'
SOLD = '[event.Sold]\ntag = 1\nkey = "BoxKey"\ndoc = "Sold."\n'


def test_each_burst_gives_one_run_and_failing_ones_ring_the_bell(capsys: pytest.CaptureFixture[str]) -> None:
    """The first run comes without a change; a line says what each other one is for."""
    codes = iter([0, 1, 0])

    keep_running([["schemas/a.toml"], ["schemas/a.toml", "schemas/b.toml"]], lambda: next(codes), Path("schemas"))

    assert list(codes) == []
    assert capsys.readouterr().err.splitlines() == [
        "watching schemas for changes; Ctrl-C ends",
        "schemas/a.toml changed",
        "\aschemas/a.toml and 1 more changed",
        "stopped watching",
    ]


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An end that comes even when a test fails, so that no watcher is left behind."""
    stop = threading.Event()
    try:
        yield stop
    finally:
        stop.set()


def changed_by(schemas: Path, ours: list[Path], first: Path, last: Path) -> list[str]:
    """Write two files one after the other, and return what the burst that holds the last one holds."""
    seen: list[str] = []
    with stopping() as stop:
        watching = bursts(schemas, ours, stop)
        writing = threading.Thread(target=lambda: _write_until_seen(stop, first, last))
        writing.start()
        for names in watching:
            seen += names
            if any(name.endswith(last.name) for name in names):
                break
        stop.set()
        writing.join()
    return seen


def _write_until_seen(stop: threading.Event, first: Path, last: Path) -> None:
    # The watcher starts when it is first asked; what was written before that is not seen, so it is written again.
    while not stop.wait(0.05):
        first.write_text(SHOP)
        last.write_text(SHOP)


def test_changed_schema_files_are_named_and_no_other(tmp_path: Path) -> None:
    """A note beside the schemas changes nothing in the output."""
    schemas = tmp_path / "schemas"
    schemas.mkdir()

    seen = changed_by(schemas, [tmp_path / "out"], schemas / "notes.txt", schemas / "shop.toml")

    assert set(seen) == {(schemas / "shop.toml").as_posix()}


def test_what_lies_below_the_output_does_not_count(tmp_path: Path) -> None:
    """Even when the output lies among the schemas and a schema file lies in it."""
    schemas = tmp_path / "schemas"
    out = schemas / "out"
    out.mkdir(parents=True)

    seen = changed_by(schemas, [out], out / "copy.toml", schemas / "shop.toml")

    assert set(seen) == {(schemas / "shop.toml").as_posix()}


def _lines_until(process: subprocess.Popen[str], end: str) -> list[str]:
    assert process.stderr is not None
    lines: list[str] = []
    for line in process.stderr:
        lines.append(line.rstrip("\n"))
        if lines[-1].endswith(end):
            return lines
    raise AssertionError(f"the program ended before {end!r}: {lines}")


@pytest.mark.slow
def test_a_real_session_keeps_the_last_good_output_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    """Start, break the schema, mend it, interrupt: each step shows on the terminal, and the exit code is 0."""
    schema = tmp_path / "schemas" / "shop.toml"
    schema.parent.mkdir()
    schema.write_text(SHOP + SOLD)
    events = tmp_path / "out" / "shop" / "events.py"
    command = [sys.executable, "-m", "wakuwaku_gen", "schemas", "-o", "out", "--watch"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            _lines_until(process, "Ctrl-C ends")
            good = events.read_bytes()

            stop = threading.Event()
            breaking = threading.Thread(target=_rewrite, args=(stop, schema, f"{SHOP}{SOLD}[event.Sold\n"))
            breaking.start()
            told = _lines_until(process, "nothing was written")
            stop.set()
            breaking.join()
            assert "schemas/shop.toml changed" in told
            assert events.read_bytes() == good
        finally:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate()

    assert process.returncode == 0, err
    assert "created  out/shop/events.py" in out
    assert err.endswith("stopped watching\n")


def _rewrite(stop: threading.Event, path: Path, text: str) -> None:
    while not stop.wait(0.05):
        path.write_text(text)
