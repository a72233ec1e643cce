"""Import all generated packages below a folder and put a sample of every event through its codec.

Run as a program, in an interpreter where only the standard library, msgspec and the runtime can be imported.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

import wakuwaku

ABSENT = ("wakuwaku_gen", "jinja2", "typer", "hypothesis", "pytest", "tree_sitter")
#: Modules that need Hypothesis, which a service does not have.
FOR_TESTS = ("strategies.py", "test_laws.py")


def sample(of: msgspec.inspect.Type, depth: int = 0) -> object:  # noqa: C901, PLR0911, PLR0912 - one case per type
    """Make a small value of a type that obeys its constraints, as msgspec would have decoded it."""
    match of:
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.IntType():
            least = max(of.ge or 0, (of.gt or 0) + 1, of.multiple_of or 0)
            return least + 1 if least == 2**63 - 1 else least  # a bound that msgspec can't hold lies one above
        case msgspec.inspect.FloatType():
            return 0.25
        case msgspec.inspect.StrType():
            return "1234" if of.pattern == "^[0-9]{4}$" else "A" * max(of.min_length or 0, 3)
        case msgspec.inspect.BytesType():
            return b"\x00\xff"
        case msgspec.inspect.VarTupleType():
            return (sample(of.item_type, depth + 1),) if depth <= 3 or of.min_length else ()
        case msgspec.inspect.DateTimeType(tz=False):
            return datetime(2024, 1, 31, 12)  # noqa: DTZ001 - it is naive on purpose
        case msgspec.inspect.TupleType():
            return tuple(sample(item, depth + 1) for item in of.item_types)
        case msgspec.inspect.FrozenSetType():
            return frozenset({sample(of.item_type, depth + 1)})
        case msgspec.inspect.DictType():
            return {sample(of.key_type, depth + 1): sample(of.value_type, depth + 1)}
        case msgspec.inspect.EnumType():
            return list(of.cls)[-1]
        case msgspec.inspect.UnionType() if depth > 3 and of.includes_none:
            return None
        case msgspec.inspect.UnionType():
            return sample(of.types[0], depth)
        case msgspec.inspect.StructType():
            return of.cls(**{field.name: sample(field.type, depth + 1) for field in of.fields if field.required})
        case _:
            return SCALARS[type(of).__name__]


SCALARS: dict[str, object] = {
    "DateTimeType": datetime(2024, 1, 31, 12, tzinfo=UTC),
    "DateType": date(2024, 1, 31),
    "TimeType": time(12, 30),
    "TimeDeltaType": timedelta(seconds=1.5),
    "DecimalType": Decimal(5),
    "UUIDType": UUID(int=7),
    "NoneType": None,
}


def filled(event: type[wakuwaku.Event]) -> Any:
    """Make an event with a value for every field, optional or not."""
    info = msgspec.inspect.type_info(event)
    assert isinstance(info, msgspec.inspect.StructType)
    return event(**{field.name: sample(field.type) for field in info.fields})


def exercise(codec: wakuwaku.Codec[Any]) -> None:
    """Encode and decode an event, ask for its key, and fold it with itself when it can be."""
    about = codec.event.__wakuwaku__
    for made in (filled(codec.event), sample(msgspec.inspect.type_info(codec.event))):
        assert isinstance(made, codec.event)
        assert codec.decode(codec.encode(made)) == made, made
        assert about.key.__wakuwaku__.hash(made) == about.key.__wakuwaku__.hash(made.key)
        if about.combiner is None:
            folded = made.combine(made)
            assert (folded is not None) == (about.algebra is wakuwaku.Algebra.ASSOCIATIVE)
        else:
            with refusing(NotImplementedError):
                made.combine(made)


@contextmanager
def refusing(kind: type[Exception]) -> Iterator[None]:
    """Expect an error, as pytest would."""
    try:
        yield
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def main(folder: Path) -> None:
    """Exercise every topic of every package below a folder."""
    assert not sys.modules.keys() & set(ABSENT)
    for name in ABSENT:
        sys.modules[name] = None  # type: ignore[assignment]  # what makes an import fail
    sys.path.insert(0, str(folder))
    modules = sorted(
        path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py") if path.name not in FOR_TESTS
    )
    events = 0
    for module in modules:
        loaded = importlib.import_module(".".join(module.parts).removesuffix(".__init__"))
        for name, table in vars(loaded).items():
            if name.endswith("_CODECS") and module.name == "codecs":
                for codec in table.values():
                    exercise(codec)
                    events += 1
    print(f"{events} events round-trip")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
