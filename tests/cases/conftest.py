"""The flag that rewrites what golden cases expect, and what of a case is no test of ours."""

from __future__ import annotations

import pytest

#: What a case reads and writes; its laws are run by `test_gallery`.
collect_ignore_glob = ["*/input/*", "*/expected/*"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the expected output of tests/cases anew")
