"""Names a schema can't use, as fixed lists: the same on every Python, whatever it has learned since.

Tests compare the lists with what Python, msgspec and the runtime have.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BUNDLE_FIELDS",
    "ENUM_MEMBERS",
    "FIELDS",
    "KEYWORDS",
    "PACKAGES",
    "SCALARS",
    "SUBMODULES",
    "TYPES",
]

#: Hard and soft keywords of every Python up to 3.14.
KEYWORDS: Final = frozenset(
    {
        *("False", "None", "True", "and", "as", "assert"),
        *("async", "await", "break", "class", "continue", "def"),
        *("del", "elif", "else", "except", "finally", "for"),
        *("from", "global", "if", "import", "in", "is"),
        *("lambda", "nonlocal", "not", "or", "pass", "raise"),
        *("return", "try", "while", "with", "yield", "_"),
        *("case", "match", "type"),
    }
)

#: Attributes of event classes, and first parameters of their methods.
FIELDS: Final = frozenset({"cls", "combine", "key", "self"})

#: Types of the language that look like declared ones.
SCALARS: Final = frozenset({"Decimal", "UUID"})

#: Names a handler stub uses beside those of its event; all other generated modules use private aliases.
TYPES: Final = frozenset({"Batch", "NotImplementedError"})

#: Attributes of handler bundles.
BUNDLE_FIELDS: Final = frozenset({"self", "cls", "routes"})

#: Modules of a generated package, so no names of packages inside it.
SUBMODULES: Final = frozenset(
    {
        *("codecs", "contracts", "events", "handlers", "schema", "strategies", "test_laws"),
    }
)

#: Packages that generated code imports: one of these names would hide it.
PACKAGES: Final = frozenset(
    {
        *("builtins", "collections", "dataclasses", "datetime", "decimal", "enum"),
        *("hypothesis", "importlib", "msgspec", "operator", "types", "typing"),
        *("uuid", "wakuwaku", "wakuwaku_gen"),
    }
)

#: Attributes of str, int and enum classes.
ENUM_MEMBERS: Final = frozenset(
    {
        *("as_integer_ratio", "bit_count", "bit_length", "capitalize", "casefold", "center"),
        *("conjugate", "count", "denominator", "encode", "endswith", "expandtabs"),
        *("find", "format", "format_map", "from_bytes", "imag", "index"),
        *("is_integer", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit"),
        *("isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle"),
        *("isupper", "join", "ljust", "lower", "lstrip", "maketrans"),
        *("mro", "name", "numerator", "partition", "real", "removeprefix"),
        *("removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition"),
        *("rsplit", "rstrip", "split", "splitlines", "startswith", "strip"),
        *("swapcase", "title", "to_bytes", "translate", "upper", "value"),
        *("zfill",),
    }
)
