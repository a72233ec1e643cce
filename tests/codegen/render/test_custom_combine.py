"""Combine rules that are written by hand: found where the user wrote them, and missed when they are not written."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.building import KEY, model_of, write_files
from wakuwaku import Consumer, ConsumerConfig, Ignore, StartError
from wakuwaku.log import MemoryLog
from wakuwaku_gen.render import FileKind, render

SCHEMA = (
    KEY
    + """
[event.Measured]
tag = 1
key = "BoxKey"
algebra = "associative"
[event.Measured.fields]
count = "u32"
mean = "float"
limit = { type = "Decimal | None", le = 100 }
[event.Measured.combine]
count = "sum"
mean = "custom"
limit = "custom"
"""
)
WRITTEN = """
from ..contracts import MeasuredCombinerContract


class MeasuredCombiner(MeasuredCombinerContract):
    def combine_mean(self, earlier, later):
        weighted = earlier.mean * earlier.count + later.mean * later.count
        return weighted / (earlier.count + later.count)

    def combine_limit(self, earlier, later):
        return later.limit
"""
HANDLER = """
from ..contracts import MeasuredContract


class MeasuredHandler(MeasuredContract):
    async def handle(self, events):
        pass
"""


@pytest.fixture
def boxes(tmp_path: Path) -> Iterator[Callable[[str | None], Any]]:
    """Import the generated package, with a combiner of this text, without one, or with the stub."""
    with _output(tmp_path) as output:

        def written(combiner: str | None) -> Any:
            path = output / "boxes" / "handlers" / "measured_combiner.py"
            if combiner is None:
                path.unlink()
            elif combiner:
                path.write_text(combiner, encoding="utf-8")
            (output / "boxes" / "handlers" / "measured.py").write_text(HANDLER, encoding="utf-8")
            return importlib.import_module("handmade.boxes")

        yield written


@contextmanager
def _output(root: Path) -> Iterator[Path]:
    write_files(root / "handmade", render(model_of(root, boxes=SCHEMA)))
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        yield root / "handmade"
    finally:
        sys.path.remove(str(root))
        for name in [name for name in sys.modules if name.split(".")[0] == "handmade"]:
            del sys.modules[name]


def start(boxes: Any) -> None:
    """Start a consumer with the handler, and stop it."""
    contracts = importlib.import_module("handmade.boxes.contracts")
    handler = importlib.import_module("handmade.boxes.handlers.measured").MeasuredHandler()

    async def run() -> None:
        config = ConsumerConfig(consumer="test", partitions=[0])
        async with Consumer(MemoryLog(), contracts.BoxesHandlers(measured=handler), config):
            pass

    asyncio.run(run())


def test_an_event_combines_by_the_rules_of_its_combiner(boxes: Callable[[str | None], Any]) -> None:
    """With both events at hand, so a mean can be weighted."""
    package = boxes(WRITTEN)
    one, other = package.Measured(id=1, count=1, mean=2.0), package.Measured(id=1, count=3, mean=6.0, limit=Decimal(7))

    assert one.combine(other) == package.Measured(id=1, count=4, mean=5.0, limit=Decimal(7))
    assert one.combine(package.Measured(id=2, count=3, mean=6.0)) is None
    start(package)


def test_events_stay_apart_when_what_they_make_would_break_a_bound(boxes: Callable[[str | None], Any]) -> None:
    """An error of the rule itself is another matter."""
    package = boxes(WRITTEN.replace("return later.limit", "return later.limit + 100").replace("/ (", "// ("))
    one = package.Measured(id=1, count=1, mean=2.0, limit=Decimal(1))

    assert one.combine(one) is None
    with pytest.raises(ZeroDivisionError):
        empty = package.Measured(id=1, count=0, mean=2.0, limit=Decimal(0))
        empty.combine(empty)


def test_the_stub_does_not_combine_and_no_consumer_starts_with_it(boxes: Callable[[str | None], Any]) -> None:
    """Each rule that is still to be written is named, with its file."""
    package = boxes("")
    event = package.Measured(id=1, count=1, mean=2.0)

    with pytest.raises(NotImplementedError):
        event.combine(event)
    with pytest.raises(StartError) as refused:
        start(package)

    assert "handmade/boxes/handlers/measured_combiner.py is still a stub: fill in `combine_limit`" in str(refused.value)
    assert "fill in `combine_mean` and remove `@stub`" in str(refused.value)


@pytest.mark.parametrize(
    ("combiner", "reason"),
    [
        (None, "cannot import name 'measured_combiner'"),
        ("x = 1\n", "has no attribute 'MeasuredCombiner'"),
        (WRITTEN.partition("    def combine_limit")[0], "abstract method combine_limit"),
    ],
)
def test_no_consumer_starts_without_its_combiner(
    boxes: Callable[[str | None], Any], combiner: str | None, reason: str
) -> None:
    """A file or a class that is gone, or a rule that was added to the schema since."""
    package = boxes(combiner)

    with pytest.raises(StartError, match=f"the combine rules of Measured can't be loaded: .*{reason}"):
        start(package)


def test_a_consumer_that_ignores_the_event_needs_no_combiner(boxes: Callable[[str | None], Any]) -> None:
    """Nothing is folded there."""
    boxes(None)
    contracts = importlib.import_module("handmade.boxes.contracts")

    async def run() -> None:
        config = ConsumerConfig(consumer="test", partitions=[0])
        async with Consumer(MemoryLog(), contracts.BoxesHandlers(measured=Ignore()), config):
            pass

    asyncio.run(run())


def test_the_combiner_is_a_stub_that_stays_in_the_output(tmp_path: Path) -> None:
    """Generated code imports it, so it does not go where other stubs may go."""
    files = {file.path.as_posix(): file for file in render(model_of(tmp_path, boxes=SCHEMA))}

    combiner = files["boxes/handlers/measured_combiner.py"]
    assert (combiner.kind, combiner.stays) == (FileKind.STUB, True)
    assert not files["boxes/handlers/measured.py"].stays
