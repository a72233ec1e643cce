"""Expressions are printed in final form."""

from __future__ import annotations

from wakuwaku_gen.render.layout import (
    Either,
    assignment,
    call,
    flat,
    keyword,
    mapping,
    statement,
    subscript,
    tuple_of,
    width,
    with_pragma,
)

LONG = "a_name_that_takes_forty_columns_of_a_line"


def test_what_fits_stays_on_one_line() -> None:
    """Up to 88 columns nothing is broken."""
    assert statement("return ", call("f", "x", keyword("y", "1"))) == "return f(x, y=1)"


def test_what_does_not_fit_is_broken_with_a_trailing_comma() -> None:
    """One item per line, and only the bracket that has to."""
    code = call("f", keyword("pair", tuple_of((LONG, LONG))), keyword("z", tuple_of(("1",))))

    assert statement("return ", code, indent=4) == (
        f"return f(\n        pair=(\n            {LONG},\n            {LONG},\n        ),\n        z=(1,),\n    )"
    )


def test_a_subscript_of_one_item_breaks_from_within() -> None:
    """A trailing comma would make it a tuple."""
    annotation = subscript("set", subscript("Annotated", LONG, LONG))

    assert assignment("x", annotation, None) == (f"x: set[\n    Annotated[\n        {LONG},\n        {LONG},\n    ]\n]")


def test_a_nullable_annotation_is_broken_in_parentheses() -> None:
    """As formatters do it, with the default after them."""
    annotation = Either(subscript("Annotated", LONG, LONG))

    assert assignment("x", annotation, call("field", keyword("default", "None")), indent=4) == (
        f"x: (\n        Annotated[\n            {LONG},\n            {LONG},\n        ]\n        | None\n"
        "    ) = field(default=None)"
    )


def test_a_nullable_item_is_broken_without_parentheses() -> None:
    """Inside brackets the lines hold together by themselves."""
    annotation = subscript("tuple", Either(subscript("Annotated", LONG, LONG)), "...")

    assert statement("x: ", annotation) == (
        f"x: tuple[\n    Annotated[\n        {LONG},\n        {LONG},\n    ]\n    | None,\n    ...,\n]"
    )


def test_the_head_of_a_block_that_nothing_can_break_is_kept_on_its_line() -> None:
    """A pair of comments can't enclose it."""
    assert statement(f"if {LONG} is ", LONG, ":") == f"if {LONG} is {LONG}:  # fmt: skip"


def test_what_nothing_can_break_is_kept_from_formatters() -> None:
    """They would put it into parentheses at one line length, and take them away at another."""
    assert statement("x: ", Either(LONG, LONG)) == f"x: {LONG} | {LONG}"
    assert (
        statement("other: ", Either(LONG, LONG), indent=4) == f"# fmt: off\n    other: {LONG} | {LONG}\n    # fmt: on"
    )
    assert statement(f"{LONG}: ", Either(LONG, LONG), indent=4) == (
        f"# fmt: off\n    {LONG}: {LONG} | {LONG}  # noqa: E501\n    # fmt: on"
    )


def test_a_first_line_that_is_too_long_keeps_formatters_from_its_whole_statement() -> None:
    """Breaking the bracket behind it does not help."""
    before = f'"{LONG} {LONG}"'

    assert assignment("x", before, call("field", "a")) == f"# fmt: off\nx: {before} = field(a)\n# fmt: on"
    assert assignment("x", before, call("field", *"abcdefg")) == (
        f"# fmt: off\nx: {before} = field(a, b, c, d, e, f, g)\n# fmt: on"
    )
    assert (
        assignment("x", before, call("field", LONG)) == f"# fmt: off\nx: {before} = field(\n    {LONG},\n)\n# fmt: on"
    )


def test_a_tuple_of_one_item_breaks_from_within() -> None:
    """Its comma is no reason for formatters to keep it broken."""
    code = tuple_of((call("f", LONG, LONG),))

    assert statement("return ", code) == f"return (\n    f(\n        {LONG},\n        {LONG},\n    ),\n)"


def test_a_value_is_broken_before_its_annotation() -> None:
    """The annotation is what people read."""
    assert assignment("x", subscript("Mapping", "str", "int"), call("field", LONG, LONG)) == (
        f"x: Mapping[str, int] = field(\n    {LONG},\n    {LONG},\n)"
    )


def test_a_name_that_nothing_can_break_stays() -> None:
    """There is no other way to write it; the linter is told so."""
    assert assignment("x", LONG, f"{LONG}{LONG}") == f"# fmt: off\nx: {LONG} = {LONG}{LONG}  # noqa: E501\n# fmt: on"


def test_a_string_beyond_120_columns_is_marked() -> None:
    """Its text is the schema's, so the linter has to bear it; but not where the linter bears it anyway."""
    words = '"' + "word " * 30 + '"'
    url = f'"see https://example.org/{"a" * 120}'

    assert statement("x = ", words) == f"# fmt: off\nx = {words}  # noqa: E501\n# fmt: on"
    assert statement("", '"' + "a" * 130 + '"') == '# fmt: off\n"' + "a" * 130 + '"\n# fmt: on'
    assert with_pragma(url) == url
    assert with_pragma(words) == f"{words}  # noqa: E501"
    assert with_pragma("short") == "short"


def test_prefixes_reach_the_inside_of_every_expression() -> None:
    """A keyword or a key stands in front of the first character."""
    assert flat(keyword("a", Either("int"))) == "a=int | None"
    assert flat(mapping((("1", tuple_of(("x",))),))) == "{1: (x,)}"


def test_wide_characters_take_two_columns() -> None:
    """As terminals show them and linters count them."""
    assert width("日本") == 4
    assert width("é") == 1
