"""Whatever is wrong with a schema, its author is told where, and nothing is written."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given

from tests.codegen.fuzz.spoiled import spoiled_tables, spoiled_texts
from tests.codegen.fuzz.trials import fuzzing, generated
from wakuwaku_gen.app import Outcome, Status
from wakuwaku_gen.diagnostics import Diagnostic, Severity


@fuzzing(60)
@given(spoiled_tables())
def test_a_schema_with_wrong_tables_is_told_at_a_place(texts: dict[str, str]) -> None:
    """Keys and values that are others, missing, doubled or somewhere else."""
    _check(texts)


@fuzzing(60)
@given(spoiled_texts())
def test_a_schema_with_broken_text_is_told_at_a_place(texts: dict[str, str]) -> None:
    """Characters and lines that are gone, doubled or inserted."""
    _check(texts)


def _check(texts: dict[str, str]) -> None:
    with generated(texts) as (output, outcome):
        assert outcome.failure is None
        for one in outcome.diagnostics:
            _check_place(one, texts)
        if outcome.status is Status.INVALID:
            assert any(one.severity is Severity.ERROR for one in outcome.diagnostics)
            assert not output.exists()
        else:
            assert outcome.status is Status.DONE
            _check_output(output, outcome)


def _check_place(one: Diagnostic, texts: dict[str, str]) -> None:
    assert one.message
    for span in (one.span, *(note.span for note in one.notes)):
        text = next(text for name, text in texts.items() if span.file.as_posix().endswith(f"/schemas/{name}"))
        lines = text.split("\n")
        assert 1 <= span.line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1
        assert span.column < span.end


def _check_output(output: Path, outcome: Outcome) -> None:
    """What was spoiled may still be sound: then it compiles."""
    assert outcome.namespaces
    for path in output.rglob("*.py"):
        compile(path.read_text(encoding="utf-8"), path.name, "exec")
