"""What a reader refuses, and where: a place in a writer's value, the reason, and what to put there to see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from wakuwaku_gen.compat.catalogue import Record
from wakuwaku_gen.compat.spaces import Plain, Refusal
from wakuwaku_gen.model.types import TypeName

__all__ = ["Break", "Doubt", "Kind", "Link", "Place", "Plant", "Planted", "Present", "Sized", "Step"]

#: Why a reader refuses a value: beside the reasons of scalars, a null, a key that is missing, the tag of a union, a
#: number of items, or a shape (a list where a map is expected …).
Kind: TypeAlias = Refusal | Literal["null", "missing", "tag", "size", "shape"]


@dataclass(frozen=True, slots=True)
class Step:
    """Go one step into a value: to a field, an item, a key or a value of a map, the value of one key, or a variant."""

    kind: Literal["field", "item", "key", "value", "entry", "variant"]
    name: str = ""
    index: int = 0
    variant: TypeName | None = None


Place: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Planted:
    """Put this value at the place; None is a null."""

    value: Plain | None


@dataclass(frozen=True, slots=True)
class Sized:
    """Put a list, set or map with so many items at the place."""

    size: int


@dataclass(frozen=True, slots=True)
class Present:
    """Put the smallest value there that is no null."""


Plant: TypeAlias = Planted | Sized | Present


@dataclass(frozen=True, slots=True)
class Break:
    """Say what a reader refuses: at a place of the writer's value, why, and what to put there to see it.

    `about` is the reader's field that is missing, or a tag it does not know.
    """

    kind: Kind
    place: Place
    plant: Plant = Present()
    about: str = ""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Say where nothing was found that a reader refuses, and nothing shows that there is none: at a pattern."""

    place: Place


@dataclass(frozen=True, slots=True)
class Link:
    """Lead from a pair of records to one inside; `alone` tells that the reader expects this record only."""

    place: Place
    reader: Record
    writer: Record
