"""The one form of a schema file: every comment stays, the meaning too, and formatting again changes nothing."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.check.test_robustness import spoiled
from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.fmt import format_schema
from wakuwaku_gen.fmt import text as formatting
from wakuwaku_gen.load.folder import Document
from wakuwaku_gen.load.toml import parse
from wakuwaku_gen.model import build_schema

FILE = PurePosixPath("shop.toml")
ROOT = Path(__file__).parents[3]
HEAD = 'wakuwaku = 1\nnamespace = "shop"\n'
KEY = '\n[key.OrderKey]\ntopic = "orders"\n[key.OrderKey.fields]\norder_id = "u64"\n'
PAID = '\n[event.Paid]\ntag = 1\nkey = "OrderKey"\n'


def formatted(text: str) -> str:
    diagnostics = Diagnostics()
    result = format_schema(text.encode(), FILE, diagnostics)
    assert result is not None, diagnostics.items
    return result


def digest(text: str) -> str:
    diagnostics = Diagnostics()
    root = parse(text.encode(), FILE, diagnostics)
    assert root is not None
    folder = Path("/project/schemas")
    document = Document(folder / "shop.toml", FILE, root)
    model = build_schema([document], diagnostics, root=folder, out_parent=folder.parent)
    assert not diagnostics.items
    return model.namespaces[0].digest


@pytest.mark.parametrize("path", sorted(ROOT.glob("schemas/*.toml")), ids=lambda path: path.name)
def test_the_schemas_of_this_project_are_in_the_one_form(path: Path) -> None:
    """As `wakuwaku fmt` leaves them."""
    text = path.read_text(encoding="utf-8")
    assert formatted(text) == text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        # spaces and quotes
        ('doc="x"', 'doc = "x"\n'),
        ('  doc   =    "x"   ', 'doc = "x"\n'),
        ('"doc" = "x"', 'doc = "x"\n'),
        ("doc = 'x'  # why", "doc = 'x'  # why\n"),
        ("doc = 'x'# why", "doc = 'x'  # why\n"),
        ('doc = """\n  x\n\n"""', 'doc = """\n  x\n\n"""\n'),
        # empty lines
        ('\n\n\ndoc = "x"\n\n\n', '\ndoc = "x"\n'),
        ('doc = "x"\n[struct.A]\n[struct.B]', 'doc = "x"\n\n[struct.A]\n\n[struct.B]\n'),
        ('[ struct . "A" ]\n\ndoc = "x"\n\n[struct.A.fields]', '\n[struct.A]\ndoc = "x"\n[struct.A.fields]\n'),
        ('[struct.A.fields]\na = "u8"\n\n\n\nb = "u8"', '\n[struct.A.fields]\na = "u8"\n\nb = "u8"\n'),
        # order of keys; fields and sections keep theirs
        (
            '[struct.A]\nfields.b = "u8"\ndoc = "x"\nfields.a = "u8"',
            '\n[struct.A]\ndoc = "x"\nfields.b = "u8"\nfields.a = "u8"\n',
        ),
        (
            "[struct.A]\nfields.x = {doc='d',default=1,ge=0,type='u8'}",
            "\n[struct.A]\nfields.x = { type = 'u8', ge = 0, default = 1, doc = 'd' }\n",
        ),
        (
            "[struct.A]\nfields.x = {default={b=1,a=2},type='dict[str, u8]'}",
            "\n[struct.A]\nfields.x = { type = 'dict[str, u8]', default = { b = 1, a = 2 } }\n",
        ),
        ("[struct.B]\n[struct.A]", "\n[struct.B]\n\n[struct.A]\n"),
        # arrays
        ("[enum.E]\nvalues=['A','B' , ]", "\n[enum.E]\nvalues = ['A', 'B']\n"),
        ("[enum.E]\nvalues=['A',\n'B']", "\n[enum.E]\nvalues = [\n    'A',\n    'B',\n]\n"),
        (
            "[enum.E]\nvalues=[ # all\n# one\n'A', # a\n'B' # b\n# end\n]# done",
            "\n[enum.E]\nvalues = [  # all\n    # one\n    'A',  # a\n    'B',  # b\n    # end\n]  # done\n",
        ),
        # comments
        ('# about doc\ndoc = "x"', '# about doc\ndoc = "x"\n'),
        (
            '[struct.A]\n# the fields\nfields.a = "u8"\n# the doc\ndoc = "x"\n# the end\n\n# next\n[struct.B] # b',
            '\n[struct.A]\n# the doc\ndoc = "x"\n# the fields\nfields.a = "u8"\n# the end\n\n# next\n[struct.B]  # b\n',
        ),
        (
            '[struct.A]\n# the struct\n\nfields.a = "u8"\ndoc = "x"',
            '\n[struct.A]\n# the struct\n\ndoc = "x"\nfields.a = "u8"\n',
        ),
        ("[struct.A]\n\n# the end", "\n[struct.A]\n\n# the end\n"),
    ],
)
def test_a_file_is_put_into_the_one_form(written: str, expected: str) -> None:
    """What is written, and what becomes of it."""
    assert formatted(HEAD + written) == HEAD + expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('algebra = "Idempotent"', 'algebra = "idempotent"\n'),
        ('algebra = ["idempotent"]', 'algebra = "idempotent"\n'),
        ('algebra = ["Commutative", "idempotent"]', 'algebra = "idempotent_commutative"\n'),
        ('algebra = ["IdempotentCommutative"]', 'algebra = "idempotent_commutative"\n'),
        ("algebra = []", 'algebra = "non_associative"\n'),
        ('ordering = "AcqRel"', 'ordering = "acq_rel"\n'),
        ('algebra = ["idempotent", "acquire"]', 'algebra = "idempotent"\nordering = "acquire"\n'),
        ('algebra = ["acquire", "idempotent"]\nordering = "Acquire"', 'algebra = "idempotent"\nordering = "acquire"\n'),
        ('algebra = "Release"', 'ordering = "release"\n'),
        ('# a\nalgebra = ["release"] # b\n# c\nordering = "release" # d',
            '# a\n# b\n# c\nordering = "release"  # d\n'),
        ('algebra = [ # a\n"idempotent", # b\n# c\n"acquire" # d\n] # e\nmax_batch = 2',
            '# a\n# b\n# c\n# d\nalgebra = "idempotent"  # e\nordering = "acquire"\nmax_batch = 2\n'),
    ],
)  # fmt: skip
def test_laws_get_one_spelling_and_fences_their_place(written: str, expected: str) -> None:
    """Whatever spelling the language takes; comments go with them."""
    assert formatted(HEAD + KEY + PAID + written) == HEAD + KEY + PAID + expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            'event.Paid = { algebra = ["idempotent", "acquire"], key = "OrderKey", tag = 1 }',
            'event.Paid = { tag = 1, key = "OrderKey", algebra = "idempotent", ordering = "acquire" }\n',
        ),
        (
            'event.Paid.key = "OrderKey"\nevent.Paid.tag = 1\nevent.Paid.algebra = "acquire"',
            'event.Paid.key = "OrderKey"\nevent.Paid.tag = 1\nevent.Paid.ordering = "acquire"\n',
        ),
        (
            'event.Paid = { tag = 1, key = "OrderKey", algebra = [ # why\n"acquire"] }',
            'event.Paid = { tag = 1, key = "OrderKey", algebra = [  # why\n    "acquire",\n] }\n',
        ),
    ],
)
def test_events_in_other_spellings_of_tables_are_formatted_too(written: str, expected: str) -> None:
    """Inline and dotted; inside of braces there is no place for a comment, so an array that has one stays."""
    key = 'key.OrderKey = { topic = "orders", fields = { order_id = "u64" } }\n'
    assert formatted(HEAD + key + written) == HEAD + key + expected


def test_line_ends_become_line_feeds() -> None:
    """Inside of texts as well, where TOML reads them as such."""
    text = f'{HEAD}doc = """\na\nb"""  # c\n'
    assert formatted(text.replace("\n", "\r\n")) == text


@pytest.mark.parametrize(
    "text",
    [
        "doc = unquoted",
        'dok = "x"',
        '[event.A]\nkey = "OrderKey"',
        '[event.A]\ntag = 1\nkey = "OrderKey"\nalgebra = ["acquire", "release"]',
        "wakuwaku = 2",
        "[[struct]]",
    ],
)
def test_a_file_with_an_error_has_no_formatted_text(text: str) -> None:
    """The error is reported instead."""
    diagnostics = Diagnostics()
    assert format_schema((("" if "wakuwaku" in text else HEAD) + text).encode(), FILE, diagnostics) is None
    assert diagnostics.failed


def test_a_file_the_grammar_does_not_take_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the two parsers ever disagree, the user learns which file it was."""
    monkeypatch.setattr(formatting, "read_file", lambda _: None)
    diagnostics = Diagnostics()
    assert format_schema(HEAD.encode(), FILE, diagnostics) is None
    assert [item.message for item in diagnostics.items] == [
        "this is TOML, but written in a way that can't be formatted"
    ]


def test_a_text_that_would_mean_something_else_is_never_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong inside, no schema changes its meaning."""
    monkeypatch.setattr(formatting, "print_file", lambda _: HEAD + 'doc = "y"\n')
    with pytest.raises(AssertionError, match="would mean something else"):
        format_schema(f'{HEAD}doc = "x"\n'.encode(), FILE, Diagnostics())


COMMENTS = st.sampled_from(["", "", "", "# a", "#b", "# é #"])
GAPS = st.sampled_from(["", "", "\n", "\n\n", "# over\n", "\n# over\n", "# over\n\n", "\n# a\n\n# b\n"])
PAIRS = {
    "": ["wakuwaku = 1", 'namespace = "shop"', 'doc = """\nA "shop".\n"""', "enum.E.values = ['A',\n 'B']"],
    "[key.OrderKey]": ['topic="orders"', "partitions = 4", "doc = 'd'", 'hash = "xxh3"'],
    "[key.OrderKey.fields]": ['order_id = "u64"', 'b = { doc = "x", type = "str" }', '"c" = "UUID"'],
    "[ struct . Line ]": ['fields.sku = {default="a",type="str"}', 'fields . n = "u8"', 'doc = "d"'],
    "[event.Paid]": [
        *("tag = 1", 'key = "OrderKey"', "max_batch = 2", 'deprecated = "no more"'),
        'algebra = ["Idempotent", # why\n\n # more\n "commutative", "Acquire",]',
    ],
    "[event.Paid.fields]": ['lines = { type = "list[Line]", default = [\n{sku="b", n=1}, # c\n] }', 'at = "datetime"'],
    "[event.Sold]": ["tag = 2", "key = 'OrderKey'", 'algebra = "associative"', 'ordering = "REL_EASE"'],
    "[event.Sold.fields]": ['n = "u8"', 'm = "u8"'],
    "[event.Sold.combine]": ['n = "sum"', 'm = "max"'],
    "[reserved.OrderKey]": ["tags = [7, 8 ]", "names=['Gone']"],
}


@st.composite
def untidy(draw: st.DrawFn) -> str:
    """The same schema each time, but for comments, spaces and the order of keys."""
    lines: list[str] = []
    for header, pairs in PAIRS.items():
        if header:
            lines.append(f"{draw(GAPS)}{header} {draw(COMMENTS)}")
        fields = re.search(r"fields\]|combine\]", header) is not None
        shuffled = pairs if fields else draw(st.permutations(pairs))
        lines += [f"{draw(GAPS)}{draw(st.sampled_from(['', '  ']))}{pair} {draw(COMMENTS)}" for pair in shuffled]
    lines.append(draw(GAPS))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return "\n".join(lines).replace("\n", end)


def comments(text: str) -> list[str]:
    return sorted(re.findall(r"#[^\r\n\"]*?(?=[ ]*\r?(?:\n|$))", text))


@settings(deadline=None)  # tests do not depend on time
@given(untidy())
def test_formatting_keeps_comments_and_meaning_and_is_done_at_once(text: str) -> None:
    """fmt∘fmt = fmt, the digest stays, and each comment is there once."""
    once = formatted(text)

    assert formatted(once) == once
    assert digest(once) == digest(text)
    assert comments(once) == comments(text)
    assert "\r" not in once
    assert not re.search(r"\n\n\n|[ \t]\n|\A\n", once)


@settings(deadline=None)  # tests do not depend on time
@given(spoiled())
def test_whatever_a_file_says_it_is_formatted_or_told(text: str) -> None:
    """Nothing raises, and what can be formatted is formatted at once."""
    diagnostics = Diagnostics()
    once = format_schema(text.encode(), FILE, diagnostics)
    assert (once is None) == diagnostics.failed
    if once is not None:
        assert formatted(once) == once
