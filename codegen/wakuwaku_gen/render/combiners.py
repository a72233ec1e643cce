"""What stands for combine rules that are `custom`: an abstract class in contracts.py, a stub among the handlers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wakuwaku_gen.model.schema import EventModel, FieldModel, NamespaceModel
from wakuwaku_gen.model.types import TypeName
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.combining import combiner_loader, hook_name
from wakuwaku_gen.render.layout import BREAK_AT, LONGEST, call, prefixed, signature, statement, width, with_pragma
from wakuwaku_gen.render.plain import Names, plain_type
from wakuwaku_gen.render.scope import Scope, relative_import, sorted_imports
from wakuwaku_gen.render.source import docstring, identifier
from wakuwaku_gen.render.templates import fill

__all__ = ["CombinerContract", "Hook", "Loader", "combiner_contract", "combiner_stub", "loader"]

_MEMBER: Final = 4
#: How a stub calls what generated modules have aliases for: modules by their own names, which no type can have.
_READABLE: Final = {
    "_builtins": "",
    "_abc": "collections.abc",
    "_date": "dt.date",
    "_datetime": "dt.datetime",
    "_time": "dt.time",
    "_timedelta": "dt.timedelta",
    "_decimal": "decimal",
    "_uuid": "uuid",
}
_IMPORTS: Final = {"dt": "import datetime as dt"}


@dataclass(frozen=True, slots=True)
class Hook:
    """Hold a method that combines one field: its signature and its doc."""

    signature: str
    doc: str


@dataclass(frozen=True, slots=True)
class CombinerContract:
    """Hold the abstract class of an event's hand-written rules."""

    opening: str
    doc: str
    hooks: Sequence[Hook]


@dataclass(frozen=True, slots=True)
class Loader:
    """Hold the function of events.py that imports and makes the combiner.

    `kept` tells that formatters must leave it alone, as they would break its first line.
    """

    opening: str
    doc: str
    module: str
    made: str
    kept: bool


def loader(event: EventModel) -> Loader:
    """Return how events.py gets at the combiner of an event."""
    opening = f'def {combiner_loader(event)}() -> "_contracts.{identifier(event.names.combiner_contract)}":'
    module = f"from .handlers import {identifier(event.names.combiner_module)} as _rules"
    kept = max(width(opening), width(f"    {module}")) > BREAK_AT
    return Loader(
        opening=f"{opening}  # noqa: E501" if width(opening) > LONGEST else opening,
        doc=docstring("Return the rules that are written by hand; they import this module, so they come late."),
        module=f"{module}  # noqa: {'E501, ' if width(f'    {module}') > LONGEST else ''}PLC0415",
        made=f"_rules.{identifier(event.names.combiner)}()",
        kept=kept,
    )


def combiner_contract(event: EventModel, scope: Scope) -> CombinerContract:
    """Return the abstract class that an event's combiner derives from."""
    name = event.id.name
    doc = (
        f"Combine two neighbours of type {name}: each method returns a field of the event that stands for both.\n\n"
        "`later` follows `earlier` in the log, and both have the same key. The rules must be associative: the result "
        "is the\nsame whichever two of three neighbours are combined first."
    )
    scope.use("_abstract.abstractmethod")
    return CombinerContract(
        opening=statement("class ", call(identifier(event.names.combiner_contract), scope.use("_abstract.ABC")), ":"),
        doc=with_pragma(docstring(doc)),
        hooks=[_hook(one, scope, scope.reference(event.id)) for one in event.custom],
    )


def _hook(one: FieldModel, names: Names, name: str) -> Hook:
    head = call(f"def {hook_name(one.name)}", "self", prefixed("earlier: ", name), prefixed("later: ", name))
    return Hook(
        signature(head, plain_type(one.type, names), indent=_MEMBER), docstring(f"Return the `{one.name}` of both.", 8)
    )


class _StubNames:
    """The names of a combiner stub, which reads as a person would write it."""

    def __init__(self, namespace: NamespaceModel, catalog: Catalog) -> None:
        self._namespace = namespace
        self._catalog = catalog
        self._modules: set[str] = set()
        self._foreign: set[str] = set()

    def use(self, dotted: str) -> str:
        alias, _, name = dotted.partition(".")
        full = ".".join(filter(None, (_READABLE[alias], name)))
        if "." in full:
            self._modules.add(full.rpartition(".")[0])
        return full

    def reference(self, target: TypeName) -> str:
        name = identifier(target.name)
        if target.namespace == self._namespace.name:
            return f"events.{name}"
        self._foreign.add(target.namespace)
        return f"{_foreign_alias(target.namespace)}.{name}"

    def imports(self, contract: str) -> list[list[str]]:
        """Return the import lines in groups, sorted as import sorters do."""
        standard = sorted(_IMPORTS.get(module, f"import {module}") for module in self._modules)
        foreign = [
            relative_import(self._namespace, self._catalog.namespaces[name], "events", _foreign_alias(name), up=1)
            for name in self._foreign
        ]
        own = ["from .. import events", f"from ..contracts import {contract}"]
        return [group for group in (standard, ["from wakuwaku import stub"], [*sorted_imports(foreign), *own]) if group]


def _foreign_alias(namespace: str) -> str:
    return f"{namespace.replace('.', '__')}_events"


def combiner_stub(namespace: NamespaceModel, catalog: Catalog, event: EventModel) -> str:
    """Return the text of the stub that a user fills an event's hand-written rules in."""
    names = _StubNames(namespace, catalog)
    contract = identifier(event.names.combiner_contract)
    hooks = [_hook(one, names, names.reference(event.id)) for one in event.custom]
    doc = f"Combine what no rule of the language does, of two {event.id.name} events."
    return fill(
        "combiner_stub.py.jinja",
        doc=with_pragma(docstring(f"Combine rules of {event.id.name}.", 0)),
        imports=names.imports(contract),
        opening=statement("class ", call(identifier(event.names.combiner), contract), ":"),
        class_doc=with_pragma(docstring(doc)),
        hooks=hooks,
    )
