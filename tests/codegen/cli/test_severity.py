"""Warnings and hints: shown, counted, and stopping a run only where that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.codegen.cli.test_cli import Run, run

__all__ = ["run"]

SHOP = 'wakuwaku = 1\nnamespace = "shop"\ndoc = "A shop."\n[key.BoxKey]\ntopic = "boxes"\nfields.id = "u64"\n'
SOLD = '[event.Sold]\ntag = 1\nkey = "BoxKey"\nordering = "acquire"\n'
ARGUMENTS = ("schemas", "-o", "out")


@pytest.fixture(autouse=True)
def _schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema with one warning (a needless fence) and two hints (missing docs), in the current directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "shop.toml").write_text(SHOP + SOLD, encoding="utf-8")


def test_a_warning_is_shown_and_the_run_goes_on(run: Run) -> None:
    """Hints stay out of sight."""
    done = run(*ARGUMENTS)

    assert done.code == 0
    assert done.err.startswith("schemas/shop.toml:10:12: WK251 warning: 'Sold' is the only event")
    assert "WK150" not in done.err
    assert Path("out/shop/events.py").exists()


def test_hints_are_shown_on_request(run: Run) -> None:
    """In text and as annotations; programs get them always."""
    assert "schemas/shop.toml:4:6: WK150 hint: 'BoxKey' has no doc" in run(*ARGUMENTS, "--hints").err
    assert "::notice file=schemas/shop.toml" in run(*ARGUMENTS, "--hints", "--format", "github").out
    assert "::notice" not in run(*ARGUMENTS, "--format", "github").out
    told = json.loads(run(*ARGUMENTS, "--format", "json").out)
    assert [one["severity"] for one in told["diagnostics"]] == ["hint", "hint", "warning"]


@pytest.mark.parametrize(
    ("least", "end"),
    [("warning", "1 warning; nothing was written"), ("hint", "1 warning, 2 hints; nothing was written")],
)
def test_a_run_can_be_told_to_fail_on_less(least: str, end: str, run: Run) -> None:
    """Then it writes nothing, and says what it counted."""
    failed = run(*ARGUMENTS, "--fail-on", least)

    assert (failed.code, failed.out) == (1, "")
    assert failed.err.splitlines()[-1] == end
    assert not Path("out").exists()


def test_what_fails_a_run_is_shown(run: Run) -> None:
    """A run that fails on hints shows them without a second flag."""
    assert "WK150" in run(*ARGUMENTS, "--fail-on", "hint").err


def test_a_permitted_warning_does_not_fail_a_run(run: Run) -> None:
    """The reason stands beside it."""
    permitted = SOLD + 'allow = { WK251 = "a second event comes next week" }\n'
    Path("schemas/shop.toml").write_text(SHOP + permitted, encoding="utf-8")

    assert run(*ARGUMENTS, "--fail-on", "warning").code == 0
