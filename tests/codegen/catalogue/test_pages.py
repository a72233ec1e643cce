"""The catalogue has all that a schema declares, with links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings

from tests.codegen.catalogue.test_markdown import outlines
from tests.codegen.fuzz.schemas import Files, schema_tables, schema_texts
from tests.codegen.fuzz.trials import folder, write
from wakuwaku_gen.catalogue import render_catalogue
from wakuwaku_gen.check import bind

CASES = Path(__file__).parents[2] / "cases"


def pages(schemas: Path) -> dict[str, str]:
    model, diagnostics = bind(schemas, out_parent=schemas.parent)
    assert model is not None, diagnostics.sorted()
    return {file.path.as_posix(): file.text for file in render_catalogue(model)}


def check_links(found: dict[str, str]) -> None:
    """Every link leads to a page, and to an anchor on it."""
    for path, text in found.items():
        for target in re.findall(r"\]\(([^)]*)\)", text):
            page, _, anchor = target.partition("#")
            there = (PurePosixPath(path).parent / page).as_posix() if page else path
            assert there in found, (path, target)
            assert not anchor or f'<a id="{anchor}"></a>' in found[there], (path, target)


@pytest.mark.parametrize("case", ["language", "every_type", "unions", "combining", "texts", "namespaces", "empty"])
def test_links_lead_to_what_they_name(case: str) -> None:
    """Also to types of another namespace."""
    found = pages(CASES / case / "input" / "schemas")

    assert "index.md" in found
    check_links(found)


@settings(max_examples=15, deadline=None)
@given(schema_tables())
def test_the_pages_of_any_schema_hold_together(files: Files) -> None:
    """Whatever its names and texts are: links lead somewhere, and no text makes a heading or a script."""
    with folder() as root:
        found = pages(write(root, schema_texts(files)))
    check_links(found)
    for text in found.values():
        headings = sum(line.startswith("#") for line in text.splitlines())
        for outline in outlines(text):
            tags = [tag.split(" ")[0] for tag in outline.tags]
            assert sum(tag in {"h1", "h2", "h3", "h4", "h5", "h6"} for tag in tags) == headings
            assert not {"script", "img", "blockquote", "hr", "input"} & set(tags)


def test_a_page_tells_all_of_a_topic() -> None:
    """Its picture, key, events by tag, fences, laws, combine rules, and what may not come back."""
    page = pages(CASES / "language" / "input" / "schemas")["namespaces/shop.md"]

    for part in (
        '    topic --> event1[/"1 OrderPlaced<br>idempotent, acquire"\\]\n',
        "## Topic `orders`\n",
        "### Key `OrderKey`\n",
        "**Deprecated:** use OrderPlacedV2\n",
        "| 1 | `idempotent` | `acquire` | at most 100 |\n",
        "everything later of the key waits for it",
        "| `references` | list&#91;`str`&#93; | required | `concat` |\n",
        "Not to be used again: tag 7, `OrderShipped`.\n",
        "One of [`Card`](#Card), [`Transfer`](#Transfer).\n",
        "Open: a value that is not listed is kept as it is.\n",
        "| `HIGH` | `2` | Before all others. |\n",
        "Does not count when events are compared.",
        "On the wire: <code>H&#246;he</code>.",
    ):
        assert part in page
