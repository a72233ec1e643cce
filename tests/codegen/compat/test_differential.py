"""What the checker says is what happens: thousands of random edits, judged by codecs.

CI draws the same edits for the same code. `WAKUWAKU_COMPAT_EDITS` asks for that many new ones, of each kind of test.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.codegen.compat.proof import DisprovedError, Trial, judge, unordered
from tests.codegen.compat.sketches import edited, schema_text, sketches
from tests.codegen.compat.versions import generated, model, record
from wakuwaku.errors import DecodeError as RuntimeDecodeError
from wakuwaku_gen.compat.catalogue import Catalogue, catalogue_of
from wakuwaku_gen.compat.codecs import Codecs, DecodeError
from wakuwaku_gen.model.schema import SchemaModel

LONG = int(os.environ.get("WAKUWAKU_COMPAT_EDITS", "0"))
#: Kinds of verdicts that a run of CI has to meet, so that no rule goes untested.
MET = {
    True: {"null", "kind", "range", "step", "length", "shape", "member", "size", "form", "missing", "reads all"}
    | {"the same", "loses something"},
    False: {"missing", "tag", "null", "kind", "shape", "size", "member", "reads all", "the same", "loses something"},
}


def numbers(count: int) -> range:
    """Return what schemas and edits are made of: the same in all of CI, others in a long run."""
    start = random.randrange(2**40) if LONG else 0
    print(f"numbers from {start}")
    return range(start, start + (LONG or count))


def pair(number: int, *, small: bool) -> tuple[SchemaModel, SchemaModel] | None:
    """Return a schema and what an edit makes of it; None where one of the two has an error."""
    sketch = sketches(number, small=small)
    old, new = model(schema_text(sketch)), model(schema_text(edited(sketch, number)))
    return None if old is None or new is None else (old, new)


@pytest.mark.parametrize("small", [True, False], ids=["small", "whole"])
def test_every_verdict_is_what_the_codecs_do(small: bool) -> None:
    """Of edits that leave both versions sound; the codecs are those the checker makes."""
    counts: Counter[str] = Counter()
    for number in numbers(250 if small else 90):
        sides = pair(number, small=small)
        if sides is None:
            counts["unsound"] += 1
            continue
        counts["edits"] += 1
        old, new = map(catalogue_of, sides)
        try:
            judge(Trial(old, new, number, drawn=8 if LONG else 4), counts)
        except DisprovedError as error:
            pytest.fail(f"number {number}: {error}")
    print(dict(sorted(counts.items())))
    assert counts["edits"] >= counts["unsound"]
    met = {kind.partition(": ")[2] for kind in counts}
    assert met >= MET[small], MET[small] - met


def test_generated_codecs_do_as_those_of_the_checker(tmp_path: Path) -> None:
    """Of what one version's generated codec writes, the other one's refuses exactly what the checker's refuses."""
    counts: Counter[str] = Counter()
    for number in numbers(15):
        sides = pair(number, small=number % 2 == 0)
        if sides is not None:
            with generated(tmp_path, sides[0]) as first, generated(tmp_path, sides[1]) as second:
                for (wrote, writing), (read, reading) in itertools.permutations(
                    zip(sides, (first, second), strict=True)
                ):
                    _compare((catalogue_of(wrote), writing), (catalogue_of(read), reading), number, counts)
    print(dict(counts))
    assert counts["refused"] > 3
    assert counts["read"] > 3


def _compare(
    writer: tuple[Catalogue, ModuleType], reader: tuple[Catalogue, ModuleType], number: int, counts: Counter[str]
) -> None:
    """Let both kinds of codecs of two versions read what one generated codec wrote."""
    written, read = (import_module(f"{one.__name__}.codecs").MOVED for _, one in (writer, reader))
    events = import_module(f"{writer[1].__name__}.strategies").MOVED

    @seed(number)
    @settings(max_examples=8 if LONG else 4, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(events)
    def each(event: object) -> None:
        body = written.encode(event)
        own, other = Codecs(writer[0]), Codecs(reader[0])
        assert unordered(own.relay(record(writer[0]), body)) == unordered(body)
        refused = _refusal(lambda: read.decode(body))
        counts["read" if refused is None else "refused"] += 1
        assert _refusal(lambda: other.decode(record(reader[0]), body)) == refused
        if refused is None:
            assert unordered(other.relay(record(reader[0]), body)) == unordered(read.encode(read.decode(body)))

    each()


def _refusal(decode: Callable[[], object]) -> str | None:
    """Return where in a record a codec finds an error, or None when it finds none.

    Bounds beyond those of msgspec are worded by generated code itself, so words may differ.
    """
    try:
        decode()
    except (RuntimeDecodeError, *DecodeError) as error:
        return str(error).rpartition(" - at ")[2] if " - at " in str(error) else str(error).rpartition(": ")[2]
    return None
