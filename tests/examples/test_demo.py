"""The demo comes to the right figures, whatever happens to it on the way."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from examples.flights.demo import main
from examples.flights.projection import Projection

ROOT = Path(__file__).parents[2]
DEMO = [sys.executable, "-m", "examples.flights.demo"]
CHECKED = "checked    all 5,423 rows equal those computed straight from the CSV files"


def tables_of(output: str) -> str:
    """Return the three tables of the output, which are the same in every run."""
    start = output.index("Flights\n")
    return "\n\n".join(output[start:].split("\n\n")[:3])


def run_in(folder: Path) -> str:
    """Run the demo to its end on a folder and return its output."""
    done = subprocess.run([*DEMO, "--folder", folder], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert CHECKED in done.stdout
    return done.stdout


def interrupt(arguments: list[str], at: tuple[str, int], signal_number: int, **environment: str) -> tuple[int, str]:
    """Start the demo, send a signal once a step is that many percent through, and return exit code and stderr."""
    step, percent = at
    said = ""
    with subprocess.Popen(
        [*DEMO, *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            said += line
            through = re.match(rf"{step} +(\d+) %", line)
            if through and int(through[1]) >= percent:
                process.send_signal(signal_number)
                break
        else:
            pytest.fail(f"it never got to {at}: {said}")
        said += process.stderr.read()
    return process.returncode, said


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the tables of a run that nothing happened to."""
    return tables_of(run_in(tmp_path_factory.mktemp("undisturbed")))


def test_the_report(expected: str) -> None:
    """Totals, busiest aircraft and carriers are those of the data."""
    assert "departed       2,677" in expected
    assert "arrived        2,674" in expected
    assert "cancelled         22  4 of them without a tail number" in expected
    assert "N178JB    Embraer  ERJ 190-100 IGW        8     6.4 min  38 min" in expected
    assert "EV       ExpressJet Airlines Inc.          386          7    30.9 min" in expected


@pytest.mark.slow
def test_a_second_run_finds_everything_there(tmp_path: Path, expected: str) -> None:
    """It says so, publishes nothing, calls no handler and prints the same figures."""
    folder = tmp_path / "new" / "folder"
    first = run_in(folder)
    second = run_in(folder)

    assert "published  13,483 events in" in first
    assert second.startswith("All 13,483 events were published and consumed by an earlier run.\n")
    assert "published  " not in second
    assert tables_of(first) == tables_of(second) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "at", [("publishing", 0), ("publishing", 50), ("consuming", 0), ("consuming", 20), ("consuming", 40)], ids=str
)
def test_a_killed_run_is_gone_on_with(tmp_path: Path, at: tuple[str, int], expected: str) -> None:
    """No event is lost, published twice or added twice."""
    code, _ = interrupt(["--folder", str(tmp_path)], at, signal.SIGKILL)

    assert code == -signal.SIGKILL
    assert tables_of(run_in(tmp_path)) == expected


@pytest.mark.slow
def test_a_run_killed_again_and_again_gets_there(tmp_path: Path, expected: str) -> None:
    """Every run begins where the last one was killed."""
    for at in (("publishing", 10), ("publishing", 60), ("consuming", 0), ("consuming", 10), ("consuming", 20)):
        interrupt(["--folder", str(tmp_path)], at, signal.SIGKILL)

    assert tables_of(run_in(tmp_path)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["projection.db", "log.db"])
def test_a_file_that_was_removed_is_made_anew(tmp_path: Path, name: str, expected: str) -> None:
    """The projection is built from the log again; a log published again changes nothing in the projection."""
    run_in(tmp_path)
    (tmp_path / name).unlink()

    assert tables_of(run_in(tmp_path)) == expected


@pytest.mark.parametrize("at", [("publishing", 10), ("consuming", 10)], ids=str)
def test_ctrl_c_ends_it_in_one_line(tmp_path: Path, at: tuple[str, int]) -> None:
    """No traceback, an exit code that says so, and no folder left behind."""
    code, said = interrupt([], at, signal.SIGINT, TMPDIR=str(tmp_path))

    assert code == 130
    assert said.splitlines()[-1] == "stopped; the temporary folder is removed"
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_after_ctrl_c_it_goes_on(tmp_path: Path, expected: str) -> None:
    """The message says how."""
    code, said = interrupt(["--folder", str(tmp_path)], ("consuming", 10), signal.SIGINT)

    assert code == 130
    assert said.splitlines()[-1] == "stopped; run it again on this folder to go on"
    assert tables_of(run_in(tmp_path)) == expected


@pytest.mark.slow
def test_a_wrong_projection_is_told(tmp_path: Path) -> None:
    """A single row that differs fails the run, by table and row."""
    run_in(tmp_path)
    with sqlite3.connect(tmp_path / "projection.db") as connection:
        connection.execute("UPDATE aircraft_delays SET minutes = minutes + 1 WHERE tail_number = 'N14228'")
    connection.close()

    done = subprocess.run([*DEMO, "--folder", tmp_path], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "WRONG" in done.stdout
    assert "aircraft_delays: 1 rows missing or different" in done.stdout
    assert "N14228" in done.stdout
    assert CHECKED not in done.stdout


def test_a_folder_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs would both publish what is missing."""
    with Projection(tmp_path / "projection.db"):
        assert main(["--folder", str(tmp_path)]) == 1

    assert "another run has it open" in capsys.readouterr().err


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names it."""
    place = tmp_path / "file"
    place.touch()

    assert main(["--folder", str(place)]) == 1

    assert capsys.readouterr().err == f"error: {place}: File exists\n"


def test_help_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody has to read the source to use it."""
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])

    assert "--folder DIR" in capsys.readouterr().out
