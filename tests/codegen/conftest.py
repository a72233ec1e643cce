"""Run commands as a user does."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
import typer

__all__ = ["Result", "RunCommand"]


class Result(NamedTuple):
    code: object
    out: str
    err: str


RunCommand = Callable[..., Result]


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str]) -> RunCommand:
    """Run a function that is a command of `wakuwaku`, with arguments as they are typed."""

    def run(command: Callable[..., None], *arguments: str) -> Result:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command()(command)
        with pytest.raises(SystemExit) as ended:
            app(list(arguments), prog_name=f"wakuwaku {command.__name__}")
        printed = capsys.readouterr()
        return Result(ended.value.code, printed.out, printed.err)

    return run
