"""The flag that rewrites what golden cases expect."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the expected output of tests/cases anew")
