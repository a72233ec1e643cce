"""The runner of the pages' snippets itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.snippets import Snippet, compile_snippet, run_page, snippets_of, typed_program

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """\
# A page

```python
total = 1
```

- in a list

  ```python title="two"
  total += 1
  ```

```toml
[not.python]
```

<!-- no-run: needs a server -->

```python
connect("server")
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return the path of a page to write."""
    return tmp_path / "page.md"


def test_python_blocks_are_found_with_their_lines() -> None:
    """Blocks in lists and with a title count, other languages do not, and a comment excuses a block."""
    assert list(snippets_of(PAGE)) == [
        Snippet("total = 1\n", 4),
        Snippet("total += 1\n", 10),
        Snippet('connect("server")\n', 20, no_run="needs a server"),
    ]


def test_a_comment_excuses_only_the_block_below_it() -> None:
    """A second block behind an excused one is run again."""
    second = list(snippets_of(PAGE + "\n```python\nraise SystemExit\n```\n"))[-1]

    assert second.no_run is None


def test_a_block_holds_fences_shorter_than_its_own() -> None:
    """A page can show Markdown that holds a python block."""
    assert list(snippets_of("````markdown\n```python\nboom\n```\n````\n")) == []


def test_a_block_without_an_end_is_refused() -> None:
    """A forgotten fence would hide all that follows it."""
    with pytest.raises(ValueError, match="the block of line 1 has no end"):
        list(snippets_of("```python\ntotal = 1\n"))


def test_a_type_checker_sees_the_blocks_on_their_lines() -> None:
    """What mypy says of a page names the line of the page."""
    lines = typed_program(PAGE).splitlines()

    assert (lines[3], lines[9], lines[10]) == (" total = 1", " total += 1", " return")
    assert 'connect("server")' not in typed_program(PAGE)


async def test_blocks_of_a_page_share_their_names(page: Path) -> None:
    """A later block goes on with what an earlier one made, and may await."""
    page.write_text(
        "```python\nimport asyncio\nevent = asyncio.Event()\n```\n"
        "```python\nevent.set()\nawait event.wait()\n```\n"
        "```python\nassert event.is_set()\n```\n",
        encoding="utf-8",
    )

    await run_page(page, "page")


async def test_a_failing_block_shows_its_line_in_the_page(page: Path) -> None:
    """The traceback leads to the page."""
    page.write_text("text\n\n```python\nfine = 1\nassert fine == 2\n```\n", encoding="utf-8")

    with pytest.raises(AssertionError) as caught:
        await run_page(page, "page")

    last = caught.traceback[-1]
    assert (str(last.path), last.lineno + 1) == (str(page), 5)


async def test_an_excused_block_is_still_compiled(page: Path) -> None:
    """A block that can't run here must at least be Python."""
    page.write_text("<!-- no-run: needs a server -->\n```python\nconnect(\n```\n", encoding="utf-8")

    with pytest.raises(SyntaxError):
        await run_page(page, "page")


def test_a_syntax_error_shows_its_line_in_the_page(page: Path) -> None:
    """The error leads to the page."""
    with pytest.raises(SyntaxError) as caught:
        compile_snippet(Snippet("1 +\n", 12), page)

    assert (caught.value.filename, caught.value.lineno) == (str(page), 12)
