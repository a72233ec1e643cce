"""The door from schema text to Python text lets nothing but text through."""

from __future__ import annotations

import ast
import inspect
import math
import tokenize
from io import BytesIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wakuwaku_gen.render.source import comment, docstring, identifier, literal, normalised

TEXTS = st.text() | st.text(alphabet="\"'\\{}#%\n\r\t \x00\x07\u200b\u2028\u3042aN")
HOSTILE = [
    "",
    '"""',
    "\\",
    '"',
    "'",
    'a"',
    '"a',
    '\\"""',
    "{{ 7*7 }}",
    '"); import os  #',
    "a\n  b",
    "\n\n    a\n  b\n",
    "a\\\n",
]


@given(TEXTS)
def test_a_literal_reads_back_as_its_text(text: str) -> None:
    """Whatever a text holds, its literal is one string of that value, on one line."""
    source = literal(text)

    assert ast.literal_eval(source) == text
    assert "\n" not in source


@given(st.binary())
def test_a_literal_reads_back_as_its_bytes(data: bytes) -> None:
    """Bytes come back byte by byte."""
    source = literal(data)

    assert ast.literal_eval(source) == data
    assert source.isascii()


@pytest.mark.parametrize("value", [None, True, 0, -(2**63), 0.0, -0.5, 1e30, 1e-300])
def test_a_literal_reads_back_as_its_value(value: float | None) -> None:
    """Numbers and constants come back as they were."""
    assert ast.literal_eval(literal(value)) == value


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_there_is_no_literal_for_what_is_not_finite(value: float) -> None:
    """Python can write infinity by name only, so it is refused."""
    with pytest.raises(ValueError, match="no literal"):
        literal(value)


def test_a_literal_prefers_double_quotes() -> None:
    """Formatters keep single quotes only where they save escapes."""
    assert [literal(text) for text in ("a", "it's", 'say "a"', 'it\'s "a"')] == [
        '"a"',
        '"it\'s"',
        "'say \"a\"'",
        "'it\\'s \"a\"'",
    ]


def test_hidden_characters_are_escaped() -> None:
    """Nobody can see a direction mark or a zero-width space, so a literal names them."""
    assert literal("a\u202e\u200b\u00a0\U000e0001é") == '"a\\u202e\\u200b\\xa0\\U000e0001é"'


@given(TEXTS)
@example("\\")
@example('"')
def test_a_docstring_reads_back_as_its_normalised_text(text: str) -> None:
    """The doc of a class is the schema's, without its margin and blanks at line ends; nothing else joins the body."""
    for hostile in (*HOSTILE, text):
        doc = normalised(hostile) or "x"
        (node,) = ast.parse(f"class A:\n    {docstring(doc)}\n").body

        assert isinstance(node, ast.ClassDef)
        assert len(node.body) == 1
        assert ast.get_docstring(node) == doc


@given(TEXTS)
def test_normalising_twice_changes_nothing(text: str) -> None:
    """What is normal stays as it is."""
    assert normalised(normalised(text)) == normalised(text)


def test_a_docstring_with_a_backslash_is_raw() -> None:
    """A regular expression stays readable."""
    assert docstring("Matches \\d+.") == 'r"""Matches \\d+."""'


@pytest.mark.parametrize("text", ['"starts', "ends\\", 'has """ inside \\', "\\\nall\n    more", "bell\x07 \\"])
def test_a_docstring_that_can_not_be_raw_has_no_plain_backslash(text: str) -> None:
    """Linters want raw strings for plain backslashes, and escapes of quotes and code points are none."""
    source = docstring(text)

    assert not source.startswith("r")
    assert inspect.cleandoc(ast.literal_eval(source)) == text
    assert "\\\\" not in source


@given(TEXTS)
@example("coding: utf-7")
@example("# type: ignore # noqa\nimport os")
def test_a_comment_is_one_comment_and_no_directive(text: str) -> None:
    """A file name can't end the comment, declare an encoding or switch a tool off."""
    source = f"{comment(text)}\nx = 1\n".encode()
    kinds = [token.type for token in tokenize.tokenize(BytesIO(source).readline)]

    assert kinds.count(tokenize.COMMENT) == 1
    assert tokenize.detect_encoding(BytesIO(source).readline)[0] == "utf-8"
    assert source.count(b"#") == 1
    assert len(ast.parse(source).body) == 1


@pytest.mark.parametrize("name", ["", "class", "a b", "1a", "ﬁeld", "None", "x; import os"])
def test_what_is_no_name_is_refused(name: str) -> None:
    """A name that Python would read otherwise never reaches the output."""
    with pytest.raises(ValueError, match="not a Python name"):
        identifier(name)


@pytest.mark.parametrize("name", ["a", "match", "OrderPlaced", "_x1"])
def test_a_name_stays_as_it_is(name: str) -> None:
    """Names are chosen elsewhere; here they pass or fail."""
    assert identifier(name) == name
