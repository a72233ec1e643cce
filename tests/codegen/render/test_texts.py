"""No text of a schema can change generated code beside its own string."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.codegen.building import KEY, rendered

# What TOML can hold and the loader lets through as a doc or a default.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.text(
    alphabet="\"'\\{}#%\n\t aあ\u200b", min_size=1
)
SCHEMA = (
    KEY
    + """
[enum.Colour]
doc = {text}
values = {{ A = {{ value = {text}, doc = {text} }}, B = "b" }}
[struct.Lid.fields]
name = {{ type = "str", default = {text}, doc = {text}, wire = {wire} }}
[event.Packed]
tag = 1
key = "BoxKey"
doc = {text}
deprecated = {text}
[event.Packed.fields]
note = {{ type = "str", default = {text}, wire = "Note" }}
notes = {{ type = "list[str]", default = [{text}] }}
by_text = {{ type = "dict[str, str]", default = {{ {text} = {text} }} }}
lid = {{ type = "Lid", default = {{ name = {text} }} }}
colour = {{ type = "Colour", default = "A" }}
[event.Added]
tag = 2
key = "BoxKey"
algebra = "associative"
doc = {text}
[event.Added.fields]
words = {{ type = "list[str]", doc = {text}, default = [{text}] }}
price = {{ type = "Decimal", le = 5, wire = {wire} }}
note = {{ type = "str", pattern = {pattern} }}
[event.Added.combine]
words = "custom"
price = "sum"
note = "last"
"""
)


_UNFIT_ON_WIRE = re.compile(r'["\\\x00-\x1f]')  # what a codec lets no field name hold


class _Blank(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        # A doc may be missing or not, and that is all it may change.
        blank = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if blank else node


def shape(source: str) -> str:
    """Return the syntax tree of a module with every string emptied, and docstrings left out."""
    return ast.dump(_Blank().visit(ast.parse(source)))


def schema_with(text: str) -> str:
    return SCHEMA.format(
        text=_quoted(text), wire=_quoted(_UNFIT_ON_WIRE.sub("", text) or "x"), pattern=_quoted(re.escape(text))
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    files = rendered(tmp_path_factory.mktemp("plain"), words=schema_with("Some longer placeholder text in its place."))
    return {path: shape(text) for path, text in files.items() if path.endswith(".py")}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_text_never_leaves_its_string(text: str, tmp_path: Path, plain: dict[str, str]) -> None:
    """Quotes, braces, control characters or code in docs, defaults, values and wire names change no other node."""
    assume(text not in ("b", "name"))  # the other value of the enum, and the name that needs no wire name

    files = rendered(tmp_path, words=schema_with(text))

    assert {path: shape(source) for path, source in files.items() if path.endswith(".py")} == plain
