"""What tests need: handlers without a log to set up, the laws of an algebra, time that does not pass, the simulator.

- `run_batch` has handlers handle a few events, and tells what would be dead-lettered.
- `check_laws` checks that a handler keeps what its event's algebra promises.
- `MemoryLog` is a log in memory; `ManualClock` is time that a test lets pass.
- `simulate` plays random schedules with crashes, which this package proves its own laws with; `VirtualLoop` is the
  event loop it does so on, `DeadlockError` what that raises when nothing can go on.
"""

from wakuwaku.log.memory import MemoryLog
from wakuwaku.testing.clock import ManualClock
from wakuwaku.testing.promises import LawBrokenError, check_laws
from wakuwaku.testing.report import Report, simulate
from wakuwaku.testing.trial import BatchResult, Call, run_batch
from wakuwaku.testing.virtual import DeadlockError, VirtualLoop

__all__ = [
    "BatchResult",
    "Call",
    "DeadlockError",
    "LawBrokenError",
    "ManualClock",
    "MemoryLog",
    "Report",
    "VirtualLoop",
    "check_laws",
    "run_batch",
    "simulate",
]
