"""Structs come in an order that serves, and only cycles that nothing can build are errors."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.check.examples import bound, told
from wakuwaku_gen.model.cycles import components

graphs = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4)).map(
    lambda some: {node: some.get(node, []) for node in range(8)}
)


def reachable(graph: dict[int, list[int]], start: int) -> set[int]:
    found: set[int] = set()
    pending = [start]
    while pending:
        for target in graph[pending.pop()]:
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


@settings(deadline=None)  # tests do not depend on time
@given(graphs)
def test_components_are_those_that_reach_each_other_and_come_after_those_they_lead_to(
    graph: dict[int, list[int]],
) -> None:
    found = components(graph)
    position = {node: number for number, component in enumerate(found) for node in component}
    assert sorted(position) == sorted(graph)
    for node, targets in graph.items():
        for target in graph:
            together = node == target or (target in reachable(graph, node) and node in reachable(graph, target))
            assert (position[node] == position[target]) == together
        assert all(position[target] <= position[node] for target in targets)


ACROSS = (
    '# file: a.toml\nnamespace = "one"\n[struct.A]\nfields.b = "two.B"\n'
    '# file: b.toml\nnamespace = "two"\n[struct.B]\nfields.a = "one.A | None"'
)


@pytest.mark.parametrize(
    "example",
    [
        '[struct.A]\nfields.a = "A | None"',
        '[struct.A]\nfields.a = "list[A]"',
        '[struct.A]\nfields.a = "dict[str, A]"',
        '[struct.A]\nfields.b = "B"\n[struct.B]\nfields.a = "A | None"',
        '[struct.A]\nfields.u = "U"\n[struct.B]\n[union.U]\nvariants = ["A", "B"]',
        ACROSS,
    ],
)
def test_recursion_with_an_end_is_fine(example: str, tmp_path: Path) -> None:
    model, diagnostics = bound(tmp_path, example)
    assert told(diagnostics) == []
    assert model is not None


@pytest.mark.parametrize(
    ("example", "path"),
    [
        ('[struct.A]\nfields.a = "A"', "A needs A"),
        ('[struct.A]\nfields.b = "B"\n[struct.B]\nfields.c = "tuple[str, C]"\n[struct.C]\nfields.a = "A"',
            "A needs B needs C needs A"),
        ('[struct.A]\nfields.a = { type = "list[A]", min_length = 1 }', "A needs A"),
        ('[struct.A]\nfields.a = { type = "A | None", required = true }\nfields.b = "A"', "A needs A"),
        ('[struct.A]\nfields.u = "U"\n[union.U]\nvariants = ["A"]', "A needs U needs A"),
    ],
)  # fmt: skip
def test_a_cycle_without_an_end_is_told_once(example: str, path: str, tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, example)
    (line,) = told(diagnostics)
    assert line == f"shop.toml:3:9 WK119 no value of 'A' can ever be built: {path}"


def test_a_struct_that_only_holds_one_of_a_cycle_is_not_told(tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, '[struct.Outer]\nfields.a = "A"\n[struct.A]\nfields.a = "A"')
    assert [str(item.span) for item in diagnostics.items] == ["shop.toml:5:9"]


def test_structs_follow_those_they_name(tmp_path: Path) -> None:
    example = (
        '[struct.A]\nfields.b = "list[B]"\nfields.u = "U | None"\n[struct.B]\nfields.c = "dict[str, C]"\n'
        '[struct.C]\n[struct.D]\n[union.U]\nvariants = ["D"]'
    )
    model, diagnostics = bound(tmp_path, example)
    assert model is not None, told(diagnostics)
    assert [struct.id.name for struct in model.namespaces[0].structs] == ["C", "B", "D", "A"]


def test_a_cycle_with_a_shortcut_is_told_by_its_shortest_way(tmp_path: Path) -> None:
    example = (
        '[struct.A]\nfields.b = "B"\nfields.c = "C"\n[struct.B]\nfields.c = "C"\nfields.d = "D"\n'
        '[struct.C]\nfields.d = "D"\n[struct.D]\nfields.a = "A"\n'
    )
    _, diagnostics = bound(tmp_path, example)
    (found,) = diagnostics.items
    assert found.message.startswith("no value of 'A' can ever be built: A needs ")
    assert found.message.endswith(" needs D needs A")
