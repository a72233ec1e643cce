"""Names and texts that are legal, and as nasty as that can be."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from wakuwaku_gen.model.names import field_problem, member_problem, type_problem

__all__ = ["FIELD_NAMES", "MEMBER_NAMES", "NAMESPACES", "TEXTS", "TYPE_NAMES", "WIRE_NAMES"]

HOSTILE = [
    *("", " ", '"', "'", '"""', "'''", "\\", "\\N{x}", "\\u", "x\\", 'ends with a "quote"', '"starts', "{{ 7 * 7 }}"),
    *(
        '"); import os  #',
        "{x} %s %(x)s",
        "# type: ignore",
        "# noqa",
        "line one\nline two",
        "a\n\n    indented\n",
        "\t",
    ),
    *("\x07\x00", "\u200b\u202e", "\u2028", "日本語の文章", "😀", "\r\n", "<script>", "|", "`", "[x](y)", "-->", "#"),
    "word " * 40,
    "unbreakable" * 15,
    "https://example.org/" + "path/" * 30,
]
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.text("\"'\\{}#%\n\t aあ", max_size=20),
)
WIRE_NAMES = TEXTS.map(lambda text: re.sub(r'["\\\x00-\x1f]', "", text))

_AFFIXED = ("Contract", "Handler", "Handlers", "Combiner", "Codecs")  # of names made from other names
TYPE_NAMES = st.one_of(
    st.sampled_from(
        [
            *("List", "Optional", "Struct", "Meta", "Enum", "Any", "Event", "Key", "Codec", "Topic", "Ignore", "Self"),
            *(
                "Final",
                "ClassVar",
                "Literal",
                "Mapping",
                "Sequence",
                "T",
                "E",
                "HTTPServer",
                "Utf8Text",
                "V2",
                "Datetime",
            ),
            *("Annotated", "Class", "Match", "Int", "Str", "Type", "Test", "TestLaws", "Strategies", "Events", "Con"),
            *(
                "SubscriptionRenewalReminderSent",
                "HTTPS",
                "Decimals",
                "Exception",
                "ValueError",
                "Rules",
            ),
        ]
    ),
    st.from_regex(r"[A-Z][A-Za-z0-9]{0,10}", fullmatch=True),
).filter(lambda name: name not in ("I", "L", "O") and type_problem(name) is None and not name.endswith(_AFFIXED))
FIELD_NAMES = st.one_of(
    st.sampled_from(
        [
            *(
                "int",
                "str",
                "list",
                "bytes",
                "bool",
                "float",
                "object",
                "dict",
                "set",
                "frozenset",
                "tuple",
                "property",
            ),
            *(
                "date",
                "datetime",
                "time",
                "timedelta",
                "decimal",
                "uuid",
                "typing",
                "msgspec",
                "wakuwaku",
                "enum",
                "max",
            ),
            *("min", "all", "any", "hash", "isinstance", "later", "earlier", "rules", "other", "first", "same", "name"),
            *(
                "value",
                "class_",
                "type_",
                "match_",
                "self_",
                "key_",
                "default",
                "default_factory",
                "target",
                "x1",
                "topic",
            ),
            *(
                "tag",
                "events",
                "builtins",
                "classmethod",
                "staticmethod",
                "encode",
                "decode",
                "hooks",
                "filter",
                "example",
            ),
            *("number_of_transactions_that_were_counted", "hooks_"),
        ]
    ),
    st.from_regex(r"[a-z][a-z0-9]{0,5}(_[a-z0-9]{1,4}){0,2}_?", fullmatch=True),
).filter(lambda name: name != "l" and field_problem(name) is None)
MEMBER_NAMES = st.one_of(
    st.sampled_from(["A", "a", "EUR", "LOW", "low", "B2", "True_", "int", "self", "cls", "Z0", "a_", "A__b"]),
    st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True),
).filter(lambda name: name not in ("I", "O", "l") and member_problem(name) is None)
NAMESPACES = ["shop", "shop.orders", "shop.orders.v2", "acme.billing", "x1", "list", "test", "date_time", "zoo"]
