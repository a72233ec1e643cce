"""Python names are made in one way, and the lists of names that are taken are complete."""

import enum
import keyword

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wakuwaku
from wakuwaku_gen.model.names import (
    bundle_name,
    codecs_name,
    event_names,
    field_problem,
    member_problem,
    namespace_problem,
    pascal_case,
    snake_case,
    topic_problem,
    type_problem,
)
from wakuwaku_gen.model.reserved import BUNDLE_FIELDS, ENUM_MEMBERS, FIELDS, KEYWORDS
from wakuwaku_gen.model.schema import EventNames


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("OrderPlaced", "order_placed"),
        ("HTTPRequest", "http_request"),
        ("GetHTTP", "get_http"),
        ("OrderV2", "order_v2"),
        ("Utf8Text", "utf8_text"),
        ("A", "a"),
        ("stockKeepingUnit", "stock_keeping_unit"),
        ("already_snake", "already_snake"),
        ("Größe", "große".replace("ß", "")),
    ],
)
def test_snake_case(name: str, snake: str) -> None:
    assert snake_case(name) == snake


@pytest.mark.parametrize(
    ("name", "pascal"), [("order_placed", "OrderPlaced"), ("order-events.v2", "OrderEventsV2"), ("HTTP", "HTTP")]
)
def test_pascal_case(name: str, pascal: str) -> None:
    assert pascal_case(name) == pascal


def test_the_names_of_an_event() -> None:
    assert event_names("OrderPlaced") == EventNames(
        codec="ORDER_PLACED",
        contract="OrderPlacedContract",
        handler="OrderPlacedHandler",
        module="order_placed",
        field="order_placed",
        combiner="OrderPlacedCombiner",
        combiner_contract="OrderPlacedCombinerContract",
        combiner_module="order_placed_combiner",
    )


@pytest.mark.parametrize(
    ("name", "module", "field"),
    [
        ("Class", "class_", "class_"),
        ("Match", "match_", "match_"),
        ("Con", "con_", "con_"),
        ("Routes", "routes", "routes_"),
        ("Self", "self", "self_"),
    ],
)
def test_a_derived_name_that_is_taken_gets_an_underscore(name: str, module: str, field: str) -> None:
    names = event_names(name)
    assert (names.module, names.field) == (module, field)


def test_the_names_of_a_topic() -> None:
    assert (codecs_name("order-events"), bundle_name("order-events")) == ("ORDER_EVENTS_CODECS", "OrderEventsHandlers")


pascal_names = st.from_regex(r"[A-Z][A-Za-z0-9]{0,12}", fullmatch=True)


@settings(deadline=None)  # tests do not depend on time
@given(pascal_names, pascal_names)
def test_derived_names_are_legal_and_meet_only_when_types_differ_in_case_alone(one: str, other: str) -> None:
    for name in (one, other):
        names = event_names(name)
        assert all(part.isidentifier() for part in (names.codec, names.contract, names.handler))
        assert names.module.isidentifier()
        assert not keyword.iskeyword(names.module)
        assert field_problem(names.field) is None
    if one.casefold() != other.casefold():
        assert event_names(one).module != event_names(other).module
        assert event_names(one).codec != event_names(other).codec


@settings(deadline=None)  # tests do not depend on time
@given(st.text(max_size=12))
def test_names_that_pass_are_legal_and_suggested_ones_pass(name: str) -> None:
    problem = type_problem(name)
    if problem is None:
        assert name.isidentifier()
        assert name.isascii()
    elif problem.help is not None:
        assert type_problem(problem.help.removeprefix("call it ").strip("'")) is None or problem.rule == "WK101"
    if field_problem(name) is None:
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)
        assert not keyword.issoftkeyword(name)
    if member_problem(name) is None:
        assert name.isidentifier()
    if topic_problem(name) is None:
        assert codecs_name(name).isidentifier()
        assert bundle_name(name).isidentifier()
    if namespace_problem(name) is None:
        assert all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))


def public(*classes: type) -> set[str]:
    return {name for one in classes for name in dir(one) if not name.startswith("_")}


def test_every_attribute_of_the_base_classes_is_a_reserved_field() -> None:
    assert public(wakuwaku.Event, wakuwaku.Key, msgspec.Struct) | {"self", "cls"} == FIELDS
    assert all(field_problem(name) is not None for name in FIELDS)


def test_every_attribute_of_a_bundle_is_reserved() -> None:
    assert public(wakuwaku.HandlerBundle) | {"self", "cls"} == BUNDLE_FIELDS


def test_every_attribute_of_an_enum_class_is_a_reserved_member() -> None:
    assert public(str, int, enum.StrEnum, enum.IntEnum, enum.Enum) | {"mro", "name", "value"} <= ENUM_MEMBERS
    assert all(member_problem(name) is not None for name in ENUM_MEMBERS)


def test_every_keyword_is_known() -> None:
    assert set(keyword.kwlist) | set(keyword.softkwlist) <= KEYWORDS
    assert all(field_problem(name) is not None for name in KEYWORDS)


@pytest.mark.parametrize("name", ["int", "str", "list", "date", "bytes", "msgspec", "builtins", "class_", "x1"])
def test_names_that_generated_code_has_aliases_for_are_fine_for_fields(name: str) -> None:
    assert field_problem(name) is None


@pytest.mark.parametrize("name", ["List", "Optional", "Struct", "Meta", "Enum", "Any", "Event", "Key", "HTTP"])
def test_names_that_generated_code_has_aliases_for_are_fine_for_types(name: str) -> None:
    assert type_problem(name) is None
