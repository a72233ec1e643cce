"""How long it takes to import one topic out of many: `python benchmarks/imports.py`.

Method. 2 000 events of 20 fields each, in 40 namespaces with a topic each, are generated into a temporary folder. A
fresh interpreter imports the codecs of one topic and builds a decoder for one of its events, as a consumer of that
topic does at its start; the modules are compiled already. What the runtime takes by itself is measured in the same
way and stands beside it, so that the topic's own share is the difference. All take turns in each round; the least, the
median and the greatest are shown. The goal: a topic, the runtime with it, in under 50 ms.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from wakuwaku_gen.app import Options, Status, generate

NAMESPACES = 40
EVENTS = 50
FIELDS = 20
ENUMS = 12
ROUNDS = 15
TYPES = ("i64", "str", "u32", "bool", "float", "datetime", "bytes", "list[str]", "dict[str, i64]", "UUID", "Decimal")
STATEMENTS = {
    "import msgspec": "import msgspec",
    "import wakuwaku": "import wakuwaku",
    f"import a topic of {EVENTS} events": "import generated.space7.codecs as codecs; codecs.HAPPENED3.decoder",
}


def schema(number: int) -> str:
    """Write one namespace, whose events also hold enums of it."""
    enums = "".join(f'[enum.Kind{one}]\nvalues = ["A", "B", "C"]\n' for one in range(ENUMS))
    events = "".join(_event(one) for one in range(EVENTS))
    key = f'[key.Key]\ntopic = "topic{number}"\nfields.id = "u64"\n'
    return f'wakuwaku = 1\nnamespace = "space{number}"\n{key}{enums}{events}'


def _event(number: int) -> str:
    types = [f"Kind{number % ENUMS}", *(TYPES[one % len(TYPES)] for one in range(FIELDS - 1))]
    fields = "".join(f'field_{one} = "{of}"\n' for one, of in enumerate(types))
    return f'[event.Happened{number}]\ntag = {number}\nkey = "Key"\n[event.Happened{number}.fields]\n{fields}'


def generate_all(folder: Path, namespaces: int = NAMESPACES) -> None:
    """Generate the packages of so many namespaces below a folder, as `generated`."""
    (folder / "schemas").mkdir()
    for number in range(namespaces):
        (folder / "schemas" / f"space{number}.toml").write_text(schema(number), encoding="utf-8")
    outcome = generate(Options(folder / "schemas", folder / "generated"))
    if outcome.status is not Status.DONE:
        raise RuntimeError(f"the schemas of this benchmark are not sound: {outcome}")


def milliseconds(folder: Path, statement: str) -> float:
    """Run a statement in a fresh interpreter, and return how long it took there."""
    program = f"import time; start = time.perf_counter(); {statement}\nprint(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    return float(done.stdout) * 1000


def main() -> None:
    """Measure, and print a table."""
    print(f"{NAMESPACES * EVENTS} events of {FIELDS} fields, {NAMESPACES} namespaces with {ENUMS} enums each")
    print(f"{'':<32} {'min':>8} {'median':>8} {'max':>8}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        generate_all(folder)
        for statement in STATEMENTS.values():
            milliseconds(folder, statement)  # compiles what it imports
        rounds = [{what: milliseconds(folder, one) for what, one in STATEMENTS.items()} for _ in range(ROUNDS)]
    for what in STATEMENTS:
        values = [one[what] for one in rounds]
        print(f"{what:<32} {min(values):8.2f} {statistics.median(values):8.2f} {max(values):8.2f} ms")


if __name__ == "__main__":
    main()
