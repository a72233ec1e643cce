"""Text of a schema stays text, whatever Markdown and its extensions would make of it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import markdown_it
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wakuwaku_gen.catalogue.markdown import code, paragraphs, table, text

MARKDOWN: Any = importlib.import_module("markdown")  # it has no types
EXTENSIONS = [
    *("tables", "toc", "fenced_code", "attr_list", "admonition", "def_list", "footnotes", "abbr", "md_in_html"),
    *("pymdownx.superfences", "pymdownx.tilde", "pymdownx.caret", "pymdownx.mark", "pymdownx.details"),
    *("pymdownx.magiclink", "pymdownx.tabbed", "pymdownx.tasklist", "pymdownx.smartsymbols", "pymdownx.critic"),
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text("\\`*_{}[]()<>#+-.!|~^=:&\"' \nab1", max_size=40)
HOSTILE = [
    *("# a", "- a", "1. a", "> a", "a | b", "[a](javascript:b)", "![a](b)", "<script>a</script>", "&lt;", "&amp;amp;"),
    *("``` a", "~~~", "a\n===", "a\n---", "*a*", "__a__", "https://a.example", "www.a.example", "a@b.example", ":a:"),
    *("!!! note", "??? note", "=== a", "{: .b }", "[^1]: a", "[TOC]", "*[a]: b", ": a", "<!-- a", "--> a", "    a"),
    *("\ta", "a\\", "\\*a", "$a$", "~~a~~", "==a==", "^^a^^", "1) a", "+ a", "(c)", "- [ ] a", "{{ a }}", "{--a--}"),
]


class Outline(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(f"{tag} {sorted(attrs, key=str)}")

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.tags.append("comment")


def outlines(source: str) -> Iterator[Outline]:
    yield Outline(MARKDOWN.markdown(source, extensions=EXTENSIONS))
    yield Outline(markdown_it.MarkdownIt("gfm-like", {"linkify": False}).render(source))


def page(value: str) -> str:
    rows = [[code("a"), text(value)], [code("b"), code(value)]]
    return "\n".join(["# Title", "", *paragraphs(value), *table(["Name", "Meaning"], rows), "end"])


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_text_makes_no_tag(value: str) -> None:
    """Not one beside those of the page around it."""
    for outline, plain in zip(outlines(page(value)), outlines(page("plain")), strict=True):
        assert outline.tags == plain.tags, page(value)


@given(TEXTS)
@example("\\\\*a*")
@example("`")
def test_no_text_makes_a_tag(value: str) -> None:
    """Nor does it lose a letter."""
    if not value.strip():
        return
    value = " ".join(value.split())
    for outline, plain in zip(outlines(page(value)), outlines(page("plain")), strict=True):
        assert outline.tags == plain.tags, page(value)
        letters = [char for char in value if char.isalnum()]
        assert [char for char in outline.text if char in letters] != [] or not letters


def test_plain_text_stays_readable() -> None:
    """Only what could mean something is written otherwise."""
    assert text("Money came in (twice), 10% of it - for one order's sake.") == (
        "Money came in (twice), 10% of it - for one order's sake."
    )
    assert code("list of u64") == "`list of u64`"
    assert code("a|b") == "<code>a&#124;b</code>"


def test_what_nobody_can_see_is_written_out() -> None:
    """Direction marks and controls have no effect on a page."""
    assert text("a\u202eb\x07\U000e0001") == "a&#92;u202eb&#92;u0007&#92;U000e0001"
    assert code("a\nb") == "<code>a&#92;nb</code>"


def test_paragraphs_are_parted_by_blank_lines() -> None:
    """As people write docs."""
    assert list(paragraphs("one\n two\n \nthree\r\n\r\nfour")) == ["one two", "", "three", "", "four", ""]


def test_a_column_that_is_empty_everywhere_is_left_out() -> None:
    """A single filled cell keeps it."""
    assert list(table(["A", "B", "C"], [["1", "", ""], ["2", "", "x"]])) == [
        "| A | C |",
        "| --- | --- |",
        "| 1 |   |",
        "| 2 | x |",
        "",
    ]
