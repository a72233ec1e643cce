"""A log that tears batches breaks its promise; a consumer notices and stops instead of going on with half of it."""

from __future__ import annotations

from wakuwaku.testing.report import check
from wakuwaku.testing.scenario import draw, with_torn_batches


def test_a_torn_batch_in_the_retry_topic_stops_the_consumer() -> None:
    """Either nothing was torn that matters and all laws hold, or the partition ends and says why."""
    stopped = 0
    for seed in range(150):
        report = check(with_torn_batches(draw(seed), chance=0.3))
        if report.violations:
            assert "the log kept a part of a batch" in report.violations.get("progress", ""), str(report)
            stopped += 1
    assert 0 < stopped < 150
