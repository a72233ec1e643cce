"""What a consumer does on a log in memory, it does on a real Apache Iggy server: the same tests again."""

from __future__ import annotations

import contextlib
import inspect
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.iggy_server import needs_iggy, new_log
from tests.runtime import test_publisher
from tests.runtime.engine import test_consumer, test_failures, test_hardening

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from types import ModuleType

pytestmark = needs_iggy

MODULES: Final = (test_consumer, test_failures, test_hardening, test_publisher)

#: Tests of what can't be on a server, and why.
LEFT_OUT: Final[Mapping[str, str]] = {
    "test_a_stored_offset_beyond_the_end_of_the_log_stops_loudly": "a server stores no offset beyond the end",
}


def _again(module: ModuleType) -> dict[str, Any]:
    """Return the tests of a module that make a plain log in memory."""
    return {
        f"{name}__{module.__name__.rpartition('.')[2]}": test
        for name, test in vars(module).items()
        if name.startswith("test_") and name not in LEFT_OUT and "MemoryLog()" in inspect.getsource(test)
    }


for _module in MODULES:
    globals().update(_again(_module))


@pytest.fixture(autouse=True)
async def on_server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Give the tests a log on the server where they ask for one in memory."""
    async with contextlib.AsyncExitStack() as logs:
        ready = [await logs.enter_async_context(new_log()) for _ in range(2)]
        for module in MODULES:
            monkeypatch.setattr(module, "MemoryLog", lambda: ready.pop(0))
        yield
