"""The bound model: every reference resolved, every Python name chosen; the value that checks, emitters and tools read.

Python names are chosen while the model is built (`model/names.py`) and nowhere else; whoever renders reads the
attributes called `codec`, `module` … and derives nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from wakuwaku_gen.diagnostics import Span
from wakuwaku_gen.model.types import FieldType, TypeName

__all__ = [
    "TAG_FIELD",
    "AlgebraName",
    "AllowModel",
    "CombineRule",
    "Constraints",
    "EnumMember",
    "EnumModel",
    "EventModel",
    "EventNames",
    "FieldModel",
    "HashName",
    "KeyModel",
    "NamespaceModel",
    "OrderingName",
    "ReservedModel",
    "SchemaModel",
    "StructModel",
    "TopicModel",
    "UnionModel",
    "Value",
]

AlgebraName: TypeAlias = Literal[
    "non_associative", "associative", "idempotent", "commutative", "idempotent_commutative"
]
OrderingName: TypeAlias = Literal["relaxed", "acquire", "release", "acq_rel"]
#: Where the wire keeps the name of a tagged struct; no field of such a struct may be called so there.
TAG_FIELD: Final = "type"

HashName: TypeAlias = Literal["xxh3", "rust"]
CombineRule: TypeAlias = Literal[
    "sum",
    "product",
    "min",
    "max",
    "first",
    "last",
    "concat",
    "union",
    "intersection",
    "merge",
    "any",
    "all",
    "keep",
    "custom",
]

#: A default as a plain value, already checked against its type: scalars as Python objects of the field's type (a
#: datetime, a Decimal …; an enum member as its wire value), containers as tuples and mappings of such values.
Value: TypeAlias = object


@dataclass(frozen=True, slots=True)
class Constraints:
    """Restrict a field's values; None means no restriction. Checked when decoding."""

    gt: int | float | None = None
    ge: int | float | None = None
    lt: int | float | None = None
    le: int | float | None = None
    multiple_of: int | float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class FieldModel:
    """A field of a key, struct or event. `name` is also its Python name; `wire` is the key in the MessagePack map.

    `has_default` tells whether constructing and decoding may leave it out; then `default` is its value.
    """

    name: str
    wire: str
    type: FieldType
    constraints: Constraints
    has_default: bool
    default: Value
    compare: bool
    doc: str
    span: Span


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enum: its Python name and its value on the wire."""

    name: str
    value: str | int
    doc: str
    span: Span


@dataclass(frozen=True, slots=True)
class EnumModel:
    """An enum; all values are str or all are int. An open one keeps values it does not know."""

    id: TypeName
    members: tuple[EnumMember, ...]
    base: Literal["str", "int"]
    open: bool
    doc: str
    span: Span
    draft: bool = False


@dataclass(frozen=True, slots=True)
class StructModel:
    """A struct: fields that events and other structs hold. `tagged` when a union may hold it."""

    id: TypeName
    fields: tuple[FieldModel, ...]
    tagged: bool
    doc: str
    span: Span
    draft: bool = False


@dataclass(frozen=True, slots=True)
class UnionModel:
    """A union of structs, told apart by a tag on the wire."""

    id: TypeName
    variants: tuple[TypeName, ...]
    doc: str
    span: Span
    draft: bool = False


@dataclass(frozen=True, slots=True)
class KeyModel:
    """A key type: it owns a topic, and equal keys keep their order."""

    id: TypeName
    topic: str
    hash: HashName
    partitions: int
    fields: tuple[FieldModel, ...]
    doc: str
    span: Span
    places: Mapping[str, Span] = field(default_factory=dict[str, Span])  # of the values of its keys, such as "topic"


@dataclass(frozen=True, slots=True)
class EventNames:
    """The Python names made for one event."""

    codec: str  # ORDER_PLACED, in codecs.py
    contract: str  # OrderPlacedContract, in contracts.py
    handler: str  # OrderPlacedHandler, the stub's class
    module: str  # order_placed, the stub's module
    field: str  # order_placed, the bundle's field
    combiner: str  # OrderPlacedCombiner, the stub's class for rules that are `custom`
    combiner_contract: str  # OrderPlacedCombinerContract, in contracts.py
    combiner_module: str  # order_placed_combiner, that stub's module


@dataclass(frozen=True, slots=True)
class EventModel:
    """An event type; a `draft` may still change in any way.

    `fields` are the key's fields, then its own; `combine` has a rule per own field when associative.
    """

    id: TypeName
    tag: int
    key: TypeName
    algebra: AlgebraName
    ordering: OrderingName
    max_batch: int
    fields: tuple[FieldModel, ...]
    combine: Mapping[str, CombineRule]
    doc: str
    deprecated: str | None
    names: EventNames
    span: Span
    places: Mapping[str, Span] = field(default_factory=dict[str, Span])  # as above, also "combine" and "combine.total"
    draft: bool = False

    @property
    def custom(self) -> tuple[FieldModel, ...]:
        """Return the fields whose combine rule is written by hand."""
        return tuple(one for one in self.fields if self.combine.get(one.name) == "custom")


@dataclass(frozen=True, slots=True)
class TopicModel:
    """A topic with its key and its events by tag, and the Python names made for it."""

    name: str
    key: TypeName
    events: tuple[EventModel, ...]
    codecs: str  # ORDERS_CODECS, in codecs.py
    bundle: str  # OrdersHandlers, in contracts.py


@dataclass(frozen=True, slots=True)
class ReservedModel:
    """Tags and names of a key's topic that may not come back."""

    key: TypeName
    tags: tuple[int, ...]
    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class NamespaceModel:
    """One namespace: the package it becomes and all that it declares, each kind in order of declaration.

    `package` is the parts of its package below the output folder. `sources` are the schema files, as generated headers
    show them: relative to the folder that holds the output, or to the schema folder when they lie elsewhere.
    `structs` come in an order in which each follows those it needs, as far as recursion allows.
    """

    name: str
    package: tuple[str, ...]
    sources: tuple[str, ...]
    doc: str
    keys: tuple[KeyModel, ...]
    enums: tuple[EnumModel, ...]
    structs: tuple[StructModel, ...]
    unions: tuple[UnionModel, ...]
    events: tuple[EventModel, ...]
    topics: tuple[TopicModel, ...]
    reserved: tuple[ReservedModel, ...]
    digest: str  # of the resolved namespace and all it refers to; comments and places do not change it


@dataclass(frozen=True, slots=True)
class AllowModel:
    """Permit what a rule warns of at a declaration, or at one field of it, for a reason."""

    owner: TypeName
    field: str | None
    rule: str
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class SchemaModel:
    """The whole schema, namespaces sorted by name."""

    namespaces: tuple[NamespaceModel, ...]
    allows: tuple[AllowModel, ...] = ()
