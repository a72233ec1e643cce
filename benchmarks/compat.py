"""How long `wakuwaku compat` takes on a long history: `python benchmarks/compat.py`.

Method. A schema of 300 events with 20 fields each, in three namespaces, is written to a temporary folder and released
50 times; before each release after the first, six events get one more field with a default and one shared struct gets
one, so that the lock holds what such a project has. Then the command runs in a process of its own, as CI would run it:
with nothing changed since the last release, with one field of a struct narrowed that a sixtieth of the events hold, and
with the key of a namespace changed. Beside it stands what no such command can do without: a Python that imports the
command line and reads the schemas. What counts is processor time, since the command uses one core and waits for
nothing; the best of the rounds is shown, since other work on the machine only ever adds.
The goal: under 2 s in each of these cases, and less than five times what reading the schemas takes.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from wakuwaku_gen.check import bind
from wakuwaku_gen.compat import Options, Status, release

EVENTS, VERSIONS, NAMESPACES, FIELDS = 300, 50, 3, 20
GOAL, RATIO = 2.0, 5.0
TYPES = ("u64", "str", "datetime", "list[Line{0}]", "Decimal", "str | None", "Kind{0}", "bool", "UUID", "float")
BIN = Path(sys.executable).parent


def write_schemas(folder: Path, version: int, *, narrowed: bool = False, rekeyed: bool = False) -> None:
    """Write the schemas as of a version, the first one being 0."""
    folder.mkdir(exist_ok=True)
    per = EVENTS // NAMESPACES
    for space in range(NAMESPACES):
        key = "u32" if rekeyed and space == 0 else "u64"
        lines = [f'wakuwaku = 1\nnamespace = "shop{space}"\ndoc = "One of many shops."']
        lines += [f'[key.OrderKey]\ntopic = "orders{space}"\ndoc = "One order."\nfields.order_id = "{key}"']
        for group in range(per // 20):
            width = "u8" if narrowed and space == group == 0 else "u32"
            lines += [f'[enum.Kind{group}]\ndoc = "A kind."\nvalues = ["ONE", "TWO"]']
            lines += [f'[struct.Line{group}]\ndoc = "A line."\nfields.sku = "str"\nfields.quantity = "{width}"']
            grown = [
                one for one in range(1, version + 1) if one % (per // 20 * NAMESPACES) == group * NAMESPACES + space
            ]
            lines += [f'fields.more_{one} = "str | None"' for one in grown]
        for tag in range(1, per + 1):
            lines += [f'[event.Happened{tag}]\ntag = {tag}\nkey = "OrderKey"\ndoc = "Something happened."']
            lines += [f"[event.Happened{tag}.fields]"]
            lines += [f'field_{one} = "{TYPES[one % len(TYPES)].format((tag - 1) // 20)}"' for one in range(FIELDS)]
            number = space * per + tag
            lines += [f'late_{one} = "str | None"' for one in range(1, version + 1) if number % 50 == one % 50]
        (folder / f"shop{space}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def timed(folder: Path, *command: str, code: int) -> float:
    """Return how much processor time a command takes in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([BIN / command[0], *command[1:]], cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != code:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


READ = "from pathlib import Path; from wakuwaku_gen.check import bind; bind(Path('schemas'), out_parent=Path('.'))"


def main() -> None:
    """Measure all runs in turns; exit 1 when the goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        schemas = folder / "schemas"
        for version in range(VERSIONS):
            write_schemas(schemas, version)
            outcome = release(Options(schemas), f"1.{version}.0")
            if outcome.status is not Status.COMPATIBLE:
                raise AssertionError(outcome)
        lock = schemas / "wakuwaku.lock"
        model, _ = bind(schemas, out_parent=folder)
        if model is None:
            raise AssertionError("the schema has errors")
        print(f"{EVENTS} events x {FIELDS} fields, {VERSIONS} versions; a lock of {lock.stat().st_size / 1e6:.1f} MB")
        kinds = ("read the schemas alone", "nothing changed", "a struct narrowed", "a key changed")
        runs: dict[str, list[float]] = {kind: [] for kind in kinds}
        for _ in range(options.rounds):
            write_schemas(schemas, VERSIONS - 1)
            runs["read the schemas alone"].append(timed(folder, "python", "-c", READ, code=0))
            runs["nothing changed"].append(timed(folder, "wakuwaku", "compat", "schemas", code=0))
            write_schemas(schemas, VERSIONS - 1, narrowed=True)
            runs["a struct narrowed"].append(timed(folder, "wakuwaku", "compat", "schemas", code=1))
            write_schemas(schemas, VERSIONS - 1, rekeyed=True)
            runs["a key changed"].append(timed(folder, "wakuwaku", "compat", "schemas", code=1))
        for what, times in runs.items():
            print(f"{what:<24} best {min(times):.2f} s, worst {max(times):.2f} s")
    least = min(runs["read the schemas alone"])
    plain = min(runs["nothing changed"])
    kept = all(min(times) < GOAL for times in runs.values()) and plain < RATIO * least
    print(
        f"goal: under {GOAL:.0f} s and {RATIO:.0f} times reading; {plain / least:.1f} times:"
        f" {'met' if kept else 'missed'}"
    )
    sys.exit(not kept)


if __name__ == "__main__":
    main()
