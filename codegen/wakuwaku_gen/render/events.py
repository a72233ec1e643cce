"""Emit events.py: enums, structs, unions, keys and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from wakuwaku_gen.model.schema import (
    EnumModel,
    EventModel,
    FieldModel,
    KeyModel,
    NamespaceModel,
    StructModel,
    UnionModel,
)
from wakuwaku_gen.model.types import BoolType, BytesType, EnumRef, FieldType, IntType, StrType, UuidType
from wakuwaku_gen.render.annotations import Annotations
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.checks import FieldChecks, field_checks
from wakuwaku_gen.render.combiners import Loader, loader
from wakuwaku_gen.render.combining import Combining, combiner_loader, combining
from wakuwaku_gen.render.defaults import default_argument
from wakuwaku_gen.render.emitter import RenderedFile, file_in, header
from wakuwaku_gen.render.layout import (
    BREAK_AT,
    Code,
    assignment,
    call,
    keyword,
    mapping,
    statement,
    tuple_of,
    width,
    with_pragma,
)
from wakuwaku_gen.render.prose import event_doc
from wakuwaku_gen.render.scope import Scope
from wakuwaku_gen.render.source import docstring, identifier, literal
from wakuwaku_gen.render.templates import fill

__all__ = ["emit_events"]

_MEMBER: Final = 4
_BODY: Final = 8


@dataclass(frozen=True, slots=True)
class _Class:
    """A class in final form; a sequence holds one value or none where a class may have one thing of its kind."""

    opening: str
    doc: str
    members: Sequence[str] = ()
    about: Sequence[str] = ()
    unknown: Sequence[str] = ()  # the built-in type whose unknown values an open enum keeps
    checks: Sequence[Sequence[FieldChecks]] = ()
    keys: Sequence[tuple[str, str]] = ()  # the key's type, and the call that makes it
    combines: Sequence[Combining] = ()
    loaders: Sequence[Loader] = ()  # of the event's combiner, when it has one
    compares: Sequence[str] = ()  # the statement that returns the compared fields, when they are not all


def emit_events(namespace: NamespaceModel, catalog: Catalog) -> Iterator[RenderedFile]:
    """Emit the module of all that a namespace declares, if it declares anything."""
    types = _Types(namespace, catalog)
    classes = [*map(types.enum, namespace.enums), *map(types.struct, namespace.structs)]
    unions = [types.union(union) for union in namespace.unions]
    records = [*map(types.key, namespace.keys), *map(types.event, namespace.events)]
    if not classes and not unions and not records:
        return
    text = fill(
        "events.py.jinja",
        header=header(namespace),
        doc=docstring(f"Enums, structs, keys and events of {namespace.name}.", 0),
        aliases=types.annotations.aliases(),
        classes=classes,
        unions=unions,
        records=records,
        contracts=any(event.custom for event in namespace.events),
        imports=types.scope.imports(),
    )
    yield file_in(namespace, "events.py", text)


@dataclass(slots=True)
class _Types:
    namespace: NamespaceModel
    catalog: Catalog
    scope: Scope = field(init=False)
    annotations: Annotations = field(init=False)

    def __post_init__(self) -> None:
        self.scope = Scope(self.namespace, self.catalog, "events")
        self.annotations = Annotations(self.scope)

    def enum(self, enum: EnumModel) -> _Class:
        base = self.scope.use("_enum.StrEnum" if enum.base == "str" else "_enum.IntEnum")
        members: list[str] = []
        for member in enum.members:
            members.append(statement(f"{identifier(member.name)} = ", literal(member.value), indent=_MEMBER))
            members += _doc_lines(member.doc)
        if enum.open:
            self.scope.use("_builtins.object")
            self.scope.use("_typing.Self")
        self.scope.defined.add(enum.id)
        return _Class(
            opening=_opening(enum.id.name, base),
            doc=_doc(enum.doc, f"Values of {enum.id.name}."),
            members=members,
            unknown=[enum.base] if enum.open else [],
        )

    def struct(self, struct: StructModel) -> _Class:
        tag = [keyword("tag", literal(struct.id.name))] if struct.tagged else []
        built = _Class(
            opening=_opening(struct.id.name, self.scope.use("_msgspec.Struct"), *_FROZEN, *tag),
            doc=_doc(struct.doc, f"Struct {struct.id}."),
            members=self._members(struct.fields),
            checks=_checks(struct.fields, self.scope),
            compares=self._compares(struct.fields),
        )
        self.scope.defined.add(struct.id)
        return built

    def union(self, union: UnionModel) -> str:
        variants = [self.scope.reference(variant) for variant in union.variants]
        alias = f"{identifier(union.id.name)}: {self.scope.use('_typing.TypeAlias')} = "
        line = alias + " | ".join(variants)
        if width(line) > BREAK_AT:
            # Formatters break `A | B` at their own line length; a bracket with a trailing comma stays as it is.
            opening = f"{alias}{self.scope.use('_typing.Union')}[  # noqa: UP007"
            line = "\n".join([opening, *(f"    {name}," for name in variants), "]"])
        self.scope.defined.add(union.id)
        return "\n".join([line, *_doc_lines(union.doc, 0)])

    def key(self, key: KeyModel) -> _Class:
        about = call(
            self.scope.use("_wakuwaku.KeyType"),
            keyword("name", literal(str(key.id))),
            keyword("topic", literal(key.topic)),
            keyword(
                "layout", mapping(tuple((literal(item.name), literal(self._layout(item.type))) for item in key.fields))
            ),
            keyword("key_hash", self.scope.use(f"_wakuwaku.KeyHash.{key.hash.upper()}")),
            keyword("partitions", literal(key.partitions)),
        )
        return _Class(
            opening=_opening(key.id.name, self.scope.use("_wakuwaku.Key"), *_FROZEN),
            doc=_doc(key.doc, f"Key of topic {key.topic}."),
            members=self._members(key.fields),
            about=[self._about(about)],
        )

    def event(self, event: EventModel) -> _Class:
        key = self.catalog.keys[event.key]
        key_name = self.scope.reference(event.key)
        about = call(
            self.scope.use("_wakuwaku.EventType"),
            keyword("name", literal(str(event.id))),
            keyword("tag", literal(event.tag)),
            keyword("key", key_name),
            keyword("algebra", f"_wakuwaku.Algebra.{event.algebra.upper()}"),
            keyword("ordering", f"_wakuwaku.Ordering.{event.ordering.upper()}"),
            *([keyword("combiner", combiner_loader(event))] if event.custom else []),
        )
        self.scope.use("_builtins.property")
        from_key = (keyword(identifier(item.name), f"self.{item.name}") for item in key.fields)
        folds = event.algebra == "associative"
        if folds:
            self.scope.use("_typing.Self")
        if event.custom:
            self.scope.use("_functools.cache")
            self.scope.use("_typing.TYPE_CHECKING")
        return _Class(
            opening=_opening(event.id.name, self.scope.use("_wakuwaku.Event"), *_FROZEN),
            doc=_doc(event_doc(event, key.topic), ""),
            members=self._members(event.fields),
            about=[self._about(about)],
            checks=_checks(event.fields, self.scope),
            keys=[(key_name, statement("return ", call(key_name, *from_key), indent=_BODY))],
            combines=[combining(event, self.scope)] if folds else [],
            loaders=[loader(event)] if event.custom else [],
            compares=self._compares(event.fields),
        )

    def _about(self, value: Code) -> str:
        return assignment("__wakuwaku__", self.scope.use("_typing.ClassVar"), value, indent=_MEMBER)

    def _members(self, fields: Sequence[FieldModel]) -> list[str]:
        lines: list[str] = []
        for item in fields:
            annotation = self.annotations.annotation(item.type, item.constraints)
            lines.append(assignment(identifier(item.name), annotation, self._value(item), indent=_MEMBER))
            lines += _doc_lines(item.doc)
        return lines

    def _value(self, item: FieldModel) -> Code | None:
        arguments: list[Code] = [keyword("name", literal(item.wire))] if item.wire != item.name else []
        if item.has_default:
            name, default = default_argument(item.type, item.default, self.scope)
            if not arguments and name == "default":
                return default
            arguments.append(keyword(name, default))
        return call(self.scope.use("_msgspec.field"), *arguments) if arguments else None

    def _layout(self, of: FieldType) -> str:
        match of:
            case IntType(bits=bits, signed=signed):
                return f"{'i' if signed else 'u'}{bits}"
            case EnumRef(target=target):
                return "str" if self.catalog.enums[target].base == "str" else "i64"
            case BoolType():
                return "bool"
            case StrType():
                return "str"
            case BytesType():
                return "bytes"
            case UuidType():
                return "UUID"
            case _:
                raise TypeError(f"not a type of a key's field: {of}")

    def _compares(self, fields: Sequence[FieldModel]) -> list[str]:
        if all(item.compare for item in fields):
            return []
        self.scope.use("_builtins.object")
        names = tuple(f"self.{identifier(item.name)}" for item in fields if item.compare)
        return [statement("return ", tuple_of(names), indent=_BODY)]


_FROZEN: Final = ("frozen=True", "kw_only=True")


def _opening(name: str, *bases: Code) -> str:
    return statement("class ", call(identifier(name), *bases), ":")


def _doc(text: str, fallback: str) -> str:
    return with_pragma(docstring(text if text.strip() else fallback))


def _doc_lines(text: str, indent: int = _MEMBER) -> list[str]:
    return [with_pragma(docstring(text, indent))] if text.strip() else []


def _checks(fields: Sequence[FieldModel], scope: Scope) -> list[Sequence[FieldChecks]]:
    checks = field_checks(fields, scope)
    return [checks] if checks else []
