"""What tests need: a log in memory, time that does not pass, and the simulator this package proves its laws with."""

from wakuwaku.log.memory import MemoryLog
from wakuwaku.testing.report import Report, simulate
from wakuwaku.testing.virtual import DeadlockError, VirtualLoop

__all__ = ["DeadlockError", "MemoryLog", "Report", "VirtualLoop", "simulate"]
