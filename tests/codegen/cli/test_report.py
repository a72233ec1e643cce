"""How an outcome is printed."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from wakuwaku_gen.app import Outcome, Planned, Status
from wakuwaku_gen.diagnostics import Diagnostic, Note, Severity, Span
from wakuwaku_gen.report import print_outcome
from wakuwaku_gen.write import make_plan
from wakuwaku_gen.write.manifest import Manifest

FILE = PurePosixPath("schemas/a.toml")
OUT = PurePosixPath("out")


def text_of(diagnostic: Diagnostic, line: str | None) -> str:
    outcome = Outcome(Status.INVALID, [diagnostic])
    return print_outcome(outcome, "text", lambda _: line).err.removesuffix("nothing was written\n")


def test_a_caret_stands_under_what_is_wrong() -> None:
    """Also behind characters that take two columns, and with a note of its own."""
    diagnostic = Diagnostic(Span(FILE, 3, 8, 11), "WK999", "wrong", "right", (Note(Span(FILE, 3, 1, 1), "see here"),))

    assert text_of(diagnostic, 'x = "日本abc"').splitlines()[:7] == [
        "schemas/a.toml:3:8: WK999 wrong",
        '    3 | x = "日本abc"',
        "      |          ^^^",
        "help: right",
        "note: schemas/a.toml:3:1: see here",
        '    3 | x = "日本abc"',
        "      | ^",
    ]


@pytest.mark.parametrize("line", [None, "", "   "])
def test_a_line_that_can_not_be_shown_is_left_out(line: str | None) -> None:
    """The place says it all."""
    diagnostic = Diagnostic(Span(FILE), "WK999", "wrong")

    assert text_of(diagnostic, line).splitlines()[0:2] == ["schemas/a.toml:1:1: WK999 wrong", "1 error; "]


def test_text_of_a_schema_can_not_drive_the_terminal() -> None:
    """Control characters are shown as such; a tab takes one column, so that the caret fits."""
    diagnostic = Diagnostic(Span(FILE, 1, 3, 4), "WK999", "bad \x1b[31m")

    assert text_of(diagnostic, "\t\x1bx").splitlines()[:3] == [
        "schemas/a.toml:1:3: WK999 bad \ufffd[31m",
        "    1 |  \ufffdx",
        "      |   ^",
    ]


def test_warnings_say_what_they_are_and_do_not_fail() -> None:
    """They come with the summary of a run that went well."""
    warning = Diagnostic(Span(FILE), "WK501", "odd", severity=Severity.WARNING)
    plan = make_plan([], {}, Manifest("tool"), tool="tool")
    outcome = Outcome(Status.DONE, [warning], planned=[Planned(OUT, plan)], namespaces=2, events=1, seconds=0.25)

    printed = print_outcome(outcome, "text", lambda _: None)

    assert printed.err == "schemas/a.toml:1:1: WK501 warning: odd\n"
    assert printed.out == "2 namespaces, 1 event: nothing to do in 0.2 s\n"
    assert print_outcome(outcome, "github", lambda _: None).out.startswith("::warning file=schemas/a.toml,line=1")


def test_exit_codes_tell_errors_from_wrong_use() -> None:
    """0 done, 1 schema errors or differences, 2 a file in the way or a failure."""
    assert {status.name: status.exit_code for status in Status} == {
        "DONE": 0,
        "DIFFERENT": 1,
        "INVALID": 1,
        "REFUSED": 2,
        "FAILED": 2,
    }
