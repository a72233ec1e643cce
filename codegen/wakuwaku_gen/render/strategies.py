"""Emit strategies.py: a Hypothesis strategy per type, whose values obey the schema and survive their codec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wakuwaku_gen.model.names import constant_name
from wakuwaku_gen.model.schema import EnumModel, FieldModel, NamespaceModel, UnionModel
from wakuwaku_gen.model.types import TypeName
from wakuwaku_gen.render.annotations import INT64_MAX, INT64_MIN
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.emitter import RenderedFile, file_in, header
from wakuwaku_gen.render.generators import Generators
from wakuwaku_gen.render.layout import Code, assignment, call, keyword
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import docstring, identifier, literal
from wakuwaku_gen.render.templates import fill

__all__ = ["emit_strategies"]

#: What the functions stand on that a module may need for its strategies, by their names.
_HELPERS: Final[dict[str, tuple[str, ...]]] = {
    "_seldom": ("_typing.TypeVar",),
    "_sequences": ("_typing.TypeVar", "_builtins.tuple"),
    "_multiples": ("_typing.TypeVar", "_decimal.Decimal"),
    "_steps": ("_math.fmod",),
    "_decimals": ("_decimal.Decimal",),
    "_timedeltas": ("_timedelta",),
    "_later": ("_typing.Any", "_abc.Mapping"),
    "_matching": ("_re.search",),
}


def emit_strategies(namespace: NamespaceModel, catalog: Catalog) -> Iterator[RenderedFile]:
    """Emit the module of strategies; a namespace that declares nothing needs none."""
    writer = _Writer(namespace, catalog)
    strategies = list(writer.strategies())
    if not strategies:
        return
    scope = writer.scope
    for helper in writer.generators.needed:
        for name in _HELPERS[helper]:
            scope.use(name)
    text = fill(
        "strategies.py.jinja",
        header=header(namespace),
        doc=docstring(f"Hypothesis strategies for the types of {namespace.name}: values that may be sent.", 0),
        imports=scope.imports(),
        needed=writer.generators.needed,
        strategies=strategies,
        gap="\n\n" if writer.generators.needed else "\n",
    )
    yield file_in(namespace, "strategies.py", text)


class _Writer:
    """Write the strategies of one namespace, each after those it needs as far as recursion allows."""

    def __init__(self, namespace: NamespaceModel, catalog: Catalog) -> None:
        self.scope = Scope(namespace, catalog, "strategies")
        self._namespace = namespace
        self.generators = Generators(self.scope)

    def strategies(self) -> Iterator[str]:
        namespace = self._namespace
        for enum in namespace.enums:
            yield self._define(enum.id, self._enum(enum))
        for struct in namespace.structs:
            yield self._define(struct.id, self._record(struct.id, struct.fields))
        for union in namespace.unions:
            yield self._define(union.id, self._union(union))
        for key in namespace.keys:
            yield self._define(key.id, self._record(key.id, key.fields))
        for event in namespace.events:
            yield self._define(event.id, self._record(event.id, event.fields))

    def _define(self, target: TypeName, code: Code) -> str:
        self.scope.defined.add(target)
        return assignment(identifier(constant_name(target.name)), self.scope.use("_typing.Final"), code)

    def _st(self, name: str) -> str:
        return self.scope.use(f"_st.{name}")

    def _enum(self, enum: EnumModel) -> Code:
        name = self.scope.reference(enum.id)
        known = call(self._st("sampled_from"), call("list", name))
        if not enum.open:
            return known
        raw: Code = call(self._st("text"))
        if enum.base == "int":
            raw = call(self._st("integers"), literal(INT64_MIN), literal(INT64_MAX))
        return call(self._st("one_of"), known, call(self._st("builds"), name, raw))

    def _record(self, target: TypeName, fields: Sequence[FieldModel]) -> Code:
        given = (
            keyword(identifier(field.name), self.generators.field(field.type, field.constraints, target))
            for field in fields
        )
        return call(self._st("builds"), self.scope.reference(target), *given)

    def _union(self, union: UnionModel) -> Code:
        ends: list[Code] = []
        again: list[Code] = []
        for variant in union.variants:
            joins = self.scope.catalog.joins(union.id, variant)
            (again if joins else ends).append(self.generators.declared(variant))
        if not ends or not again:
            return call(self._st("one_of"), *ends, *again)
        return call(self.generators.need("_seldom"), call(self._st("one_of"), *ends), call(self._st("one_of"), *again))
