"""Make small schemas and edits of them by number: what people change, in all the places where it can be changed."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable
from typing import Any, TypeVar

from tests.codegen.fuzz.toml_text import Table, dump

__all__ = ["Sketch", "edited", "schema_text", "sketches"]

T = TypeVar("T")
#: The tables of one schema file with the namespace `box`.
Sketch = Table

_INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
_SCALARS = [
    *("bool", "float", "float", "str", "str", "bytes", "UUID", "Decimal", "Decimal", "datetime", "naive_datetime"),
    *("date", "time", "timedelta", *_INTEGERS, "Color", "Color", "Level", "Level"),
]
#: Types one of which often becomes another.
_KIN = [
    ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "float", "Decimal", "Level"],
    ["str", "Color", "UUID", "Decimal", "date", "time", "timedelta", "naive_datetime", "datetime", "bytes"],
    ["UUID", "bytes", "str"],
    ["Leaf", "Twig", "Plant", "dict[str, str]", "dict[str, i64]"],
    ["list[{}]", "set[{}]", "tuple[{}]", "tuple[{}, {}]"],
]
_DEFAULTS: dict[str, Any] = {
    "bool": False,
    "float": 1.5,
    "str": "aa",
    "bytes": "YQ==",
    "UUID": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "Decimal": "1.5",
    "date": __import__("datetime").date(2024, 1, 31),
    "timedelta": "PT5S",
    **dict.fromkeys(_INTEGERS, 5),
}
_WORDS = ["RED", "GREEN", "BLUE", "x1", "x12"]
_WIRES = ["a", "b", "c", "d", "type", "label"]
_NAMES = ["alpha", "beta", "gamma", "delta", "label"]
_PATTERNS = ["^a", "a", "[0-9]+", "^[a-z]{1,3}$"]


class _Pen:
    """Draw parts of a schema."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def one_of(self, values: Iterable[T]) -> T:
        return self.source.choice(list(values))

    def some(self, values: Iterable[T], most: int) -> list[T]:
        return self.source.sample(list(values), self.source.randint(1, most))

    def chance(self, one_in: int) -> bool:
        return self.source.randrange(one_in) == 0

    def type(self, depth: int = 0, *, deep: bool = True) -> str:
        kinds = ["scalar", "scalar", "scalar"]
        if depth < 2:
            kinds += ["list", "set", "dict", "tuple", "struct"]
        match self.one_of(kinds):
            case "list":
                return f"list[{self.type(depth + 1)}]"
            case "set":
                return f"set[{self.one_of([*_SCALARS, 'bool', 'Color', 'Level'])}]"
            case "dict":
                return f"dict[{self.one_of(['str', 'u8', 'UUID', 'Color', 'Level', 'i64'])}, {self.type(depth + 1)}]"
            case "tuple":
                inside = [self.type(depth + 1) for _ in range(self.one_of([1, 2, 2, 3]))]
                return f"tuple[{', '.join(inside)}]"
            case "struct":
                return self.one_of(["Leaf", "Twig", "Plant", "Leaf | None"] if deep else ["Leaf"])
            case _:
                return self.one_of(_SCALARS)

    def constraints(self, of: str) -> Table:
        if of in _INTEGERS:
            low = self.one_of([0, 1, 5, 10])
            high = self.one_of([10, 20, 100, 127])
            step = self.one_of([2, 3, 4, 6])
            return self.one_of(
                [
                    {"ge": low},
                    {"gt": low},
                    {"le": high},
                    {"lt": high + 1},
                    {"ge": low, "le": high},
                    {"multiple_of": step},
                    {"ge": low, "le": 40, "multiple_of": step},
                ]
            )
        if of in {"float", "Decimal"}:
            least = self.one_of([-1, 0, 0.5, 2])
            return self.one_of(
                [
                    *({"ge": least}, {"gt": least}, {"le": least}, {"lt": least}, {"ge": least, "lt": least + 3}),
                    *({"multiple_of": self.one_of([0.5, 0.25, 3, 2])}, {"ge": 0, "le": 6, "multiple_of": 0.5}),
                ]
            )
        if of == "str" and self.chance(3):
            return {"pattern": self.one_of(_PATTERNS)}
        if of in {"str", "bytes"} or of.startswith(("list", "set", "dict")):
            low, high = self.one_of([0, 1, 2, 3, 16]), self.one_of([1, 2, 3, 16, 36])
            many = of.startswith(("set[bool", "set[Color", "set[Level", "dict[Color", "dict[Level", "dict[bool"))
            low = min(low, 1) if many else low
            return self.one_of(
                [{"min_length": low}, {"max_length": high}, {"min_length": low, "max_length": low + high}]
            )
        return {}

    def field(self, *, defaulted: bool = False, deep: bool = True) -> Table:
        of = self.type(deep=deep)
        made: Table = {"type": of}
        if self.chance(2):
            made |= self.constraints(of)
        if of.endswith("None"):
            pass
        elif self.chance(4):
            made["type"] = f"{of} | None"
            if self.chance(2) and not defaulted:
                made["required"] = True
        elif defaulted or self.chance(4):
            self.give_default(made)
            if defaulted and "default" not in made:
                made["type"] = f"{of} | None"
        return made

    def give_default(self, field: Table) -> None:
        of = field["type"]
        if of in _DEFAULTS and not (field.keys() - {"type", "doc"}):
            field["default"] = _DEFAULTS[of]
        elif of.startswith(("list", "set", "dict")) and not field.get("min_length"):
            field["default"] = {} if of.startswith("dict") else []

    def fields(self, most: int, *, deep: bool = True) -> Table:
        names = self.some(_NAMES, most)
        return {name: self.field(deep=deep) for name in names}

    def enum(self, kind: str) -> Table:
        if kind == "int":
            values = self.some(range(-2, 13), 4)
            made: Table = {"values": {f"L{value}".replace("-", "m"): value for value in values}}
        else:
            texts = self.some([*_WORDS, "2024-01-31", "1.5"], 4)
            made = {"values": {f"C{index}": text for index, text in enumerate(texts)}}
        return made | ({"open": True} if self.chance(3) else {})

    def sketch_of(self, most: int) -> Sketch:
        return {
            "key": {"BoxKey": {"topic": "boxes", "fields": {"id": "u64"}}},
            "enum": {"Color": self.enum("str"), "Level": self.enum("int")},
            "struct": {
                "Leaf": {"fields": self.fields(2, deep=False)},
                "Twig": {"fields": {**self.fields(2), "next": "Twig | None"}},
            },
            "union": {"Plant": {"variants": self.one_of([["Leaf", "Twig"], ["Leaf"], ["Twig"]])}},
            "event": {"Moved": {"tag": 1, "key": "BoxKey", "fields": self.fields(most)}},
        }

    def whole(self) -> Sketch:
        """Return a schema whose event has several fields, one of them a plant."""
        sketch = self.sketch_of(4)
        sketch["event"]["Moved"]["fields"]["plant"] = self.one_of(["Plant", "list[Plant]", "Plant | None", "Leaf"])
        return sketch

    def small(self) -> Sketch:
        """Return a schema whose event has one field: edits meet it, and each takes little time."""
        sketch = self.sketch_of(1)
        sketch["struct"]["Leaf"]["fields"] = {"alpha": self.one_of(["str", "u8", "str | None"])}
        sketch["struct"]["Twig"]["fields"] = {"beta": {"type": self.one_of(_SCALARS)}, "next": "Twig | None"}
        return sketch

    # edits

    def edit(self, sketch: Sketch) -> None:
        owners = [sketch["event"]["Moved"]["fields"]] * 3 + [one["fields"] for one in sketch["struct"].values()]
        fields = self.one_of(owners)
        names = [name for name in fields if name != "next"]
        kinds = ["add", "add_default", "enum", "enum", "union", "union", "rename", "wire"]
        if names:
            kinds += [
                "remove",
                "retype",
                "retype",
                "kin",
                "kin",
                "kin",
                "nullable",
                "constrain",
                "constrain",
                "default",
            ]
        kind = self.one_of(kinds)
        if kind in {"add", "add_default"}:
            name = self.one_of([one for one in [*_NAMES, "extra"] if one not in fields] or ["other"])
            fields[name] = self.field(defaulted=kind == "add_default", deep=False)
        elif kind == "enum":
            self.edit_enum(sketch["enum"][self.one_of(["Color", "Level"])])
        elif kind == "union":
            sketch["union"]["Plant"]["variants"] = self.one_of([["Leaf", "Twig"], ["Leaf"], ["Twig"]])
        elif names:
            name = self.one_of(names)
            self.edit_field(kind, name, fields)

    def edit_field(self, kind: str, name: str, fields: Table) -> None:  # noqa: C901 - one case per kind
        field = fields[name] = {"type": fields[name]} if isinstance(fields[name], str) else fields[name]
        match kind:
            case "remove":
                del fields[name]
            case "rename":
                fields["renamed"] = fields.pop(name) | ({"wire": name} if self.chance(2) else {})
            case "wire":
                field["wire"] = self.one_of([one for one in _WIRES if one not in fields])
            case "retype":
                fields[name] = self.field(deep=False)
            case "kin":
                self.retype_as_kin(field)
            case "nullable":
                was = str(field["type"])
                field["type"] = was.removesuffix(" | None") if was.endswith("None") else f"{was} | None"
                if not field["type"].endswith("None"):
                    field.pop("required", None)
                    if field.get("default", 0) is None:
                        del field["default"]
            case "constrain":
                of = str(field["type"]).removesuffix(" | None")
                kept = {key: value for key, value in field.items() if key in {"type", "required", "wire"}}
                fields[name] = kept | (self.constraints(of) if self.chance(2) else {})
            case _:
                if "default" in field:
                    del field["default"]
                else:
                    self.give_default(field)

    def retype_as_kin(self, field: Table) -> None:
        was = str(field["type"])
        bare = was.removesuffix(" | None")
        for key in ("default", *(["ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern"])):
            if key == "default" or self.chance(2):
                field.pop(key, None)
        if bare.startswith(("list", "set", "tuple")):
            inside = bare[bare.index("[") + 1 : -1]
            made = self.one_of([*_KIN[4], "list[{}]"]).format(inside.split(", ")[0], self.one_of(["str", "i64"]))
            if made.startswith("set") and not any(made == f"set[{one}]" for one in _SCALARS):
                made = made.replace("set", "list", 1)
            if self.chance(2):
                made = made.replace(inside, self.one_of(_SCALARS), 1)
        else:
            kin = [group for group in _KIN[:4] if bare in group] or [_SCALARS]
            made = self.one_of(self.one_of(kin))
        field["type"] = made + (" | None" if was.endswith("None") else "")
        if self.chance(3) and not was.endswith("None"):
            field |= {key: value for key, value in self.constraints(made).items() if key not in field}

    def edit_enum(self, enum: Table) -> None:
        values = enum["values"]
        match self.one_of(["add", "remove", "value", "open", "name"]):
            case "add":
                values["NEW"] = 99 if isinstance(next(iter(values.values())), int) else "NEW"
            case "remove" if len(values) > 1:
                del values[self.one_of(values)]
            case "value":
                name = self.one_of(values)
                values[name] = 77 if isinstance(values[name], int) else "OTHER"
            case "name":
                name = self.one_of(values)
                values["NAMED"] = values.pop(name)
            case _:
                if not enum.pop("open", False):
                    enum["open"] = True


def sketches(number: int, *, small: bool = False) -> Sketch:
    """Return a schema with one event that reaches enums, structs and a union; a small one has one field."""
    pen = _Pen(random.Random(number))
    return pen.small() if small else pen.whole()


def edited(sketch: Sketch, number: int, most: int = 2) -> Sketch:
    """Return what some edits make of a schema."""
    made = copy.deepcopy(sketch)
    pen = _Pen(random.Random(number))
    for _ in range(pen.one_of(range(1, most + 1))):
        pen.edit(made)
    return made


def schema_text(sketch: Sketch) -> str:
    """Return a schema as the text of a file, without its head."""
    return dump(sketch)
