"""Every key and value of a TOML file has a place, and the text there is that key or value."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath

from hypothesis import given, settings
from hypothesis import strategies as st

from wakuwaku_gen.diagnostics import Diagnostics, Span
from wakuwaku_gen.load.nodes import Array, Node, Scalar, Table, plain, within
from wakuwaku_gen.load.toml import parse

FILE = PurePosixPath("shop.toml")

bare_keys = st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True)
any_text = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6)
keys = bare_keys | any_text
scalars = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    any_text,
    st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
    st.dates(),
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3))
tables = st.dictionaries(keys, values, max_size=4)
documents = st.dictionaries(keys, values | st.dictionaries(keys, tables, max_size=3) | st.lists(tables, max_size=3))


def key_text(key: str, draw: st.DrawFn) -> str:
    if key.isascii() and key.replace("-", "").replace("_", "").isalnum():
        return draw(st.sampled_from([key, f"'{key}'", f'"{key}"']))
    if "'" in key or draw(st.booleans()):
        return json.dumps(key, ensure_ascii=draw(st.booleans()) and max(key, default="") < "\U00010000")
    return f"'{key}'"


def value_text(value: object, draw: st.DrawFn) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            gap = draw(st.sampled_from([" ", "\n  ", " # é\n "]))
            return f"[{gap}{f',{gap}'.join(value_text(item, draw) for item in value)}{gap}]"
        case dict():
            pairs = (f"{key_text(key, draw)} = {value_text(item, draw)}" for key, item in value.items())
            return f"{{ {', '.join(pairs)} }}"
        case _:
            return str(value)


def remark(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["", " # ü", "#"]))


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Write a document, choosing among TOML's spellings for tables."""
    document = draw(documents)
    lines: list[str] = []
    sections: list[str] = []

    def pairs(table: dict[str, object], prefix: str = "") -> Iterator[str]:
        for key, value in table.items():
            name = prefix + key_text(key, draw)
            if isinstance(value, dict) and value and draw(st.booleans()):
                yield from pairs(value, f"{name} . ")
            else:
                yield f"{draw(st.sampled_from(['', '  ']))}{name} = {value_text(value, draw)}{remark(draw)}"

    for key, value in document.items():
        name = key_text(key, draw)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            for item in value:
                sections += [f"[[ {name} ]]{remark(draw)}", *pairs(item)]
        elif isinstance(value, dict) and all(isinstance(item, dict) for item in value.values()) and draw(st.booleans()):
            if not value or draw(st.booleans()):
                sections.append(f"[{name}]{remark(draw)}")
            for inner, item in value.items():
                sections += ["# ü", f"[{name}.{key_text(inner, draw)}]", *pairs(item)]
        else:
            lines += pairs({key: value})
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join([*lines, *sections, ""])


def entries(node: Node) -> Iterator[tuple[str | None, Node]]:
    if isinstance(node, Table):
        for key, child in node.entries.items():
            yield key, child
            yield from entries(child)
    elif isinstance(node, Array):
        for child in node.items:
            yield None, child
            yield from entries(child)


def at(text: str, span: Span) -> str:
    return text.split("\n")[span.line - 1][span.column - 1 : span.end - 1]


@settings(deadline=None)  # tests do not depend on time
@given(toml_texts())
def test_every_path_has_a_place_and_the_text_there_is_its_key(text: str) -> None:
    diagnostics = Diagnostics()
    root = parse(text.encode(), FILE, diagnostics)
    assert root is not None, diagnostics.items
    assert plain(root) == tomllib.loads(text)
    for key, node in entries(root):
        if key is not None:
            assert tomllib.loads(f"{at(text, node.key)} = 0") == {key: 0}
        if isinstance(node, Scalar):
            assert tomllib.loads(f"value = {at(text, node.span)}") == {"value": node.value}


@settings(deadline=None)  # tests do not depend on time
@given(any_text, any_text)
def test_a_part_of_a_string_has_its_own_place(before: str, part: str) -> None:
    text = f"'ü' = '{before}{part}'"
    if "'" in before + part:
        return
    root = parse(text.encode(), FILE, Diagnostics())
    assert root is not None
    node = root.entries["ü"]
    assert isinstance(node, Scalar)
    start = len(before)
    if part:
        assert at(text, within(node, start, start + len(part))) == part


def test_a_part_of_a_string_with_escapes_has_the_place_of_the_string() -> None:
    root = parse(rb'type = "\u006cist[X]"', FILE, Diagnostics())
    assert root is not None
    node = root.entries["type"]
    assert isinstance(node, Scalar)
    assert within(node, 5, 6) == node.span


def test_a_table_has_the_place_of_its_own_header_even_after_those_below_it() -> None:
    root = parse(b"[a.b]\nx = 1\n  [ a ]\ny = 2\n", FILE, Diagnostics())
    assert root is not None
    a = root.entries["a"]
    assert (a.span, a.key) == (Span(FILE, 3, 3, 8), Span(FILE, 3, 5, 6))


def test_the_place_of_a_text_of_many_lines_ends_with_its_first_line() -> None:
    root = parse(b'doc = """one\r\ntwo"""\r\n', FILE, Diagnostics())
    assert root is not None
    assert root.entries["doc"].span == Span(FILE, 1, 7, 13)
