"""The front of the package: complete, documented and cheap to import."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys

import pytest

import wakuwaku

#: What a service may need, and what importing the front must not cost everyone.
HEAVY = {"asyncio", "sqlite3", "typer", "siphash24", "jinja2", "tree_sitter", "wakuwaku_gen", "hypothesis"}


def test_public_names_are_sorted_and_there() -> None:
    """`__all__` is sorted, without repeats, and each name exists."""
    assert sorted(set(wakuwaku.__all__)) == wakuwaku.__all__
    assert [name for name in wakuwaku.__all__ if not hasattr(wakuwaku, name)] == []


@pytest.mark.parametrize("name", wakuwaku.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    """`help()` of each public name, and of each public method it defines, says something."""
    value = getattr(wakuwaku, name)
    own = vars(value) if isinstance(value, type) else {}
    methods = {
        f"{name}.{attribute}": method
        for attribute, method in own.items()
        if not attribute.startswith("_") and (inspect.isroutine(method) or isinstance(method, property))
    }

    undocumented = [place for place, thing in {name: value, **methods}.items() if not inspect.getdoc(thing)]

    assert undocumented == []


def test_importing_the_front_is_cheap_and_needs_no_extra() -> None:
    """A program that only makes events pays for no event loop, database, command line or generator."""
    program = "import json, sys, wakuwaku; print(json.dumps(sorted(sys.modules)))"

    # Measuring coverage in the subprocess would import some of these by itself.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True, env=environment
    )

    assert HEAVY & set(json.loads(result.stdout)) == set()
