"""How long the generator takes, and how that grows: `python benchmarks/generator.py`.

Method. Schemas of 500, 1 000, 2 000 and 4 000 events with 20 fields each are written to a temporary folder, 100 events
to a namespace, with one struct and one enum beside each 20 of them. Each is generated into an empty folder, then once
more into the same one, where nothing is to be done; both include loading, checking, rendering and comparing with what
is there. The stages are measured on their own as well. Beside them stands what no generator can do without: tomllib on
the same files, and writing the same bytes. All sizes take turns in each round, in one process; the best of the rounds
is shown, since other work on the machine only ever adds, with the growth from each size to its double. The goal:
2 000 events in under 5 s, and twice as many in under 2.5 times that.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from wakuwaku_gen.app import Options, Status, generate
from wakuwaku_gen.check import bind
from wakuwaku_gen.render import render

SIZES = (500, 1000, 2000, 4000)
GOAL = (2000, 5.0, 2.5)
FIELDS = 20
PER_NAMESPACE = 100
TYPES = ("u64", "str", "datetime", "list[Line{0}]", "Decimal", "str | None", "Kind{0}", "bool", "UUID", "float")


def write_schemas(folder: Path, events: int) -> None:
    """Write schemas with so many events below a folder."""
    folder.mkdir(parents=True)
    for number in range(events // PER_NAMESPACE):
        lines = [f'wakuwaku = 1\nnamespace = "shop{number}"\ndoc = "One of many shops."']
        lines += [f'[key.OrderKey]\ntopic = "orders{number}"\ndoc = "One order."\nfields.order_id = "u64"']
        for group in range(PER_NAMESPACE // 20):
            lines += [f'[enum.Kind{group}]\ndoc = "A kind."\nvalues = ["ONE", "TWO"]']
            lines += [f'[struct.Line{group}]\ndoc = "A line."\nfields.sku = "str"\nfields.quantity = "u32"']
        for tag in range(1, PER_NAMESPACE + 1):
            lines += [f'[event.Happened{tag}]\ntag = {tag}\nkey = "OrderKey"\ndoc = "Something happened."']
            lines += [f"[event.Happened{tag}.fields]", *(_field(place, (tag - 1) // 20) for place in range(FIELDS))]
        (folder / f"shop{number}.toml").write_text("\n".join(lines), encoding="utf-8")


def _field(place: int, group: int) -> str:
    written = TYPES[place % len(TYPES)].format(group)
    value = f'"{written}"' if place % 2 else f'{{ type = "{written}", doc = "Field number {place}." }}'
    return f"field_{place} = {value}"


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def measure(folder: Path) -> dict[str, float]:
    """Measure one schema, which lies in `schemas` below the folder, into a new output there."""
    schemas, output = folder / "schemas", Path(tempfile.mkdtemp(dir=folder))

    def run() -> None:
        outcome = generate(Options(schemas, output))
        if outcome.status is not Status.DONE:
            raise AssertionError(outcome)

    found = {"generate": seconds(run), "again": seconds(run)}
    start = perf_counter()
    model, _ = bind(schemas, out_parent=folder)
    if model is None:
        raise AssertionError("the schema has errors")
    found["load, bind, check"] = perf_counter() - start
    start = perf_counter()
    files = render(model)
    found["render"] = perf_counter() - start
    found["tomllib alone"] = seconds(lambda: [tomllib.loads(path.read_text()) for path in schemas.iterdir()])
    plain = Path(tempfile.mkdtemp(dir=folder))
    found["write alone"] = seconds(lambda: [(plain / f"{n}").write_text(file.text) for n, file in enumerate(files)])
    return found


def report(rounds: dict[int, list[dict[str, float]]]) -> bool:
    """Print the best times, their growth, and how far rounds lie apart; tell whether the goal is met."""
    stages = list(next(iter(rounds.values()))[0])
    print(f"{'best, seconds':<20}" + "".join(f"{size:>9}" for size in rounds) + "   growth per doubling")
    for stage in stages:
        times = [min(one[stage] for one in found) for found in rounds.values()]
        growth = "  ".join(f"{after / before:.2f}" for before, after in pairwise(times))
        print(f"{stage:<20}" + "".join(f"{time:>9.3f}" for time in times) + f"   {growth}")
    for size, found in rounds.items():
        times = [one["generate"] for one in found]
        spread = f"min {min(times):.2f}, median {statistics.median(times):.2f}, max {max(times):.2f} s"
        print(f"generate {size} events: {spread}")
    size, limit, factor = GOAL
    if size not in rounds or 2 * size not in rounds:
        return True
    took, twice = (min(one["generate"] for one in rounds[count]) for count in (size, 2 * size))
    kept = took < limit and twice < factor * took
    print(
        f"{size} events: {took:.2f} s (goal: under {limit:.0f} s), twice as many: {twice / took:.2f} times that"
        f" (goal: under {factor}): {'met' if kept else 'missed'}"
    )
    return kept


def main() -> None:
    """Measure all sizes in turns; exit 1 when the goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            write_schemas(Path(folder, str(size), "schemas"), size)
        rounds: dict[int, list[dict[str, float]]] = {size: [] for size in options.sizes}
        for _ in range(options.rounds):
            for size in options.sizes:
                rounds[size].append(measure(Path(folder, str(size))))
        sys.exit(not report(rounds))


if __name__ == "__main__":
    main()
