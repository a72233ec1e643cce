"""Write the reference pages that are made of the program itself: rules, language, command lines, settings, classifiers.

`make reference` runs it; a test compares the pages with what it would write.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from wakuwaku import ConsumerConfig
from wakuwaku.classify import Classifier, describe, http, mysql, operating_system, postgres, redis, sqlite
from wakuwaku.environment import kind_of, variable
from wakuwaku_gen.check import RULES, Rule
from wakuwaku_gen.cli import app as generator
from wakuwaku_gen.compat import Axes, Axis, CompatRule, Verdict
from wakuwaku_gen.compat import rules as compat
from wakuwaku_gen.diagnostics import Severity
from wakuwaku_gen.load.language import (
    CONSTRAINTS,
    ROOT,
    Anything,
    Flag,
    Integer,
    Key,
    Named,
    Number,
    OneOf,
    Record,
    Sequence,
    Shape,
    Text,
)
from wakuwaku_gen.model.algebra import rules_for
from wakuwaku_gen.model.annotation import SCALARS
from wakuwaku_gen.model.types import FieldType, ListType, MapType, SetType, StrType

__all__ = ["FOLDER", "PAGES", "main", "text_of"]

FOLDER: Final = Path(__file__).with_name("reference")
SUBJECTS: Final = {
    "0": "Files, TOML and keys",
    "1": "Names and types",
    "2": "Keys, topics, events and tags",
    "3": "Defaults and constraints",
    "4": "Laws, fences and combine rules",
}
PYTHON: Final = {
    "bool": "`bool`",
    "int": "`int`; the same as `i64`",
    **{f"i{bits}": f"`int`, signed, {bits} bits" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"`int`, unsigned, {bits} bits" for bits in (8, 16, 32, 64)},
    "float": "`float`, 64 bits",
    "str": "`str`",
    "bytes": "`bytes`",
    "UUID": "`uuid.UUID`",
    "Decimal": "`decimal.Decimal`; exact, text on the wire",
    "datetime": "`datetime.datetime`, aware: an instant, in UTC",
    "naive_datetime": "`datetime.datetime`, naive: what a clock on a wall shows",
    "date": "`datetime.date`",
    "time": "`datetime.time`",
    "timedelta": "`datetime.timedelta`",
}


# Rules


def rules_page() -> Iterator[str]:
    """Yield the page of all rules."""
    yield from _head(
        "Rules",
        "For those who met an id such as WK102 in a message, or want to know what schemas are held to. "
        "`wakuwaku explain WK102` shows the same at the terminal.",
    )
    yield "An **error** stops the run. A **warning** is shown, and stops a run with `--fail-on warning`."
    yield "A **hint** is shown with `--hints`. Where a warning or hint is meant that way, say so at the declaration"
    yield 'or the field: `allow = { WK251 = "why" }`.'
    yield ""
    yield "The examples leave out what does not matter: the head of the file and the key `OrderKey`."
    for digit, subject in SUBJECTS.items():
        yield from ("", f"## {subject}")
        for rule in RULES:
            if rule.id[2] == digit:
                yield from _rule(rule)


def _rule(rule: Rule) -> Iterator[str]:
    severity = "" if rule.severity is Severity.ERROR else f" ({rule.severity.value})"
    yield from ("", f"### {rule.id} {rule.title}{severity} {{ #{rule.id.lower()} }}", "", rule.purpose)
    for kind, example in (("Bad:", rule.bad), ("Good:", rule.good)):
        yield from ("", kind, "", "```toml", _shortened(example), "```")


def _shortened(example: str) -> str:
    return "\n".join(line if len(line) <= 120 else f"{line[:60]} …" for line in example.rstrip().splitlines())


# Rules of compatibility

_VERDICTS: Final = {Verdict.OK: "ok", Verdict.WARNING: "warning", Verdict.ERROR: "**error**"}


def compat_rules_page() -> Iterator[str]:
    """Yield the page of all rules of compatibility."""
    yield from _head(
        "Rules of compatibility",
        "For those who met an id such as ENUM_VALUE_ADDED in a finding of `wakuwaku compat`. "
        "`wakuwaku explain ENUM_VALUE_ADDED` shows the same at the terminal.",
    )
    yield "Verdicts are those of the example: **backward**, the new version reads old records; **forward**, an old one"
    yield "reads new records; **relay**, the new version reads what an old one folded; **source**, code that uses the"
    yield "generated classes. A finding fails for the directions its level asks for; a rule that is *always on* fails"
    yield "whatever the level. Relay counts for associative events only."
    for subject, rules in compat.SUBJECTS.items():
        yield from ("", f"## {subject}")
        for rule in sorted(rules, key=lambda one: one.id):
            yield from _compat_rule(rule)


def _compat_rule(rule: CompatRule) -> Iterator[str]:
    axes = Axes.of(rule.axes)
    yield from ("", f"### {rule.id} {{ #{rule.id.lower()} }}", "", f"{_capital(rule.title)}. {rule.purpose}", "")
    always = (("", "always on"),) if rule.always else ()
    row = tuple(_VERDICTS[axes.on(axis)] for axis in Axis) + tuple(text for _, text in always)
    yield from _table(tuple(_capital(axis.value) for axis in Axis) + tuple(head for head, _ in always), [row])
    for kind, example in (*(("Before:", one) for one in rule.versions), ("After:", rule.after)):
        yield from ("", kind, "", "```toml", example.rstrip(), "```")


# The language


def language_page() -> Iterator[str]:
    """Yield the page of all tables, keys and types."""
    yield from _head(
        "Schema language",
        "For those who write schemas: every table, key and type of version 1, made from the table the loader reads.",
    )
    yield "A schema is every `*.toml` below a folder. A file has one namespace, and several files may share one."
    yield "A key that is not listed here is an error. `wakuwaku schema` prints the tables as a JSON Schema for editors."
    yield from ("", "## Tables")
    for record in _records(ROOT):
        yield from (
            "",
            f"### {_capital(record.name)}",
            "",
            *_table(("Key", "Kind", "Default", "Meaning"), _rows(record)),
        )
    yield from ("", "## Types", "", *_types())
    yield from ("", "## Combine rules", "", *_combine_rules())


def _records(record: Record) -> list[Record]:
    found = [record]
    for key in record.keys:
        for inner in _inside(key.shape):
            found += [one for one in _records(inner) if one not in found]
    return found


def _inside(shape: Shape) -> list[Record]:
    match shape:
        case Record():
            return [shape]
        case Named(_, item) | Sequence(item):
            return _inside(item)
        case OneOf(shapes):
            return [record for one in shapes for record in _inside(one)]
        case _:
            return []


def _rows(record: Record) -> Iterator[tuple[str, ...]]:
    for key in record.keys:
        if key in CONSTRAINTS and key is not CONSTRAINTS[0]:
            continue
        if key in CONSTRAINTS:
            names = ", ".join(f"`{one.name}`" for one in CONSTRAINTS)
            yield names, "", "", "Constraints on its values: [types](#types)."
        else:
            yield f"`{key.name}`", _kind(key.shape), _default(key), key.doc


def _default(key: Key) -> str:
    if key.required:
        return "**required**"
    return "" if key.default is None else f"`{str(key.default).lower()}`"


def _kind(shape: Shape) -> str:  # noqa: C901, PLR0911 - one answer per kind of shape
    match shape:
        case Text(choices):
            return f"one of {', '.join(f'`{choice}`' for choice in choices)}" if choices else "text"
        case Integer(low, high):
            if low is not None and low == high:
                return f"`{low}`"
            return "integer" if low is None else f"integer, {low} to {high}" if high else f"integer, at least {low}"
        case Number():
            return "number"
        case Flag():
            return "`true` or `false`"
        case Anything():
            return "of the field's type"
        case Sequence(item):
            return f"array of {_kind(item)}"
        case Named(what, item):
            return f"table: name of {what} = {_kind(item)}"
        case OneOf(shapes):
            return ", or ".join(map(_kind, shapes))
        case Record(name):
            return f"[{name}](#{name.replace(' ', '-')})"


def _types() -> Iterator[str]:
    if PYTHON.keys() != SCALARS.keys():
        raise AssertionError(f"say what these are: {PYTHON.keys() ^ SCALARS.keys()}")
    containers = {
        "list[T]": "`tuple[T, ...]`; frozen, like all that an event holds",
        "set[T]": "`frozenset[T]`; `T` is a scalar or an enum",
        "dict[K, V]": "`Mapping[K, V]`; `K` is a `str`, an integer, an enum or a `UUID`",
        "tuple[A, B]": "`tuple[A, B]`; any fixed number of types",
        "T | None": "`T | None`; the field may be left out, unless `required = true`",
        "Line, billing.Money": "a declared enum, struct or union, of this namespace or another",
    }
    yield "Types are written as Python annotations, in a text."
    yield ""
    yield from _table(("Type", "In Python"), ((f"`{name}`", what) for name, what in (PYTHON | containers).items()))
    yield ""
    yield "Constraints restrict the values of a field; they hold when an event is decoded, and before it is published."
    yield ""
    yield from _table(("Constraint", "Meaning"), ((f"`{key.name}`", key.doc) for key in CONSTRAINTS))


def _combine_rules() -> Iterator[str]:
    kinds: Mapping[str, FieldType] = {
        **SCALARS,
        "list[T]": ListType(StrType()),
        "set[T]": SetType(StrType()),
        "dict[K, V]": MapType(StrType(), StrType()),
    }
    yield "An associative event has one for each of its own fields: two neighbours become one, field by field."
    yield ""
    rows: dict[tuple[str, ...], list[str]] = {}
    for name, type_ in kinds.items():
        rows.setdefault(tuple(rules_for(type_)), []).append(f"`{name}`")
    anything = set.intersection(*map(set, rows))
    table = (
        (", ".join(names), _quoted(rule for rule in rules if rule not in anything)) for rules, names in rows.items()
    )
    yield from _table(("Type", "Combine rules"), (*table, ("any", _quoted(sorted(anything)))))


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# The command lines


def command_line_page() -> Iterator[str]:
    """Yield the page of all commands of the generator and its tools."""
    yield from _head(
        "Command lines",
        "For those who look up a flag: the generator `wakuwaku-gen`, and the commands it adds to `wakuwaku`. "
        "`--help` shows the same at the terminal.",
    )
    yield from _command("wakuwaku-gen", generator)
    for entry in sorted(entry_points(group="wakuwaku.commands"), key=lambda entry: entry.name):
        if entry.value.startswith("wakuwaku_gen."):
            yield from _command(f"wakuwaku {entry.name}", entry.load())


def _command(name: str, command: typer.Typer | Callable[..., object]) -> Iterator[str]:
    if not isinstance(command, typer.Typer):
        yield from _one(name, command)
        return
    for info in command.registered_commands:
        if info.callback is not None:
            yield from _one(name if info.name is None else f"{name} {info.name}", info.callback)


def _one(name: str, function: Callable[..., object]) -> Iterator[str]:
    parameters = list(_parameters(function))
    arguments = [one.shown for one in parameters if one.is_argument]
    yield from ("", f"## `{name}`", "", *inspect.cleandoc(function.__doc__ or "").splitlines(), "")
    yield from ("```", " ".join([name, *arguments, "[OPTIONS]"]), "```", "")
    rows = [
        (f"`{one.shown}`", one.help, one.default) for one in sorted(parameters, key=lambda one: not one.is_argument)
    ]
    yield from _table(("Argument or option", "Meaning", "Default"), [*rows, ("`--help`", "Show this and exit.", "")])


@dataclass(frozen=True)
class _Parameter:
    shown: str
    help: str
    default: str
    is_argument: bool


def _parameters(function: Callable[..., object]) -> Iterator[_Parameter]:
    """Yield what a command takes, from the signature that typer reads."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = get_args(hints[name])
        default = parameter.default
        if isinstance(info, ArgumentInfo):
            shown = f"{name.upper()}{'...' if get_origin(kind) is list else ''}"
            shown = shown if default is parameter.empty else f"[{shown}]"
        else:
            flags = [info.default, *(info.param_decls or ())]  # typer takes the first for a default
            shown = " ".join([", ".join(sorted(map(str, flags), key=len)), *_values(kind)])
        yield _Parameter(shown, info.help or "", _shown_default(info, default), isinstance(info, ArgumentInfo))


def _values(kind: Any) -> list[str]:
    (kind,) = [one for one in get_args(kind) or (kind,) if one is not type(None)]
    if issubclass(kind, enum.Enum):
        return [" | ".join(str(one.value) for one in kind)]
    return [] if kind is bool else ["TEXT" if kind is str else kind.__name__.upper()]


def _shown_default(info: ArgumentInfo | OptionInfo, default: object) -> str:
    if default is inspect.Parameter.empty:
        return "**required**"
    if isinstance(info.show_default, str):
        return info.show_default
    return f"`{default.value}`" if isinstance(default, enum.Enum) else ""


# Settings of a consumer


def configuration_page() -> Iterator[str]:
    """Yield the page of the settings of a consumer and their variables."""
    yield from _head(
        "Settings of a consumer",
        "For those who configure a consumer, in the program with `ConsumerConfig(…)` or by environment variables with "
        "`ConsumerConfig.from_env(prefix)`.",
    )
    documented = inspect.cleandoc(ConsumerConfig.__doc__ or "")
    yield from documented.partition("\n\n")[2].splitlines()
    yield from ("", "## Variables", "")
    yield from inspect.cleandoc(ConsumerConfig.from_env.__doc__ or "").splitlines()
    yield ""
    hints = get_type_hints(ConsumerConfig)
    rows = (
        (f"`{field.name}`", f"`{variable('ORDER', field.name)}`", kind_of(hints[field.name]), _setting_default(field))
        for field in dataclasses.fields(ConsumerConfig)
    )
    yield from _table(("Setting", "Variable with the prefix `ORDER`", "What it holds", "Default"), rows)


def _setting_default(field: dataclasses.Field[Any]) -> str:
    if field.default is dataclasses.MISSING:
        return "**required**"
    value = field.default
    if isinstance(value, enum.Enum):
        return f"`{value.name}`"
    shown = ",".join(f"{one:g}" for one in value) if isinstance(value, tuple) else value
    return f"`{str(shown).lower()}`"


# Classifiers


CLASSIFIERS: Final[Mapping[str, tuple[str, Callable[[], Classifier]]]] = {
    "PostgreSQL": ("postgres", postgres),
    "MySQL and MariaDB": ("mysql", mysql),
    "SQLite": ("sqlite", sqlite),
    "Redis and Valkey": ("redis", redis),
    "HTTP": ("http", http),
    "The operating system": ("operating_system", operating_system),
}


def classifiers_page() -> Iterator[str]:
    """Yield the page of which class an error of a library has."""
    yield from _head(
        "Classifiers",
        "For those who want to know what a consumer does when a database or a service fails. Made from the rules of "
        "`wakuwaku.classify`.",
    )
    yield "A classifier gives an error that a handler raised a class. Put one on a handler or on the consumer, join"
    yield "several with `|`; the first rule that knows an error decides, from top to bottom here. What no rule knows is"
    yield "Retryable."
    yield ""
    yield "```python"
    yield "from wakuwaku import ErrorClass"
    yield "from wakuwaku.classify import by_sqlstate, by_status, by_type, http, postgres"
    yield ""
    yield "classify = by_type({KeyError: ErrorClass.UNRECOVERABLE}) | by_status({404: ErrorClass.RETRYABLE}) | http()"
    yield 'strict = by_sqlstate({"23505": ErrorClass.RETRYABLE}) | postgres().otherwise(ErrorClass.UNRECOVERABLE)'
    yield ""
    yield "assert classify(ConnectionRefusedError()) is ErrorClass.TRANSIENT"
    yield "assert classify(ValueError()) is None"
    yield "```"
    yield ""
    yield "- **Transient**: nothing would succeed right now. The call is made again in place; nothing else of the"
    yield "  partition begins meanwhile. An HTTP answer with `Retry-After` is waited for as long as it asks, for five"
    yield "  minutes at most."
    yield "- **Retryable**: this key failed, others are fine. It is tried again on schedule."
    yield "- **Unrecoverable**: no attempt can succeed. The events go to the dead letters."
    for title, (name, made) in CLASSIFIERS.items():
        yield from ("", f"## {title}: `{name}()`", "", *inspect.cleandoc(made.__doc__ or "").splitlines(), "")
        rows = ((rule.sign, rule.meaning, rule.error_class.value.capitalize()) for rule in describe(made()))
        yield from _table(("Sign", "What it means", "Class"), rows)


# All pages


def _head(title: str, audience: str) -> Iterator[str]:
    yield from (
        f"# {title}",
        "",
        "<!-- Written by `make reference`; edit the program, not this page. -->",
        "",
        audience,
        "",
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        cells = (cell.replace(" | ", " \\| ") for cell in row)
        yield f"| {' | '.join(cells)} |"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


#: The pages by file name.
PAGES: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "rules.md": rules_page,
    "compat-rules.md": compat_rules_page,
    "schema-language.md": language_page,
    "command-line.md": command_line_page,
    "configuration.md": configuration_page,
    "classifiers.md": classifiers_page,
}


def text_of(name: str) -> str:
    """Return the text of a page."""
    text = "".join(f"{line}\n" for line in PAGES[name]())
    return re.sub(r"\n{3,}", "\n\n", text)


def main() -> None:
    """Write all pages."""
    for name in PAGES:
        (FOLDER / name).write_text(text_of(name), encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
