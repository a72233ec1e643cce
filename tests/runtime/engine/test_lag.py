"""The watch on the event loop names what holds it up now, also when something else did so first."""

from __future__ import annotations

import threading

from wakuwaku._engine.lag import LagWatch


async def test_a_handler_that_holds_up_a_loop_that_stood_still_already_is_named_too() -> None:
    name, told = "", [threading.Event(), threading.Event()]
    seen: list[str] = []

    def tell(calling: str, _seconds: float) -> None:
        seen.append(calling)
        told[len(seen) - 1].set()

    watch = LagWatch(0.01, lambda: name, tell)
    watch.start()
    assert told[0].wait(60)
    name = "Placed"  # the loop never got a turn in between
    assert told[1].wait(60)
    watch.stop()
    assert seen == ["", "Placed"]
