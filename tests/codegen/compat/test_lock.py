"""What a lock holds comes back out of it as it was, and its golden vectors are the runtime's."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest

from tests.codegen.compat.proof import DisprovedError
from tests.codegen.compat.sides import bound, findings
from tests.codegen.compat.sketches import schema_text, sketches
from tests.codegen.compat.versions import generated, model
from wakuwaku.keyhash import KeyHash, hasher_of
from wakuwaku_gen.check import bind
from wakuwaku_gen.compat import Axis, CompatError, Status
from wakuwaku_gen.compat.catalogue import Catalogue, Record, catalogue_of
from wakuwaku_gen.compat.golden import golden_findings, key_bytes, key_hash, layout_of
from wakuwaku_gen.compat.lock import Lock, dump_lock, parse_lock
from wakuwaku_gen.compat.payload import PayloadError, payload
from wakuwaku_gen.compat.release import changed_subjects, check_version, release_lines
from wakuwaku_gen.compat.states import States
from wakuwaku_gen.model.digest import spell

CASES = Path(__file__).parents[2] / "cases"
LOCK = PurePosixPath("wakuwaku.lock")


def locked(held: Catalogue, lock: Lock | None = None, version: str = "1.0.0") -> Lock:
    """Return a lock, written and read again, with one more version."""
    return parse_lock(dump_lock(release_lines(lock or Lock(), held, version)).encode(), LOCK)


@pytest.mark.parametrize("name", ["every_type", "language", "unions", "namespaces", "combining"])
def test_a_golden_case_comes_back_as_it_was(name: str) -> None:
    """Every type, default, constraint and rule."""
    schema, _ = bind(CASES / name / "input/schemas", out_parent=CASES / name)
    assert schema is not None
    held = catalogue_of(schema)

    lock = locked(held)

    ((version, back),) = lock.versions
    states = States(docs=False)
    assert version == "1.0.0"
    assert {address: states.of(back, address) for address in back.events} == {
        address: states.of(held, address) for address in held.events
    }
    assert changed_subjects(lock, held) == []
    assert [one.rule for one in golden_findings(lock)] == []


@pytest.mark.parametrize("number", range(40))
def test_a_random_schema_comes_back_as_it_was(number: int) -> None:
    built = model(schema_text(sketches(number)))
    if built is not None:
        held = catalogue_of(built)
        assert changed_subjects(locked(held), held) == []


def test_what_goes_is_ended_and_may_come_back() -> None:
    """An event, a type, a key and tombstones."""
    whole = (
        '[event.A]\ntag = 1\nkey = "OrderKey"\nfields.k = "K"\n[enum.K]\nvalues = ["X"]\n'
        '[key.BoxKey]\ntopic = "boxes"\nfields.id = "u64"\n[event.B]\ntag = 1\nkey = "BoxKey"\n'
        "[reserved.BoxKey]\ntags = [4]\n"
    )
    part = '[event.A]\ntag = 1\nkey = "OrderKey"\n'
    first = locked(bound(whole))
    second = locked(bound(part), first, "1.1.0")
    third = locked(bound(whole), second, "1.2.0")

    sizes = [(len(held.events), len(held.keys), len(held.types)) for _, held in third.versions]
    assert sizes == [(2, 2, 1), (1, 1, 0), (2, 2, 1)]
    assert changed_subjects(third, bound(whole)) == []
    assert [json.loads(line) for line in dump_lock(second.lines).splitlines() if '"gone"' in line]


def test_a_name_may_be_another_kind_of_type_later() -> None:
    """Each version knows its own."""
    event = '[event.A]\ntag = 1\nkey = "OrderKey"\nfields.k = "list[K] | None"\n'
    first = locked(bound(event + '[enum.K]\nvalues = ["X"]'))
    second = locked(bound(event + '[struct.K]\nfields.x = "str"'), first, "2.0.0")
    spelled = [spell(held.events["orders", 1].fields[1].type) for _, held in second.versions]
    assert spelled == ["list[shop.K] | None"] * 2
    assert "EnumRef" in repr(second.versions[0][1].events["orders", 1].fields[1].type)
    assert "StructRef" in repr(second.versions[1][1].events["orders", 1].fields[1].type)


@pytest.mark.parametrize("name", ["xxh3", "rust"])
def test_keys_hash_as_in_the_runtime(name: str) -> None:
    """Every kind of field a key can have, read as the same bytes."""
    kinds = ["bool", "str", "bytes", "UUID", "u8", "i64", "u64", "i16", "Kind", "Level"]
    fields = "".join(f'fields.f{number} = "{kind}"\n' for number, kind in enumerate(kinds))
    held = bound(
        f'[key.OrderKey]\ntopic = "orders"\nhash = "{name}"\n{fields}[event.A]\ntag = 1\nkey = "OrderKey"\n'
        '[enum.Kind]\nvalues = ["X", "Y"]\n[enum.Level]\nvalues = { LOW = 1, HIGH = 7 }\n'
    )
    key = held.keys["orders"]
    layout = layout_of(key, held)
    (line,) = [one for one in locked(held).lines if next(iter(one)) == "key"]
    reference = hasher_of({f"f{number}": kind for number, kind in enumerate(layout)}, KeyHash(name))

    assert len(line["golden"]) == 3
    for vector in line["golden"]:
        values = [
            bytes.fromhex(one) if kind == "bytes" else one for kind, one in zip(layout, vector["values"], strict=True)
        ]
        as_objects = [
            __import__("uuid").UUID(one) if kind == "UUID" else one for kind, one in zip(layout, values, strict=True)
        ]
        holder = type("Holder", (), {f"f{number}": one for number, one in enumerate(as_objects)})
        assert vector["hash"] == reference(holder) == key_hash(key_bytes(layout, tuple(values)), key.hash)


def test_a_hash_that_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes that are hashed are compared all the same."""
    held = bound(
        '[key.OrderKey]\ntopic = "orders"\nhash = "rust"\nfields.id = "u64"\n[event.A]\ntag = 1\nkey = "OrderKey"\n'
    )
    lock = locked(held)
    monkeypatch.setitem(__import__("sys").modules, "siphash24", None)
    assert key_hash(b"x", "rust") is None
    assert list(golden_findings(lock)) == []


def test_versions_of_a_lock_are_in_order() -> None:
    held = bound('[event.A]\ntag = 1\nkey = "OrderKey"\n')
    lock = locked(held, locked(held, version="1.9.0"), "1.10.0")
    assert [version for version, _ in lock.versions] == ["1.9.0", "1.10.0"]
    for version in ("1.10", "1.9.5"):
        with pytest.raises(CompatError):
            check_version(lock, version)


@pytest.mark.parametrize(
    "line",
    [
        '{"key": "boxes", "release": "1.0.0", "name": "a.K", "hash": "xxh3", "partitions": 1, "fields": [{}]}',
        '{"type": "shop.K", "release": "1.0.0", "kind": "struct", "fields": [{"name": "a", "type": "lst[u8]"}]}',
        '{"type": "shop.K", "release": "1.0.0", "kind": "struct", "fields": [{"name": "a", "type": "1 + 1"}]}',
        '{"type": "shop.K", "release": "1.0.0", "kind": "enum", "members": {}}',
        '{"event": "orders", "release": "1.0.0", "name": "shop.A", "fields": []}',
        '{"reserved": "orders", "release": "2.0.0", "tags": []}',
    ],
)
def test_a_damaged_line_is_told(line: str) -> None:
    with pytest.raises(CompatError, match="damaged"):
        parse_lock(f'{{"lock": 1}}\n{{"release": "1.0.0"}}\n{line}\n'.encode(), LOCK)


def test_a_payload_that_can_not_be_is_told() -> None:
    """A set of more different values than there are."""
    held = bound('[event.A]\ntag = 1\nkey = "OrderKey"\nfields.a = { type = "set[bool]", min_length = 3 }\n')
    event = held.events["orders", 1]
    with pytest.raises(PayloadError):
        payload(held, Record(event.id, event.fields))


KINDS = [
    "str",
    "float",
    "bytes",
    "Decimal",
    "UUID",
    "datetime",
    "naive_datetime",
    "date",
    "time",
    "timedelta",
    "u16",
    "K",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_set_of_many_is_filled_with_different_values(kind: str, tmp_path: Path) -> None:
    """Of every kind; the generated codec reads them."""
    text = (
        '[key.BoxKey]\ntopic = "boxes"\nfields.id = "u64"\n[enum.K]\nvalues = ["X"]\nopen = true\n'
        f'[event.Moved]\ntag = 1\nkey = "BoxKey"\nfields.a = {{ type = "set[{kind}]", min_length = 30 }}\n'
    )
    built = model(text)
    assert built is not None
    held = catalogue_of(built)
    (line,) = [one for one in locked(held).lines if next(iter(one)) == "event"]
    with generated(tmp_path, built) as package:
        codec = __import__("importlib").import_module(f"{package.__name__}.codecs").MOVED
        assert len(codec.decode(bytes.fromhex(line["golden"])).a) == 30


def test_a_relay_that_breaks_a_fold_is_proven() -> None:
    """An old consumer folds an integer as a float, which the new version does not read."""
    old = '[event.A]\ntag = 1\nkey = "OrderKey"\nalgebra = "associative"\nfields.n = "{}"\ncombine.n = "max"\n'
    (finding,) = findings(old.format("float"), old.format("u8"))
    assert finding.proofs[Axis.RELAY].error == "Expected `int`, got `float` - at `$.n`"
    (finding,) = [one for one in findings(old.format("u8"), old.format("str")) if one.rule == "FIELD_TYPE_CHANGED"]
    assert "Expected `int`, got `str`" in finding.proofs[Axis.RELAY].error


def test_statuses_have_the_exit_codes_of_the_command() -> None:
    assert [status.exit_code for status in Status] == [0, 1, 2, 3]
    assert issubclass(DisprovedError, AssertionError)
