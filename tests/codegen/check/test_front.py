"""The whole front half: a folder of schemas to a sound model, or to diagnostics."""

import gc
from pathlib import Path

from tests.codegen.check.examples import bound, told
from wakuwaku_gen.check import bind

PROJECT = Path(__file__).parents[3]


def test_the_schemas_of_this_project_are_sound() -> None:
    model, diagnostics = bind(PROJECT / "schemas", out_parent=PROJECT)
    assert told(diagnostics) == []
    assert model is not None
    assert [namespace.sources for namespace in model.namespaces] == [("schemas/flights.toml",), ("schemas/shop.toml",)]


def test_nothing_is_bound_when_a_file_is_lost(tmp_path: Path) -> None:
    model, diagnostics = bound(tmp_path, "# file: a.toml\nbroken\n# file: b.toml\n[struct.A]\nfields.x = 'Lost'")
    assert [item.rule for item in diagnostics.items] == ["WK006"]
    assert model is None


def test_the_garbage_collector_is_left_as_it_was(tmp_path: Path) -> None:
    assert gc.isenabled()
    bound(tmp_path, "broken")
    assert gc.isenabled()


def test_two_thousand_structs_in_a_chain_are_bound(tmp_path: Path) -> None:
    chain = "".join(f'[struct.S{number}]\nfields.next = "S{number + 1}"\n' for number in range(2000))
    model, diagnostics = bound(tmp_path, chain + "[struct.S2000]")
    assert told(diagnostics) == []
    assert model is not None
    names = [struct.id.name for struct in model.namespaces[0].structs]
    assert names == [f"S{number}" for number in range(2000, -1, -1)]


def test_a_cycle_of_two_thousand_structs_is_told_once(tmp_path: Path) -> None:
    ring = "".join(f'[struct.S{number}]\nfields.next = "S{(number + 1) % 2000}"\n' for number in range(2000))
    _, diagnostics = bound(tmp_path, ring)
    assert [item.rule for item in diagnostics.items] == ["WK119"]
