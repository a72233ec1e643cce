"""A checker with one mistake is found out by the proof: no rule holds by luck."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from tests.codegen.compat.proof import DisprovedError, Trial, judge
from tests.codegen.compat.sides import bound
from tests.codegen.compat.test_differential import LONG
from tests.codegen.compat.test_rules import SHOWN
from tests.codegen.compat.versions import ADDRESS, catalogue
from wakuwaku_gen.compat import reading, relay, spaces
from wakuwaku_gen.compat.breaks import Break
from wakuwaku_gen.compat.catalogue import Address, Catalogue
from wakuwaku_gen.compat.naming import catalogues, fields
from wakuwaku_gen.compat.reading import Reading
from wakuwaku_gen.compat.relay import Loss, Relaying

Mutate = Callable[[pytest.MonkeyPatch], None]
Pair = tuple[Catalogue, Catalogue, Address]
_SCALARS = (
    *("bool", "u8", "i64", "float", "str", "bytes", "UUID", "Decimal", "datetime", "naive_datetime", "date", "time"),
    *("timedelta", "Color", "Level"),
)
_LIMITS = (
    *("type = 'i64', multiple_of = 2", "type = 'i64', multiple_of = 3", "type = 'i64', ge = 5", "type = 'i64', lt = 9"),
    *("type = 'float', multiple_of = 0.5", "type = 'float', gt = 1", "type = 'Decimal', multiple_of = 0.1"),
    *("type = 'Decimal', le = 3", "type = 'str', min_length = 2", "type = 'str', pattern = '^[a-c]+$'"),
    *("type = 'bytes', max_length = 3", "type = 'list[str]', min_length = 2", "type = 'set[str]', max_length = 3"),
    *("type = 'tuple[str, str]'", "type = 'list[str]'", "type = 'set[str]'", "type = 'dict[str, str]'"),
    *("type = 'str | None', required = true", "type = 'list[u8]'", "type = 'Leaf'"),
)


@functools.cache
def one_field(field: str) -> Catalogue:
    """Return a version whose event has one field beside its key."""
    return catalogue(
        '[key.BoxKey]\ntopic = "boxes"\nfields.id = "u64"\n'
        '[enum.Color]\nvalues = ["red", "blue"]\n[enum.Level]\nvalues = { LOW = 1, HIGH = 2 }\n'
        '[struct.Leaf]\nfields.note = "str | None"\n'
        f'[event.Moved]\ntag = 1\nkey = "BoxKey"\nfields.alpha = {{ {field} }}'
    )


@functools.cache
def corpus() -> list[Pair]:
    """Return pairs of versions: every scalar as every other one, constraints, and the examples of rules both ways."""
    scalars = [f"type = '{kind}'" for kind in _SCALARS]
    sides = [*itertools.product(scalars, scalars), *[*itertools.permutations(_LIMITS, 2)][:: 1 if LONG else 3]]
    for one in _LIMITS:
        bare = f"{one.split(chr(39))[0]}'{one.split(chr(39))[1]}'"
        sides += [(one, bare), (bare, one)]
    pairs = [(one_field(one), one_field(other), ADDRESS) for one, other in sides]
    address = ("orders", 1)
    for rule in SHOWN:
        before, after = bound(rule.versions[0]), bound(rule.after)
        comparable = rule.id not in {"KEY_FIELDS_CHANGED", "TAG_REUSED", "EVENT_RENAMED"}
        if comparable and address in before.events and address in after.events:
            pairs += [(before, after, address), (after, before, address)]
    return pairs


def disproved(pairs: Iterable[Pair]) -> bool:
    """Tell whether the proof finds a mistake."""
    for number, (old, new, address) in enumerate(pairs):
        try:
            judge(Trial(old, new, number, drawn=2, address=address), Counter())
        except DisprovedError:
            return True
    return False


def blind_to(kind: str, where: Any = Reading) -> Mutate:
    """Leave out breaks of a kind."""

    def mutate(patch: pytest.MonkeyPatch) -> None:
        whole = where.pair

        def pair(self: Any, one: Any, other: Any) -> tuple[Any, ...]:
            return tuple(
                each for each in whole(self, one, other) if not (isinstance(each, Break) and each.kind == kind)
            )

        patch.setattr(where, "pair", pair)

    return mutate


def lossless(patch: pytest.MonkeyPatch) -> None:
    """Say that a relay loses nothing."""
    whole = Relaying.pair
    patch.setattr(
        Relaying,
        "pair",
        lambda self, one, other: tuple(each for each in whole(self, one, other) if not isinstance(each, Loss)),
    )


def taking(change: Callable[[Any, Any, Any], bool], *, refusing: bool = False) -> Mutate:
    """Change what scalars take: take, or refuse, what `change` says of a type, its constraints and a value."""

    def mutate(patch: pytest.MonkeyPatch) -> None:
        whole = spaces.takes

        def takes(type_: Any, limits: Any, held: Any, value: Any) -> Any:
            if change(type_, limits, value):
                return "kind" if refusing else None
            return whole(type_, limits, held, value)

        patch.setattr(reading, "takes", takes)
        patch.setattr(relay, "takes", takes)

    return mutate


def nameless(rule: str) -> Mutate:
    """Leave out the edits of a rule."""

    def mutate(patch: pytest.MonkeyPatch) -> None:
        whole = fields.field_edits

        def field_edits(*arguments: Any, **options: Any) -> Iterator[Any]:
            return (edit for edit in whole(*arguments, **options) if edit.rule != rule)

        patch.setattr(catalogues, "field_edits", field_edits)

    return mutate


def kind_of(name: str) -> Callable[[Any], bool]:
    return lambda type_: type(type_).__name__ == name


#: Rules of fields and types whose verdict is one of decoding.
_DECODING = {
    *("CONSTRAINT_INCOMPARABLE", "CONSTRAINT_LOOSENED", "CONSTRAINT_TIGHTENED", "ENUM_BASE_CHANGED", "ENUM_CLOSED"),
    *("ENUM_OPENED", "ENUM_VALUE_ADDED", "ENUM_VALUE_REMOVED", "ENUM_WIRE_VALUE_CHANGED", "FIELD_ADDED_REQUIRED"),
    *("FIELD_BECAME_NON_NULLABLE", "FIELD_BECAME_NULLABLE", "FIELD_REMOVED_REQUIRED", "FIELD_RENAME_SUSPECTED"),
    *("FIELD_TYPE_CHANGED", "FIELD_WIRE_NAME_CHANGED", "INT_NARROWED", "INT_SHIFTED", "INT_WIDENED"),
    *("STRUCT_TO_UNION", "UNION_TAG_FIELD_CHANGED", "UNION_TAG_VALUE_CHANGED", "UNION_TO_STRUCT"),
    *("UNION_VARIANT_ADDED", "UNION_VARIANT_REMOVED"),
}
#: What one version writes and the other one reads, where a mutation shows.
_SHOWING = {
    "an int is read as a bool": ("u8", "bool"),
    "a float is read as an int": ("float", "i64"),
    "an int is not read as a float": ("u8", "float"),
    "an int is not read as a decimal": ("u8", "Decimal"),
    "any text is a decimal": ("str", "Decimal"),
    "any text is a UUID": ("str", "UUID"),
    "any bytes are a UUID": ("bytes", "UUID"),
    "a UUID is no text": ("UUID", "str"),
    "texts are bytes": ("str", "bytes"),
}
MUTATIONS: dict[str, Mutate] = {
    **{f"blind to {kind}": blind_to(kind) for kind in ("null", "missing", "kind", "member", "form", "shape", "tag")},
    **{f"blind to {kind}": blind_to(kind) for kind in ("range", "step", "length", "pattern", "size")},
    "relay blind to missing": blind_to("missing", Relaying),
    "relay blind to kind": blind_to("kind", Relaying),
    "relay is lossless": lossless,
    "an int is read as a bool": taking(lambda of, _, value: kind_of("BoolType")(of) and type(value) is int),
    "a float is read as an int": taking(lambda of, _, value: kind_of("IntType")(of) and type(value) is float),
    "an int is not read as a float": taking(
        lambda of, _, value: kind_of("FloatType")(of) and type(value) is int, refusing=True
    ),
    "an int is not read as a decimal": taking(
        lambda of, _, value: kind_of("DecimalType")(of) and type(value) is int, refusing=True
    ),
    "any text is a decimal": taking(lambda of, _, value: kind_of("DecimalType")(of) and isinstance(value, str)),
    "any text is a UUID": taking(lambda of, _, value: kind_of("UuidType")(of) and isinstance(value, str)),
    "any bytes are a UUID": taking(lambda of, _, value: kind_of("UuidType")(of) and isinstance(value, bytes)),
    "a UUID is no text": taking(
        lambda of, _, value: kind_of("StrType")(of) and isinstance(value, str) and len(value) == 36, refusing=True
    ),
    "texts are bytes": taking(lambda of, _, value: kind_of("BytesType")(of) and isinstance(value, str)),
    "enums take anything": taking(lambda of, _, value: kind_of("EnumRef")(of)),
    **{f"{rule.id} has no name": nameless(rule.id) for rule in SHOWN if rule.id in _DECODING},
}  # fmt: skip


def _example(rule_id: str) -> list[Pair]:
    return [(bound(rule.versions[0]), bound(rule.after), ("orders", 1)) for rule in SHOWN if rule.id == rule_id]


def _shown(name: str) -> list[Pair]:
    if name not in _SHOWING:
        return []
    old, new = (one_field(f"type = '{kind}'") for kind in _SHOWING[name])
    return [(old, new, ADDRESS)]


def test_the_proof_holds_without_a_mutation() -> None:
    """Of the very pairs that mutations are tried on."""
    assert not disproved(corpus())


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof fails with it."""
    pairs = list(corpus())
    random.Random(name).shuffle(pairs)  # for most, what finds it stands in no certain place
    pairs = [*_example(name.partition(" ")[0]), *_shown(name), *pairs]
    MUTATIONS[name](monkeypatch)
    assert disproved(pairs)
