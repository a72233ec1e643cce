"""The asyncio engine: drives the pure machine of `_core`, reads and writes the log, runs handlers."""
