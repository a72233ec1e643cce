"""Types as they are written: Python annotations in strings."""

from __future__ import annotations

import ast
import re
from typing import Final

from wakuwaku_gen.diagnostics import Diagnostics, closest, did_you_mean
from wakuwaku_gen.load.nodes import Scalar, within
from wakuwaku_gen.model.declared import Declared, Kind
from wakuwaku_gen.model.types import (
    BoolType,
    BytesType,
    DateTimeType,
    DateType,
    DecimalType,
    EnumRef,
    FieldType,
    FloatType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    StrType,
    StructRef,
    TimeDeltaType,
    TimeType,
    TupleType,
    TypeName,
    UnionRef,
    UuidType,
)

__all__ = ["SCALARS", "Annotations"]

SCALARS: Final[dict[str, FieldType]] = {
    "bool": BoolType(),
    "int": IntType(64, signed=True),
    **{f"i{bits}": IntType(bits, signed=True) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": IntType(bits, signed=False) for bits in (8, 16, 32, 64)},
    "float": FloatType(),
    "str": StrType(),
    "bytes": BytesType(),
    "UUID": UuidType(),
    "Decimal": DecimalType(),
    "datetime": DateTimeType(aware=True),
    "naive_datetime": DateTimeType(aware=False),
    "date": DateType(),
    "time": TimeType(),
    "timedelta": TimeDeltaType(),
}
_CONTAINERS: Final = {"list": "list[T]", "set": "set[T]", "dict": "dict[K, V]", "tuple": "tuple[A, B]"}
_ELSEWHERE: Final = {  # what people write who come from other languages
    "string": "str",
    "text": "str",
    "boolean": "bool",
    "integer": "int",
    "long": "i64",
    "double": "float",
    "number": "float",
    "timestamp": "datetime",
    "duration": "timedelta",
    "array": "list",
    "map": "dict",
    **{f"{kind}{bits}": f"{kind[0]}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **dict.fromkeys(("float32", "float64", "f32", "f64"), "float"),
}
_UNEXPECTED: Final = re.compile(r"[^A-Za-z0-9_.,|\[\] ]")
_LONGEST: Final = 500  # keeps Python's parser, which nests, far from its limits


class _UnfitError(Exception):
    """Say what is wrong with a type, at the characters `start` to `end` of its text."""

    def __init__(self, rule: str, where: tuple[int, int], message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.rule, self.where, self.message, self.help = rule, where, message, help_


class Annotations:
    """Turn annotations into types; what is wrong with one is reported at the part of it that is wrong."""

    def __init__(self, declared: Declared, diagnostics: Diagnostics) -> None:
        self._declared = declared
        self._diagnostics = diagnostics
        self._known: dict[tuple[str, str], FieldType] = {}
        self._names: dict[str, list[str]] = {}
        for name in declared.types:
            self._names.setdefault(name.namespace, []).append(name.name)

    def read(self, node: Scalar, namespace: str) -> FieldType | None:
        """Return the type a string names, or None after reporting what is wrong with it."""
        text = str(node.value)
        known = self._known.get((namespace, text))
        if known is None:
            try:
                known = self._parse(text, namespace)
            except _UnfitError as error:
                self._diagnostics.error(error.rule, within(node, *error.where), error.message, error.help)
                return None
            self._known[namespace, text] = known
        return known

    def named(self, node: Scalar, namespace: str) -> TypeName | None:
        """Return the declared type a string names, of any kind, or None after reporting that there is none."""
        text = str(node.value)
        try:
            return self.find(text.split("."), (0, len(text)), namespace)
        except _UnfitError as error:
            self._diagnostics.error(error.rule, within(node, *error.where), error.message, error.help)
            return None

    def _parse(self, text: str, namespace: str) -> FieldType:
        unexpected = _UNEXPECTED.search(text)
        if unexpected is not None:
            help_ = "write `T | None` for a value that may be missing" if unexpected[0] == "?" else None
            raise _UnfitError("WK113", unexpected.span(), f"unexpected {unexpected[0]!r} in a type", help_)
        if len(text) > _LONGEST:
            message = f"a type of more than {_LONGEST} characters"
            raise _UnfitError("WK113", (0, len(text)), message, "declare a struct for a part of it")
        indent = len(text) - len(text.lstrip(" "))
        try:
            tree = ast.parse(text[indent:], mode="eval")
        except SyntaxError as error:
            at = indent + max(0, (error.offset or 1) - 1)
            raise _UnfitError("WK113", (min(at, len(text)), at + 1), f"not a type: {error.msg}") from None
        return _Reading(self, namespace, indent).type(tree.body)

    def kind(self, name: TypeName) -> Kind:
        """Return of what kind a declared type is."""
        return self._declared.types[name].kind

    def find(self, path: list[str], where: tuple[int, int], namespace: str) -> TypeName:
        """Return the declared type a dotted path names in a namespace; raises when there is none."""
        *parts, name = path
        owner = ".".join(parts) or namespace
        if owner not in self._declared.namespaces:
            start, _ = where
            help_ = did_you_mean(owner, self._declared.namespaces)
            raise _UnfitError("WK102", (start, start + len(owner)), f"unknown namespace {owner!r}", help_)
        found = TypeName(owner, name)
        if found not in self._declared.types:
            raise _UnfitError("WK102", where, f"unknown type {'.'.join(path)!r}", self._suggest(name, owner, parts))
        return found

    def _suggest(self, name: str, owner: str, parts: list[str]) -> str | None:
        names = self._names.get(owner, [])
        if parts:
            return did_you_mean(name, names)
        for other in self._declared.namespaces:
            if other != owner and TypeName(other, name) in self._declared.types:
                return f"did you mean '{other}.{name}'?"
        meant = _ELSEWHERE.get(name.lower()) or closest(name, [*names, *SCALARS, *_CONTAINERS])
        return None if meant is None else f"did you mean {meant!r}?"


class _Reading:
    """Read one annotation of one namespace."""

    def __init__(self, annotations: Annotations, namespace: str, indent: int) -> None:
        self._annotations = annotations
        self._namespace = namespace
        self._indent = indent

    def where(self, tree: ast.expr) -> tuple[int, int]:
        end = tree.end_col_offset
        return tree.col_offset + self._indent, (tree.col_offset + 1 if end is None else end) + self._indent

    def type(self, tree: ast.expr) -> FieldType:
        match tree:
            case ast.Name(id=name) if name in SCALARS:
                return SCALARS[name]
            case ast.Name(id=name) if name in _CONTAINERS:
                message = f"{name!r} does not say what it holds"
                raise _UnfitError("WK114", self.where(tree), message, f"write {_CONTAINERS[name]}")
            case ast.Name() | ast.Attribute() if path := _path(tree):
                return self._declared(tree, path)
            case ast.Subscript():
                return self._container(tree)
            case ast.BinOp(op=ast.BitOr()):
                return self._optional(tree)
            case ast.Constant(value=None):
                message = "None alone is no type"
                raise _UnfitError("WK113", self.where(tree), message, "write `T | None`")
            case _:
                raise _UnfitError("WK113", self.where(tree), "not a type")

    def _declared(self, tree: ast.expr, path: list[str]) -> FieldType:
        name = self._annotations.find(path, self.where(tree), self._namespace)
        match self._annotations.kind(name):
            case "enum":
                return EnumRef(name)
            case "struct":
                return StructRef(name)
            case "union":
                return UnionRef(name)
            case kind:
                message = f"{name.name!r} is {'an event' if kind == 'event' else 'a key'}, not the type of a field"
                raise _UnfitError("WK115", self.where(tree), message, "declare a struct for what both hold")

    def _optional(self, tree: ast.expr) -> FieldType:
        parts = _alternatives(tree)
        types = [part for part in parts if not _is_none(part)]
        if len(types) == 1 and len(parts) == 2:
            return OptionalType(self.type(types[0]))
        if len(types) == len(parts) or len(types) > 1:
            message = "only `T | None` joins types here"
            raise _UnfitError("WK115", self.where(tree), message, "declare a union of structs: [union.Name]")
        raise _UnfitError("WK113", self.where(tree), "None is named twice", "write `T | None`")

    def _container(self, tree: ast.Subscript) -> FieldType:
        name = tree.value.id if isinstance(tree.value, ast.Name) else ""
        if name not in _CONTAINERS:
            meant = closest(name, _CONTAINERS)
            help_ = "write `T | None`" if name == "Optional" else f"did you mean {meant!r}?" if meant else None
            message = f"{name!r} holds no other types" if name else "not a type"
            raise _UnfitError("WK114", self.where(tree.value), message, help_)
        inside = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
        expected = {"list": 1, "set": 1, "dict": 2}.get(name, len(inside))
        if len(inside) != expected:
            message = f"{name!r} takes {expected} type{'s' if expected > 1 else ''}, not {len(inside)}"
            raise _UnfitError("WK114", self.where(tree), message, f"write {_CONTAINERS[name]}")
        types = [self.type(item) for item in inside]
        if name == "list":
            return ListType(types[0])
        if name == "tuple":
            return TupleType(tuple(types))
        if name == "set":
            return SetType(self._hashable(types[0], inside[0]))
        return MapType(self._map_key(types[0], inside[0]), types[1])

    def _hashable(self, item: FieldType, tree: ast.expr) -> FieldType:
        if isinstance(item, ListType | SetType | MapType | TupleType | OptionalType | StructRef | UnionRef):
            message = "a set holds scalars and enums only"
            raise _UnfitError("WK115", self.where(tree), message, "use a list")
        return item

    def _map_key(self, key: FieldType, tree: ast.expr) -> FieldType:
        if not isinstance(key, StrType | IntType | EnumRef | UuidType):
            message = "the key of a dict is a str, an integer, an enum or a UUID"
            raise _UnfitError("WK115", self.where(tree), message, "use a list of structs")
        return key


def _path(tree: ast.expr) -> list[str]:
    """Return the parts of a dotted name; none when it is something else."""
    parts: list[str] = []
    while isinstance(tree, ast.Attribute):
        parts.append(tree.attr)
        tree = tree.value
    return [tree.id, *reversed(parts)] if isinstance(tree, ast.Name) else []


def _alternatives(tree: ast.expr) -> list[ast.expr]:
    found: list[ast.expr] = []
    while isinstance(tree, ast.BinOp):
        found.append(tree.right)
        tree = tree.left
    return [tree, *reversed(found)]


def _is_none(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and tree.value is None
