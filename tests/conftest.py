"""What all tests share."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec
from unittest.mock import patch

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# No test depends on time: a slow or busy machine must not fail a property.
# The examples of a run are the same for the same code, so that a change is judged by what it changes. New ones are
# looked for by `make fuzz`; what that finds is kept as a case of its own.
settings.register_profile(
    "wakuwaku",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="WAKUWAKU_FUZZ" not in os.environ,
    database=None,
)
settings.load_profile("wakuwaku")
# Nor do they depend on which modules happen to be imported, whose constants would be tried as well.
patch.object(providers, "is_local_module_file", lambda _path: False).start()

# A shell that starts tests in the background has them ignore Ctrl-C, and with them the programs that they interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Tests that can't even be imported without the client of Apache Iggy, which some Pythons have no wheel of.
_NEED_CLIENT = [
    "endurance/test_iggy_kills.py",
    "interop/*.py",
    "runtime/log/test_iggy_connection.py",
    "runtime/log/test_iggy_messages.py",
    "runtime/log/test_iggy_server.py",
]
collect_ignore_glob = [] if find_spec("apache_iggy") else _NEED_CLIENT


def pytest_report_header() -> list[str]:
    """Say which tests are left out for want of the client."""
    return (
        [f"left out, since apache-iggy is not installed: {', '.join(collect_ignore_glob)}"]
        if collect_ignore_glob
        else []
    )
