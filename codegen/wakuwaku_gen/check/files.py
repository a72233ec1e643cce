"""WK0xx: files, TOML, and the keys the language has."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.check.rule import Rule
from wakuwaku_gen.diagnostics import Severity

__all__ = ["RULES"]

RULES: Final = (
    Rule(
        "WK001",
        "no schema folder",
        "The path names a folder that can be read.",
        "# wakuwaku-gen shop.toml",
        "# wakuwaku-gen schemas/",
    ),
    Rule(
        "WK002",
        "no schema files",
        "A folder without any `*.toml` is most likely the wrong one.",
        "# schemas/ holds only shop.yaml",
        "# schemas/ holds shop.toml",
    ),
    Rule(
        "WK003",
        "unreadable file or folder",
        "What a file that can't be read declares would be missing from the output.",
        "# schemas/again is a link to schemas/",
        "# schemas/billing is a link to a folder elsewhere",
    ),
    Rule(
        "WK004",
        "not UTF-8",
        "TOML is UTF-8; any other encoding is read wrongly sooner or later.",
        "# the file is saved as Latin-1",
        "# the file is saved as UTF-8",
    ),
    Rule(
        "WK005",
        "byte order mark",
        "TOML has no byte order mark.",
        "# the file is saved as UTF-8 with signature, or as UTF-16",
        "# the file is saved as UTF-8",
    ),
    Rule("WK006", "not TOML", "The file is valid TOML 1.0.", "doc = unquoted", 'doc = "quoted"'),
    Rule(
        "WK007",
        "duplicate key",
        "A key that is given twice has no clear value.",
        'doc = "one"\ndoc = "two"',
        'doc = "one"',
    ),
    Rule(
        "WK008",
        "nested too deep",
        "No schema nests deeper than 100 levels.",
        f"doc = {'[' * 120}{']' * 120}",
        'doc = "flat"',
    ),
    Rule(
        "WK009",
        "file name not portable",
        "Windows and macOS do not tell letter case apart, and Windows has names of devices.",
        '# file: shop.toml\n# file: Shop.toml\nnamespace = "more"',
        '# file: shop.toml\n# file: more.toml\nnamespace = "more"',
    ),
    Rule(
        "WK010",
        "unknown key",
        "A misspelt key would silently do nothing.",
        '[struct.Line]\nfield.sku = "str"',
        '[struct.Line]\nfields.sku = "str"',
    ),
    Rule("WK011", "wrong kind of value", "Each key has its kind of value.", "doc = 3", 'doc = "three"'),
    Rule(
        "WK012",
        "missing key",
        "Some keys have no sensible default.",
        '[event.OrderPlaced]\nkey = "OrderKey"',
        '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"',
    ),
    Rule(
        "WK013",
        "unknown language version",
        "A schema of another version of the language may mean something else.",
        'wakuwaku = 2\nnamespace = "shop"',
        'wakuwaku = 1\nnamespace = "shop"',
    ),
    Rule(
        "WK014",
        "unknown value",
        "The key has a fixed list of values.",
        '[key.CartKey]\ntopic = "carts"\nhash = "md5"\nfields.id = "u64"',
        '[key.CartKey]\ntopic = "carts"\nhash = "xxh3"\nfields.id = "u64"',
    ),
    Rule(
        "WK015",
        "number out of range",
        "The number does not fit where it goes: a tag is a u32, a topic has 1 to 1000 partitions.",
        '[event.OrderPlaced]\ntag = -1\nkey = "OrderKey"',
        '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"',
    ),
    Rule(
        "WK016",
        "doc of a namespace given twice",
        "A namespace becomes one package with one doc, whatever the number of its files.",
        '# file: a.toml\ndoc = "One."\n# file: b.toml\ndoc = "Two."',
        '# file: a.toml\ndoc = "One."\n# file: b.toml\n',
    ),
    Rule(
        "WK017",
        "allow of no rule",
        "Only warnings and hints can be permitted, each by its id.",
        '[struct.Line]\nfields.sku = "str"\nallow = { WK102 = "I know" }',
        '[struct.Line]\nfields.sku = "str"',
    ),
    Rule(
        "WK050",
        "unused allow",
        "A permit that is no longer needed hides the next mistake.",
        '[struct.Line]\nfields.sku = "str"\nallow = { WK450 = "was a float once" }',
        '[struct.Line]\nfields.sku = "str"',
        Severity.WARNING,
    ),
)
