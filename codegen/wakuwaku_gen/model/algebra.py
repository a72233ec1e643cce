"""Laws, fences and combine rules: what a schema may write, and what it means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, cast

from wakuwaku_gen.diagnostics import Diagnostics, Note, did_you_mean
from wakuwaku_gen.load.nodes import Array, Node, Scalar, Table
from wakuwaku_gen.model.schema import AlgebraName, CombineRule, OrderingName
from wakuwaku_gen.model.types import (
    BoolType,
    BytesType,
    DateTimeType,
    DateType,
    DecimalType,
    FieldType,
    FloatType,
    IntType,
    ListType,
    MapType,
    SetType,
    StrType,
    TimeDeltaType,
    TimeType,
)

__all__ = ["COMMUTING", "fits", "read_laws", "rules_for"]

_ALGEBRAS: Final = ("non_associative", "associative", "idempotent", "commutative", "idempotent_commutative")
_ORDERINGS: Final = ("relaxed", "acquire", "release", "acq_rel")
_BY_SPELLING: Final = {name.replace("_", ""): name for name in (*_ALGEBRAS, *_ORDERINGS)}
_SEPARATORS: Final = re.compile(r"[_\- ]")

_ORDERED: Final = (
    *(IntType, FloatType, DecimalType, StrType, BytesType),
    *(DateTimeType, DateType, TimeType, TimeDeltaType),
)
_FITTING: Final[dict[CombineRule, tuple[type, ...]]] = {
    "sum": (IntType, FloatType, DecimalType, TimeDeltaType),
    "product": (IntType, FloatType, DecimalType),
    "min": _ORDERED,
    "max": _ORDERED,
    "concat": (ListType, StrType, BytesType),
    "union": (SetType,),
    "intersection": (SetType,),
    "merge": (MapType,),
    "any": (BoolType,),
    "all": (BoolType,),
}
_ANYTHING: Final[tuple[CombineRule, ...]] = ("first", "last", "keep", "custom")

#: Rules whose result does not depend on the order of the two sides.
COMMUTING: Final[frozenset[CombineRule]] = frozenset(
    {"sum", "product", "min", "max", "union", "intersection", "any", "all", "keep"}
)


def fits(rule: CombineRule, type_: FieldType) -> bool:
    """Tell whether a combine rule works on fields of a type."""
    return rule in _ANYTHING or isinstance(type_, _FITTING[rule])


def rules_for(type_: FieldType) -> list[CombineRule]:
    """Return the combine rules that work on fields of a type."""
    return [*(rule for rule in _FITTING if fits(rule, type_)), *_ANYTHING]


def read_laws(table: Table, diagnostics: Diagnostics) -> tuple[AlgebraName | None, OrderingName]:
    """Return the algebra and the ordering of an event, from any spelling of them.

    A fence among the laws means that ordering. Laws and fences that contradict each other are reported; the algebra is
    None when one of its laws is not known.
    """
    laws, fences, complete = _sorted_words(table.entries.get("algebra"), diagnostics)
    algebra = _algebra(laws, diagnostics)
    ordering = _ordering(table, fences, diagnostics)
    return algebra if complete else None, ordering


def _sorted_words(node: Node | None, diagnostics: Diagnostics) -> tuple[dict[str, Scalar], dict[str, Scalar], bool]:
    """Sort what is written under `algebra` into laws and fences, and tell whether all of it is known."""
    complete = True
    laws: dict[str, Scalar] = {}
    fences: dict[str, Scalar] = {}
    for item in node.items if isinstance(node, Array) else [node]:
        name = _BY_SPELLING.get(_spelling(item)) if isinstance(item, Scalar) else None
        complete = complete and (item is None or name is not None)
        if isinstance(item, Scalar):
            if name is None:
                help_ = did_you_mean(str(item.value), _BY_SPELLING.values()) or f"it is one of {', '.join(_ALGEBRAS)}"
                diagnostics.error("WK401", item.span, f"unknown algebra {item.value!r}", help_)
            else:
                (laws if name in _ALGEBRAS else fences)[name] = item
    return laws, fences, complete


def _spelling(node: Scalar) -> str:
    return _SEPARATORS.sub("", str(node.value)).lower()


def _algebra(laws: dict[str, Scalar], diagnostics: Diagnostics) -> AlgebraName:
    if len(laws) > 1 and laws.keys() <= {"idempotent", "commutative", "idempotent_commutative"}:
        return "idempotent_commutative"
    if len(laws) > 1:
        first, second = list(laws)[:2]
        message = f"the laws {first!r} and {second!r} do not go together"
        help_ = "only 'idempotent' and 'commutative' are joined; otherwise name one law"
        diagnostics.error("WK402", laws[second].span, message, help_, notes=[Note(laws[first].span, "the first law")])
    return cast("AlgebraName", next(iter(laws), "non_associative"))


def _ordering(table: Table, fences: dict[str, Scalar], diagnostics: Diagnostics) -> OrderingName:
    given = table.entries.get("ordering")
    if isinstance(given, Scalar):
        name = _BY_SPELLING.get(_spelling(given))
        if name in _ORDERINGS:
            fences = {name: given, **{other: node for other, node in fences.items() if other != name}}
        else:
            help_ = _ordering_help(given, name)
            diagnostics.error("WK404", given.span, f"unknown ordering {given.value!r}", help_)
    if len(fences) > 1:
        (first, at_first), (second, at_second), *_ = fences.items()
        message = f"the fences {first!r} and {second!r} contradict each other"
        help_ = "keep one; 'acq_rel' is both acquire and release"
        diagnostics.error("WK403", at_second.span, message, help_, notes=[Note(at_first.span, "the other fence")])
    return cast("OrderingName", next(iter(fences), "relaxed"))


def _ordering_help(given: Scalar, algebra: str | None) -> str:
    if algebra is not None:
        return f'{algebra!r} is an algebra: write `algebra = "{algebra}"`'
    orderings: Iterable[str] = _ORDERINGS
    return did_you_mean(str(given.value), orderings) or f"it is one of {', '.join(_ORDERINGS)}"
