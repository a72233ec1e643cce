"""Draw whole schemas: every construct of the language, several namespaces and files, names and texts that are nasty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st

from tests.codegen.fuzz.defaults import SCALAR_DEFAULTS, WIDTHS, whole
from tests.codegen.fuzz.texts import FIELD_NAMES, MEMBER_NAMES, NAMESPACES, TEXTS, TYPE_NAMES, WIRE_NAMES
from tests.codegen.fuzz.toml_text import Table, dump

__all__ = ["Files", "schema_tables", "schema_texts"]

T = TypeVar("T")
#: Schema files by name, as tables.
Files = dict[str, Table]

_SCALARS = list(SCALAR_DEFAULTS)
_SET_ITEMS = ["bool", "float", "str", "bytes", "UUID", "Decimal", "datetime", "date", "time", "timedelta", "u8", "i64"]
_MAP_KEYS = ["str", "u8", "i64", "UUID"]
_KEY_FIELDS = ["bool", "str", "bytes", "UUID", *WIDTHS]
_PATTERNS = ["^[A-Z]", r"\d+", '"""', r"\\", "a|b", "^x{2,3}$", "[é-ü]", r"\{\}", "^(?:[a-z]+-)*[a-z]+$"]
_RULES = {
    "int": ["sum", "product", "min", "max"],
    "Decimal": ["sum", "min", "max"],
    "timedelta": ["sum", "min", "max"],
    "float": ["min", "max"],
    "str": ["concat", "min", "max"],
    "bytes": ["concat", "max"],
    "datetime": ["min", "max"],
    "naive_datetime": ["max"],
    "date": ["min"],
    "time": ["max"],
    "bool": ["any", "all"],
    "list": ["concat"],
    "set": ["union", "intersection"],
    "dict": ["merge"],
}
_ALGEBRAS: list[str | list[str]] = [
    *("non_associative", "commutative", "Commutative", "idempotent", "Idempotent-Commutative"),
    *(["idempotent", "commutative"], ["idempotent", "acquire"], ["NonAssociative"]),
]


@dataclass
class _Namespace:
    """What a namespace has so far; `structs` are those that need nothing which comes later."""

    name: str
    enums: dict[str, list[str]] = field(default_factory=dict)
    structs: dict[str, dict[str, Table]] = field(default_factory=dict)
    later: list[str] = field(default_factory=list)
    unions: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


class _Schema:
    """Draw one schema."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.namespaces: dict[str, _Namespace] = {}

    def one_of(self, values: Iterable[T]) -> T:
        return self.draw(st.sampled_from(list(values)))

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(0, one_in - 1)) == one_in - 1

    def some(self, values: st.SearchStrategy[T], most: int, least: int = 0, by: Any = str.casefold) -> list[T]:
        return self.draw(st.lists(values, min_size=least, max_size=most, unique_by=by))

    def described(self) -> Table:
        return {"doc": self.draw(TEXTS)} if self.chance(2) else {}

    # types

    def reference(self, kind: str, here: str) -> str | None:
        found = [
            name if space.name == here else f"{space.name}.{name}"
            for space in self.namespaces.values()
            for name in getattr(space, kind)
        ]
        return self.one_of(found) if found else None

    def type(self, here: str, depth: int = 0, *, anywhere: bool = False) -> str:  # noqa: C901, PLR0911 - one case per kind
        """Draw a type; `anywhere` tells that the value may be left out, so that recursion can end there."""
        kinds = ["scalar", "scalar", "enum", "struct"]
        if depth < 3:
            kinds += ["list", "set", "dict", "tuple", *(["optional"] if depth else [])]
        if anywhere:
            kinds += ["later", "union"]
        match self.one_of(kinds):
            case "list":
                return f"list[{self.type(here, depth + 1, anywhere=True)}]"
            case "set":
                return f"set[{self.plain(_SET_ITEMS, here)}]"
            case "dict":
                value = self.type(here, depth + 1, anywhere=True)
                return f"dict[{self.plain(_MAP_KEYS, here)}, {value}]"
            case "tuple":
                count = self.draw(st.integers(1, 3))
                return f"tuple[{', '.join(self.type(here, depth + 1, anywhere=anywhere) for _ in range(count))}]"
            case "optional":
                inner = self.type(here, 3, anywhere=True)
                return inner if inner.endswith("None") else f"{inner} | None"
            case "enum":
                return self.reference("enums", here) or "str"
            case "struct":
                return self.reference("structs", here) or "int"
            case "later":
                return self.reference("later", here) or "bytes"
            case "union":
                return self.reference("unions", here) or "float"
            case _:
                return self.one_of(_SCALARS)

    def plain(self, scalars: Sequence[str], here: str) -> str:
        return (self.reference("enums", here) if self.chance(3) else None) or self.one_of(scalars)

    # fields

    def fields(self, here: str, most: int = 5, *, event: bool = False, taken: Iterable[str] = ()) -> dict[str, Table]:
        names = [name for name in self.some(FIELD_NAMES, most) if name.casefold() not in set(taken)]
        wires = {name.casefold() for name in names} | {"type"} | set(taken)
        return {name: self.field(here, event=event, wires=wires) for name in names}

    def field(self, here: str, *, event: bool, wires: set[str]) -> Table:
        nullable = self.chance(4)
        of = self.type(here, anywhere=nullable or event)
        made: Table = {"type": f"{of} | None" if nullable else of}
        made |= self.constraints(of) if self.chance(3) else {}
        self.give_default(made, of, here)
        if nullable and "default" not in made and self.chance(3):
            made["required"] = True
        if self.chance(4):
            wire = self.draw(WIRE_NAMES)
            if wire and wire.casefold() not in wires:
                wires.add(wire.casefold())
                made["wire"] = wire
        if event and self.chance(6):
            made["compare"] = False
        return made | self.described()

    def constraints(self, of: str) -> Table:
        if of in WIDTHS:
            return self.bounds(of)
        if of in {"float", "Decimal"}:
            low = self.draw(st.integers(-1000, 1000))
            step = self.one_of([0.5, 0.1, 5, 3])
            return self.one_of(
                [
                    {"gt": low},
                    {"ge": low, "lt": low + 5},
                    {"le": low + 0.1},
                    {"multiple_of": step},
                    {"lt": 0, "gt": -0.5},
                ]
            )
        if of == "str" and self.chance(2):
            return {"pattern": self.one_of(_PATTERNS)}
        if of in {"str", "bytes"} or of.startswith(("list[", "dict[")):
            least = self.draw(st.integers(0, 2)) if of in {"str", "bytes"} else 0
            return self.one_of(
                [{"min_length": least}, {"max_length": 9}, {"min_length": least, "max_length": least + 4}]
            )
        return {"max_length": 4} if of.startswith("set[") else {}

    def bounds(self, of: str) -> Table:
        least, most = WIDTHS[of]
        low, high = sorted([self.draw(whole(of)), self.draw(whole(of))])
        found: Table = {}
        if self.chance(2):
            found |= {"gt": low - 1} if self.chance(2) and low > least else {"ge": low}
        if self.chance(2):
            found |= {"lt": high + 1} if self.chance(2) and high < most else {"le": high}
        if self.chance(3):
            step = self.one_of([1, 2, 7, 100])
            if -(-low // step) * step <= high:
                found["multiple_of"] = step
        return found

    def give_default(self, made: Table, of: str, here: str) -> None:
        if self.chance(2):
            return
        limited = made.keys() & {"gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern"}
        if limited and of in WIDTHS and "multiple_of" not in limited:
            low = made.get("ge", made["gt"] + 1 if "gt" in made else None)
            high = made.get("le", made["lt"] - 1 if "lt" in made else None)
            made["default"] = self.draw(whole(of, low, high))
        elif not limited:
            value = self.value(of, here)
            if value is not None:
                made["default"] = value

    def value(self, of: str, here: str) -> Any:
        """Draw a default of a type, or None when there is no simple one."""
        enum = self._enum(of, here)
        if of in SCALAR_DEFAULTS:
            return self.draw(SCALAR_DEFAULTS[of])
        if enum is not None:
            return self.one_of(enum)
        if of.startswith("list["):
            return self.items(of[5:-1], here, unique=False)
        if of.startswith("set["):
            return self.items(of[4:-1], here, unique=True)
        if of.startswith("dict["):
            return {}
        return None

    def items(self, of: str, here: str, *, unique: bool) -> list[Any]:
        found: list[Any] = []
        for _ in range(self.draw(st.integers(0, 3))):
            value = self.value(of, here)
            if value is not None and not (unique and found):
                found.append(value)
        return found

    def _enum(self, of: str, here: str) -> list[str] | None:
        space, _, name = of.rpartition(".")
        found = self.namespaces.get(space or here)
        return None if found is None else found.enums.get(name)

    # declarations

    def enum(self, space: _Namespace, name: str) -> Table:
        members = self.some(MEMBER_NAMES, 4, 1, by=lambda name: name)
        space.enums[name] = members
        opened = {"open": True} if self.chance(3) else {}
        if self.chance(3):
            return {"values": members, **opened, **self.described()}
        of: st.SearchStrategy[Any] = self.one_of([st.integers(-(2**63), 2**63 - 1), TEXTS])
        values = self.draw(st.lists(of, min_size=len(members), max_size=len(members), unique=True))
        given = {
            member: {"value": value, "doc": self.draw(TEXTS)} if self.chance(4) else value
            for member, value in zip(members, values, strict=True)
        }
        return {"values": given, **opened, **self.described()}

    def struct(self, space: _Namespace, name: str, *, later: bool) -> Table:
        if later:
            space.later.append(name)
        fields = self.fields(space.name, 4)
        if not later:
            space.structs[name] = fields
        return {"fields": fields, **self.described()} if fields or self.chance(2) else self.described()

    def union(self, space: _Namespace, name: str) -> Table | None:
        found = [
            (one, one if other is space else f"{other.name}.{one}")
            for other in self.namespaces.values()
            for one in [*other.structs, *other.later]
        ]
        variants = self.some(st.sampled_from(found), 4, 1, by=lambda pair: pair[0]) if found else []
        if not any(one in other.structs for other in self.namespaces.values() for one, _ in variants):
            return None
        space.unions.append(name)
        return {"variants": [full for _, full in variants], **self.described()}

    def key(self, space: _Namespace, topic: str) -> Table:
        fields: dict[str, Any] = {}
        for name in self.some(FIELD_NAMES, 3, 1):
            of = self.plain(_KEY_FIELDS, space.name)
            fields[name] = of if self.chance(2) else {"type": of, **self.described()}
        more = {"hash": self.one_of(["xxh3", "rust"]), "partitions": self.draw(st.integers(1, 1000))}
        return {"topic": topic, "fields": fields, **(more if self.chance(2) else {}), **self.described()}

    def event(self, space: _Namespace, key: str, key_table: Table, tag: int) -> Table:
        taken = {name.casefold() for name in key_table["fields"]}
        fields = self.fields(space.name, 5, event=True, taken=taken)
        made: Table = {"tag": tag, "key": key, "fields": fields}
        if self.chance(3):
            made |= {
                "algebra": "associative",
                "combine": {name: self.rule(one["type"]) for name, one in fields.items()},
            }
        elif self.chance(2):
            made["algebra"] = self.one_of(_ALGEBRAS)
        if self.chance(3) and "acquire" not in made.get("algebra", ()):
            made["ordering"] = self.one_of(["relaxed", "acquire", "release", "acq_rel", "AcqRel"])
        if self.chance(4):
            made |= {"max_batch": self.draw(st.integers(1, 2**32 - 1)), "deprecated": self.draw(TEXTS)}
        return made | self.described()

    def rule(self, of: str) -> str:
        kind = "int" if of in WIDTHS else of.partition("[")[0]
        fitting = [] if of.endswith("| None") else _RULES.get(kind, [])
        return self.one_of([*fitting, *fitting, "first", "last", "keep", "custom"])

    # the whole

    def tables(self) -> dict[str, Table]:
        """Draw all namespaces, each as one table."""
        made: dict[str, Table] = {}
        for number, name in enumerate(self.some(st.sampled_from(NAMESPACES), 3, 1)):
            space = self.namespaces[name] = _Namespace(name)
            made[name] = self.namespace(space, number)
        return made

    def namespace(self, space: _Namespace, number: int) -> Table:
        names = iter(self.some(TYPE_NAMES, 14, 6))
        made: Table = {"wakuwaku": 1, "namespace": space.name, **self.described()}
        for _ in range(self.draw(st.integers(0, 2))):
            name = next(names)
            made.setdefault("enum", {})[name] = self.enum(space, name)
        for later in (False, False, True):
            if self.chance(2):
                name = next(names)
                made.setdefault("struct", {})[name] = self.struct(space, name, later=later)
        if self.chance(2) and (united := next(names, None)) and (union := self.union(space, united)):
            made["union"] = {united: union}
        if not self.chance(5) and (key := next(names, None)):
            topic = self.one_of(["topic{}", "to.pic-{}", "To_pic{}", "t{}"]).format(number)
            key_table = self.key(space, topic)
            made.setdefault("key", {})[key] = key_table
            tags = self.some(st.integers(0, 2**32 - 1), 4, by=lambda tag: tag)
            for tag, name in zip(tags, names, strict=False):
                made.setdefault("event", {})[name] = self.event(space, key, key_table, tag)
            free = next(tag for tag in range(10) if tag not in tags)
            if self.chance(3):
                made["reserved"] = {key: {"tags": [free], "names": ["GoneForGood", "gone_for_good"]}}
        return made


@st.composite
def schema_tables(draw: st.DrawFn) -> Files:
    """Draw the files of a schema that has no errors."""
    files: Files = {}
    for name, table in _Schema(draw).tables().items():
        stem = name.replace(".", "_")
        files[f"{stem}.toml"] = table
        kinds = [kind for kind in ("enum", "struct", "union", "event") if len(table.get(kind, {})) > 0]
        if kinds and draw(st.sampled_from([True, False])):
            kind = str(draw(st.sampled_from(kinds)))
            files[f"{draw(st.sampled_from(['a', 'z']))}/{stem}_more.toml"] = {
                "wakuwaku": 1,
                "namespace": name,
                kind: table.pop(kind),
            }
    return files


def schema_texts(files: Files, *, headers: int = 3, newline: str = "\n") -> dict[str, str]:
    """Return the text of each file."""
    return {name: dump(table, headers=headers, newline=newline) for name, table in files.items()}
