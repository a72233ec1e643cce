"""Import all generated packages below a folder, draw values of every event, and put them through its codec.

Run as a program, where Hypothesis can be imported, with warnings as errors.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, given, settings

import wakuwaku

EACH = 40


def draw(codec: wakuwaku.Codec[Any], strategies: ModuleType, name: str) -> None:
    """Check that what a strategy makes is what its codec gives back, and that it obeys all that decoding checks."""

    @settings(
        max_examples=EACH,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(getattr(strategies, name))
    def round_trips(event: wakuwaku.Event) -> None:
        assert isinstance(event, codec.event)
        assert codec.decode(codec.encode(event)) == event, event

    round_trips()


def main(folder: Path) -> None:
    """Draw values for every topic of every package below a folder."""
    sys.path.insert(0, str(folder))
    events = 0
    for path in sorted(folder.rglob("codecs.py")):
        package = ".".join(path.parent.relative_to(folder).parts)
        codecs = importlib.import_module(f"{package}.codecs")
        strategies = importlib.import_module(f"{package}.strategies")
        for name, codec in vars(codecs).items():
            if isinstance(codec, wakuwaku.Codec):
                draw(codec, strategies, name)
                events += 1
    print(f"values of {events} events round-trip")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
