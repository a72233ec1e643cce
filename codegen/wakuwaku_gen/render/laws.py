"""Emit test_laws.py: of each associative event, that it is associative."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from wakuwaku_gen.model.schema import EventModel, NamespaceModel
from wakuwaku_gen.model.types import FloatType, OptionalType
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.emitter import RenderedFile, file_in, header
from wakuwaku_gen.render.layout import Code, call, mapping, prefixed, signature, statement
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import docstring, identifier, literal
from wakuwaku_gen.render.templates import fill

__all__ = ["emit_laws"]

_BODY: Final = 4
#: Rules whose result depends on the grouping when numbers are rounded.
_ROUNDING: Final = frozenset({"sum", "product", "custom"})


@dataclass(frozen=True, slots=True)
class _Law:
    given: str
    opening: str
    doc: str
    same: str
    check: str


def emit_laws(namespace: NamespaceModel, catalog: Catalog) -> Iterator[RenderedFile]:
    """Emit the tests that the combine rules of a namespace are associative; one without such events needs none."""
    events = [event for event in namespace.events if event.algebra == "associative"]
    if not events:
        return
    scope = Scope(namespace, catalog, "test_laws")
    for name in (
        "_abc.Mapping",
        "_decimal.localcontext",
        "_hypothesis.given",
        "_msgspec.structs",
        "_wakuwaku.Event",
        "_typing.TypeVar",
    ):
        scope.use(name)
    text = fill(
        "test_laws.py.jinja",
        header=header(namespace),
        doc=docstring(
            f"The combine rules of {namespace.name} are associative: how events are grouped does not count.", 0
        ),
        laws=[_law(event, scope) for event in events],
        imports=scope.imports(),
    )
    yield file_in(namespace, "test_laws.py", text)


def _law(event: EventModel, scope: Scope) -> _Law:
    kind = scope.reference(event.id)
    strategy = scope.reference(event.id, "strategies", event.names.codec)
    arguments = [prefixed(f"{name}: ", kind) for name in ("first", "second", "third")]
    name = identifier(f"test_{event.names.codec.lower()}_is_associative")
    kept = [one.name for one in event.fields if event.combine.get(one.name, "keep") == "keep"]
    same = mapping(tuple((literal(one), f"first.{identifier(one)}") for one in kept))
    events: list[Code] = ["first", "second", "third", "same"]
    return _Law(
        given=statement("@", call(scope.use("_hypothesis.given"), strategy, strategy, strategy)),
        opening=signature(call(f"def {name}", *arguments), "None"),
        doc=docstring("Whichever two of three neighbours are folded first, the same event comes of them.", _BODY),
        same=statement("same = ", same, indent=_BODY),
        check=statement("", call("_check", *events, *_rounded(event)), indent=_BODY),
    )


def _rounded(event: EventModel) -> Sequence[Code]:
    return [
        literal(field.name)
        for field in event.fields
        if event.combine.get(field.name) in _ROUNDING and _is_float(field.type)
    ]


def _is_float(of: object) -> bool:
    return isinstance(of.item if isinstance(of, OptionalType) else of, FloatType)
