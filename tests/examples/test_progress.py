"""Progress is one line on a terminal and few lines in a file."""

from __future__ import annotations

import io

from examples.flights.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_one_line_that_updates() -> None:
    """Nothing scrolls, and the line can be taken away."""
    stream = Terminal()
    progress = ProgressLine(stream)

    progress.show("publishing", 500, 1000)
    progress.show("publishing", 1000, 1000)
    progress.clear()

    first, second, last = stream.getvalue().split("\r")[1:]
    assert first == "publishing [############            ]  50 %  500 of 1,000 events\x1b[K"
    assert second == "publishing [########################] 100 %  1,000 of 1,000 events\x1b[K"
    assert last == "\x1b[K"
    assert "\n" not in stream.getvalue()


def test_a_file_gets_a_line_for_each_tenth() -> None:
    """A log of CI is not flooded, and has no control characters."""
    stream = io.StringIO()
    progress = ProgressLine(stream)

    for done in range(1001):
        progress.show("consuming", done, 1000)
    progress.clear()

    lines = stream.getvalue().splitlines()
    assert len(lines) == 11
    assert lines[3] == "consuming   30 %  300 of 1,000 events"


def test_nothing_to_do_is_done() -> None:
    """A step without events is complete."""
    stream = io.StringIO()

    ProgressLine(stream).show("consuming", 0, 0)

    assert stream.getvalue() == "consuming  100 %  0 of 0 events\n"
