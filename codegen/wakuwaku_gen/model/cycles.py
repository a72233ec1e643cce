"""How structs hold each other: an order that serves, and cycles nothing can build."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Generic, TypeVar

from wakuwaku_gen.diagnostics import Diagnostics, Span
from wakuwaku_gen.model.fields import FieldDraft
from wakuwaku_gen.model.schema import UnionModel
from wakuwaku_gen.model.types import (
    FieldType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StructRef,
    TupleType,
    TypeName,
    UnionRef,
)

__all__ = ["check_buildable", "components", "ordered"]

N = TypeVar("N")
_LONGEST_TOLD: Final = 8


def components(graph: Mapping[N, Sequence[N]]) -> list[list[N]]:
    """Return the strongly connected components of a graph, each after those it leads to (Tarjan, without recursion).

    Every node that an edge leads to must be a node of the graph. The result depends on the order of the graph only.
    """
    tarjan = _Tarjan(graph)
    for node in graph:
        tarjan.visit(node)
    return tarjan.found


class _Tarjan(Generic[N]):
    def __init__(self, graph: Mapping[N, Sequence[N]]) -> None:
        self.found: list[list[N]] = []
        self._graph = graph
        self._index: dict[N, int] = {}
        self._low: dict[N, int] = {}
        self._stack: list[N] = []
        self._on_stack: set[N] = set()
        self._path: list[tuple[N, Iterator[N]]] = []

    def visit(self, root: N) -> None:
        if root not in self._index:
            self._enter(root)
        while self._path:
            node, edges = self._path[-1]
            for target in edges:
                if target not in self._index:
                    self._enter(target)
                    break
                if target in self._on_stack:
                    self._low[node] = min(self._low[node], self._index[target])
            else:
                self._leave(node)

    def _enter(self, node: N) -> None:
        self._index[node] = self._low[node] = len(self._index)
        self._stack.append(node)
        self._on_stack.add(node)
        self._path.append((node, iter(self._graph[node])))

    def _leave(self, node: N) -> None:
        self._path.pop()
        if self._path:
            above, _ = self._path[-1]
            self._low[above] = min(self._low[above], self._low[node])
        if self._low[node] == self._index[node]:
            component = [self._stack.pop()]
            while component[-1] != node:
                component.append(self._stack.pop())
            self._on_stack.difference_update(component)
            self.found.append(component)


def ordered(
    structs: Mapping[TypeName, tuple[FieldDraft, ...]], unions: Mapping[TypeName, UnionModel]
) -> list[TypeName]:
    """Return the structs so that each follows those it names, as far as recursion allows."""
    position = {name: number for number, name in enumerate(structs)}
    graph = {
        name: [held for draft in drafts for held in _structs_in(draft.type, unions) if held in structs]
        for name, drafts in structs.items()
    }
    return [name for component in components(graph) for name in sorted(component, key=position.__getitem__)]


def _structs_in(type_: FieldType, unions: Mapping[TypeName, UnionModel]) -> Iterator[TypeName]:
    match type_:
        case StructRef(target):
            yield target
        case UnionRef(target):
            yield from unions[target].variants
        case ListType(item) | SetType(item) | OptionalType(item):
            yield from _structs_in(item, unions)
        case MapType(value=value):
            yield from _structs_in(value, unions)
        case TupleType(items):
            for item in items:
                yield from _structs_in(item, unions)
        case _:
            pass


def check_buildable(
    structs: Mapping[TypeName, tuple[FieldDraft, ...]],
    unions: Mapping[TypeName, UnionModel],
    spans: Mapping[TypeName, Span],
    diagnostics: Diagnostics,
) -> Collection[TypeName]:
    """Report each cycle of structs that need one another, and return all types no value of which can be built."""
    needs: dict[TypeName, list[TypeName]] = {}
    for name, drafts in structs.items():
        needs[name] = [target for draft in drafts for target in _needed(draft)]
    for name, union in unions.items():
        needs[name] = list(union.variants)
    stuck = _unbuildable(needs, unions)
    graph = {name: [target for target in needs[name] if target in stuck] for name in needs if name in stuck}
    for component in components(graph):
        members = set(component)
        cycle = [name for name in graph if name in members and name in structs]
        if cycle and (len(component) > 1 or component[0] in graph[component[0]]):
            message = f"no value of {cycle[0].name!r} can ever be built: {_told(_path(cycle[0], members, graph))}"
            help_ = "make a field of the cycle nullable (`T | None`) or a list"
            diagnostics.error("WK119", spans[cycle[0]], message, help_)
    return stuck


def _told(path: Sequence[TypeName]) -> str:
    names = [name.name for name in path]
    if len(names) > _LONGEST_TOLD:
        names[_LONGEST_TOLD // 2 : -_LONGEST_TOLD // 2] = ["…"]
    return " needs ".join(names)


def _needed(draft: FieldDraft) -> Iterator[TypeName]:
    """Return what every value of a field holds."""
    type_ = draft.type
    if isinstance(type_, ListType) and draft.constraints.min_length:
        type_ = type_.item
    if isinstance(type_, MapType) and draft.constraints.min_length:
        type_ = type_.value
    pending: list[FieldType] = [type_]
    while pending:
        type_ = pending.pop()
        if isinstance(type_, StructRef | UnionRef):
            yield type_.target
        elif isinstance(type_, TupleType):
            pending.extend(type_.items)


def _unbuildable(needs: Mapping[TypeName, Sequence[TypeName]], unions: Collection[TypeName]) -> set[TypeName]:
    """Return the types without any finite value; a union has one as soon as one variant has."""
    waiting = {name: len(targets) for name, targets in needs.items()}
    needed_by: defaultdict[TypeName, list[TypeName]] = defaultdict(list)
    for name, targets in needs.items():
        for target in targets:
            needed_by[target].append(name)
    ready = [name for name, count in waiting.items() if not count]
    ready.extend({target for targets in needs.values() for target in targets} - needs.keys())
    built: set[TypeName] = set()
    while ready:
        name = ready.pop()
        if name in built:
            continue
        built.add(name)
        for other in needed_by[name]:
            waiting[other] -= 1
            if not waiting[other] or other in unions:
                ready.append(other)
    return needs.keys() - built


def _path(start: TypeName, members: set[TypeName], graph: Mapping[TypeName, Sequence[TypeName]]) -> list[TypeName]:
    """Return a shortest way from a node of a component back to itself."""
    came_from: dict[TypeName, TypeName] = {}
    layer = [start]
    while layer:
        following: list[TypeName] = []
        for name in layer:
            for target in graph[name]:
                if target == start:
                    path = [start, name]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return path[::-1] if len(path) > 2 or name != start else [start, start]
                if target in members and target not in came_from:
                    came_from[target] = name
                    following.append(target)
        layer = following
    raise AssertionError("only a cycle has a way back")
