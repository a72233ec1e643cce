"""Find the python blocks of a Markdown page and run them, one behind the other, in one namespace."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import CodeType

__all__ = ["Snippet", "compile_snippet", "run_page", "snippets_of", "typed_program"]

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<language>[\w-]*)")
_NO_RUN = re.compile(r"^ *<!-- no-run:(?P<reason>.*)-->\s*$")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A python block: its text, the line of the page its first line is on, and why it is not run, if it is not."""

    text: str
    line: int
    no_run: str | None = None

    def __str__(self) -> str:
        return f"line {self.line}"

    @property
    def placed(self) -> str:
        """Return the text behind as many empty lines as the page has before it, so tracebacks show the page's line."""
        return "\n" * (self.line - 1) + self.text


def snippets_of(page: str) -> Iterator[Snippet]:
    """Find the blocks fenced as python, in order.

    A comment `<!-- no-run: reason -->` on the last line with text before a block says why it is only compiled.
    Raises `ValueError` for a block without an end.
    """
    lines = enumerate(page.splitlines(), start=1)
    above = ""
    for number, line in lines:
        opening = _FENCE.match(line)
        if opening is None:
            above = line if line.strip() else above
            continue
        block: list[str] = []
        closing = re.compile(rf"^ *{re.escape(opening['fence'])}{re.escape(opening['fence'][0])}* *$")
        for _, inner in lines:
            if closing.match(inner):
                break
            block.append(inner)
        else:
            raise ValueError(f"the block of line {number} has no end")
        if opening["language"] in {"python", "py"}:
            comment = _NO_RUN.match(above)
            no_run = comment["reason"].strip() if comment else None
            yield Snippet(textwrap.dedent("\n".join(block)) + "\n", number + 1, no_run)
        above = ""


def compile_snippet(snippet: Snippet, path: Path) -> CodeType:
    """Compile a block; `await` may stand outside of functions. Raises `SyntaxError` with the page and its line."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code: CodeType = compile(snippet.placed, str(path), "exec", flags=flags, dont_inherit=True)
    return code


async def run_page(path: Path, name: str) -> None:
    """Run the blocks of a page that are not excused, in a module called `name`; what a block raises comes through."""
    module = ModuleType(name)  # a real module, since msgspec looks annotations up in it
    sys.modules[name] = module
    try:
        for snippet in snippets_of(path.read_text(encoding="utf-8")):
            code = compile_snippet(snippet, path)
            if snippet.no_run is None:
                result = eval(code, vars(module))
                if inspect.iscoroutine(result):
                    await result
    finally:
        del sys.modules[name]


def typed_program(page: str) -> str:
    """Join the blocks that are run into one program for a type checker, each on the line it has in the page.

    They are the body of a coroutine function, in which `await`, `async with` and `async for` may stand.
    """
    lines = ["async def page() -> None:"]
    for snippet in snippets_of(page):
        if snippet.no_run is None:
            lines += [""] * (snippet.line - 1 - len(lines))
            lines += textwrap.indent(snippet.text, " ").splitlines()
    return "\n".join([*lines, " return", ""])
