"""Whatever is wrong with the text of a schema file is a diagnostic with a place."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wakuwaku_gen.diagnostics import Diagnostic, Diagnostics
from wakuwaku_gen.load.nodes import plain
from wakuwaku_gen.load.toml import parse

FILE = PurePosixPath("shop.toml")


def only(data: bytes) -> Diagnostic:
    diagnostics = Diagnostics()
    assert parse(data, FILE, diagnostics) is None
    (found,) = diagnostics.items
    return found


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a = 1\nb = tru\n", "shop.toml:2:5 WK006 not valid TOML: invalid value"),
        (b"a = 1\nb 2\n", "shop.toml:2:3 WK006 not valid TOML: expected '=' after a key in a key/value pair"),
        (b'a = "open', "shop.toml:1:1 WK006 not valid TOML: unterminated string"),
        (b"a = [1,\n2", "shop.toml:1:1 WK006 not valid TOML: unclosed array"),
        (b"a = 1\nb = \n\n", "shop.toml:2:5 WK006 not valid TOML: invalid value"),
        (b"a = 1\nb = ", "shop.toml:2:3 WK006 not valid TOML: invalid value"),
        (b"a = 2024-13-01", "shop.toml:1:9 WK006 not valid TOML: expected newline"),
        ("é = 1\n".encode(), "shop.toml:1:1 WK006 not valid TOML: invalid statement"),
        (b"a = 1\0", "shop.toml:1:6 WK006 not valid TOML: expected newline or end of document after a statement"),
        (b"x = 1\ny = " + b"9" * 5000, "shop.toml:2:5 WK006 not valid TOML: exceeds the limit"),
        ("ü = 'é'\nz = '".encode() + b"\xc3\xa9\xff'", "shop.toml:2:7 WK004 byte 0xff is not UTF-8"),
        (b"\xef\xbb\xbfa = 1", "shop.toml:1:1 WK005 the file starts with the byte order mark of UTF-8"),
        ("a = 1".encode("utf-16"), "shop.toml:1:1 WK005 the file starts with the byte order mark of UTF-16"),
    ],
)
def test_a_broken_file_is_reported_where_it_breaks(data: bytes, expected: str) -> None:
    found = only(data)
    assert f"{found.span} {found.rule} {found.message}".startswith(expected)


@pytest.mark.parametrize(
    ("text", "second", "first"),
    [
        ("a = 1\nb = 2\na = 3\n", "3:1", "1:1"),
        ("[a]\nx = 1\n[b]\n[a]\n", "4:2", "1:2"),
        ("a.b = 1\na.b.c = 2\n", "2:3", "1:3"),
        ("x = { k = 1, 'k' = 2 }\n", "1:14", "1:7"),
        ("x = [1, { k = 1, k.z = 2 }]\n", "1:18", "1:11"),
        ("[a.b]\n[a]\nb = 1\n", "3:1", "1:4"),
        ("[[e]]\nx = 1\n[[e]]\nx = 1\nx = 2\n", "5:1", "4:1"),
        ("[[e]]\n[e]\n", "2:2", "1:3"),
        ("a.b = 1\n[a]\nc = 2\n", "2:2", "1:1"),
        ("a = 1\n[a.b]\n", "2:2", "1:1"),
        ("é = 1\n", None, None),
        ("'é' = 1\n  'é' = 2\n", "2:3", "1:1"),
    ],
)
def test_a_duplicate_key_is_reported_at_the_second_with_a_note_at_the_first(
    text: str, second: str | None, first: str | None
) -> None:
    found = only(text.encode())
    if second is None:
        assert found.rule == "WK006"
    else:
        assert (str(found.span), found.rule) == (f"shop.toml:{second}", "WK007")
        assert [str(note.span) for note in found.notes] == [f"shop.toml:{first}"]


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 101 + "]" * 101,
        "a = " + "[" * 5000 + "]" * 5000,
        "a = " + "{ b = " * 2000 + "1" + " }" * 2000,
        "a" + ".a" * 3000 + " = 1",
        "[a" + ".a" * 3000 + "]",
        "x = 1\nx = " + "[" * 200 + "]" * 200,
    ],
)
def test_deep_nesting_is_reported_and_never_exhausts_the_stack(text: str) -> None:
    assert only(text.encode()).rule in {"WK008", "WK007"}


@settings(deadline=None)  # tests do not depend on time
@given(st.binary(max_size=60) | st.text("[]{}=.\"'\n#ab1 \\é", max_size=40).map(str.encode))
def test_no_bytes_raise(data: bytes) -> None:
    diagnostics = Diagnostics()
    parsed = parse(data, FILE, diagnostics)
    assert (parsed is None) == bool(diagnostics.items)


def test_a_comment_behind_a_value_changes_nothing() -> None:
    """Behind values of all kinds, headers, and keys that are given twice."""
    text = b'a = 1 # one\nb = { x = 1 } # two\nc = [1, # three\n 2] # four\n[d] # five\ne = """\n""" # six\n'
    diagnostics = Diagnostics()
    root = parse(text, PurePosixPath("a.toml"), diagnostics)
    assert diagnostics.items == []
    assert root is not None
    assert plain(root) == {"a": 1, "b": {"x": 1}, "c": [1, 2], "d": {"e": ""}}

    parse(b"a = { x = 1, x = 2 } # one\n", PurePosixPath("a.toml"), diagnostics)
    assert [str(item.span) for item in diagnostics.items if item.rule == "WK007"] == ["a.toml:1:14"]
