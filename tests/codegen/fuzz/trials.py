"""Run the generator on drawn schemas, and import what comes of them."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from hypothesis import HealthCheck, Phase, settings

from wakuwaku_gen.app import Options, Outcome, generate

__all__ = ["LONG", "fuzzing", "generated", "imported", "write"]

#: How many examples of each kind to try; a long run sets it to thousands.
LONG = int(os.environ.get("WAKUWAKU_FUZZ", "0"))
_COUNT = itertools.count()


def fuzzing(few: int) -> settings:
    """Try as many examples as the profile asks for: `few`, or those of a long run."""
    return settings(
        max_examples=LONG or few,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    )


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="wakuwaku-fuzz-") as name:
        yield Path(name).resolve()


def write(root: Path, texts: Mapping[str, str]) -> Path:
    """Write schema files below `schemas`, and return that folder."""
    schemas = root / "schemas"
    for name, text in texts.items():
        path = schemas / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return schemas


@contextmanager
def generated(texts: Mapping[str, str]) -> Iterator[tuple[Path, Outcome]]:
    """Generate code for schema files; the output has a name of its own, so that it can be imported."""
    with folder() as root:
        output = root / f"fuzzed_{next(_COUNT)}"
        yield output, generate(Options(write(root, texts), output))


@contextmanager
def imported(output: Path) -> Iterator[dict[str, ModuleType]]:
    """Import every module below a generated folder, with warnings as errors; afterwards they are forgotten."""
    sys.path.insert(0, str(output.parent))
    importlib.invalidate_caches()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            names = sorted(
                ".".join(path.relative_to(output.parent).with_suffix("").parts) for path in output.rglob("*.py")
            )
            yield {name: importlib.import_module(name.removesuffix(".__init__")) for name in names}
    finally:
        sys.path.remove(str(output.parent))
        for name in [name for name in sys.modules if name.split(".")[0] == output.name]:
            del sys.modules[name]
