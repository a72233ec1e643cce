"""What the retry tests share."""

from __future__ import annotations

import pytest

from tests.runtime.retry.recording import Mode


@pytest.fixture(params=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> Mode:
    """Return one of the two ways to execute; a test that takes it runs in both."""
    return Mode(request.param)
