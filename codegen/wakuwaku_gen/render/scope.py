"""The names one generated module uses, and the imports they need.

A module knows other modules only by private aliases: a field may be called `int`, `date` or `msgspec`, a type `List`
or `Any`, and nothing changes its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wakuwaku_gen.model.schema import NamespaceModel
from wakuwaku_gen.model.types import TypeName
from wakuwaku_gen.render.catalog import Catalog
from wakuwaku_gen.render.source import identifier

__all__ = ["Scope", "relative_import", "sorted_imports"]

_STANDARD: Final = {
    "_UTC": "from datetime import UTC as _UTC",
    "_abc": "import collections.abc as _abc",
    "_abstract": "import abc as _abstract",
    "_builtins": "import builtins as _builtins",
    "_contextlib": "import contextlib as _contextlib",
    "_dataclasses": "import dataclasses as _dataclasses",
    "_date": "from datetime import date as _date",
    "_datetime": "from datetime import datetime as _datetime",
    "_decimal": "import decimal as _decimal",
    "_enum": "import enum as _enum",
    "_functools": "import functools as _functools",
    "_math": "import math as _math",
    "_operator": "import operator as _operator",
    "_re": "import re as _re",
    "_time": "from datetime import time as _time",
    "_timedelta": "from datetime import timedelta as _timedelta",
    "_types": "import types as _types",
    "_typing": "import typing as _typing",
    "_uuid": "import uuid as _uuid",
}
_THIRD_PARTY: Final = {
    "_hypothesis": "import hypothesis as _hypothesis",
    "_st": "import hypothesis.strategies as _st",
    "_msgspec": "import msgspec as _msgspec",
}
_WAKUWAKU: Final = "import wakuwaku as _wakuwaku"


class Scope:
    """Collect what a module of a namespace refers to, and tell the import lines for it."""

    def __init__(self, namespace: NamespaceModel, catalog: Catalog, module: str) -> None:
        self.namespace = namespace
        self.catalog = catalog
        self._module = module
        self._used: set[str] = set()
        self._siblings: set[str] = set()
        self._foreign: set[tuple[str, str]] = set()
        self.defined: set[TypeName] = set()

    def use(self, dotted: str) -> str:
        """Note that the alias before the first dot is used, and return the text."""
        self._used.add(dotted.split(".", 1)[0])
        return dotted

    def reference(self, target: TypeName, module: str = "events", name: str | None = None) -> str:
        """Return how this module calls `name` (the type itself, unless given) of the target's `module`."""
        name = identifier(target.name if name is None else name)
        if target.namespace != self.namespace.name:
            self._foreign.add((target.namespace, module))
            return f"{_foreign_alias(target.namespace, module)}.{name}"
        if module == self._module:
            return name
        self._siblings.add(module)
        return f"_{module}.{name}"

    def is_late(self, target: TypeName) -> bool:
        """Tell whether a type does not exist yet when the line that is being written runs."""
        if target.namespace == self.namespace.name:
            return target not in self.defined
        return self.catalog.reaches(target.namespace, self.namespace.name)

    def imports(self) -> list[list[str]]:
        """Return the import lines in groups, sorted as import sorters do."""
        used = sorted((_STANDARD[alias] for alias in self._used & _STANDARD.keys()), key=_plain_first)
        third_party = [line for alias, line in _THIRD_PARTY.items() if alias in self._used]
        ours = [_WAKUWAKU] if "_wakuwaku" in self._used else []
        if third_party and ours:
            # Whether the two stand together depends on the project that sorts them; the mark serves both.
            ours.insert(0, "# isort: split")
        foreign = sorted_imports(
            relative_import(self.namespace, self.catalog.namespaces[name], module, _foreign_alias(name, module))
            for name, module in self._foreign
        )
        siblings = [f"from . import {module} as _{module}" for module in sorted(self._siblings)]
        return [group for group in (used, third_party, ours, foreign + siblings) if group]


def relative_import(here: NamespaceModel, there: NamespaceModel, module: str, alias: str, *, up: int = 0) -> str:
    """Return the line that imports another namespace's module, wherever the output's packages are mounted.

    `up` is how many folders the importing module lies below its package.
    """
    dots = "." * (len(here.package) + 1 + up)
    return f"from {dots}{'.'.join(map(identifier, there.package))} import {module} as {identifier(alias)}"


def sorted_imports(lines: Iterable[str]) -> list[str]:
    """Sort relative imports as import sorters do."""
    return sorted(lines, key=_farthest_first)


def _foreign_alias(namespace: str, module: str) -> str:
    return f"_{namespace.replace('.', '__')}_{module}"


def _plain_first(line: str) -> tuple[bool, str]:
    return (line.startswith("from"), line)


def _farthest_first(line: str) -> tuple[int, str]:
    path = line.split()[1]
    name = path.lstrip(".")
    return (len(name) - len(path), name)
