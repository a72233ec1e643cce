"""What users of other checkers complained of: each is a case here, with the right verdict.

The threads: buf, schema-registry, karapace, protolock, oasdiff, openapi-diff, graphql-inspector, protean, cerbos,
cargo-semver-checks, squawk, openapi-changes, msgspec. Those about git, locks, approvals and formats stand in `test_use`
and `test_compat_report`.
"""

from __future__ import annotations

import pytest

from tests.codegen.compat.sides import bound, findings, found
from wakuwaku_gen.compat.axes import Level
from wakuwaku_gen.compat.checker import draft_edits
from wakuwaku_gen.report.compat.wording import consequences

EVENT = '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n'
FIELDS = EVENT + "[event.OrderPlaced.fields]\n"
COLOR = FIELDS + 'color = "Color"\n[enum.Color]\n'
DRAFT = '[event.Tried]\ntag = 8\nkey = "OrderKey"\nstability = "draft"\nfields.a = "u64"\n'
PAYMENT = (
    FIELDS + 'payment = "Payment"\n[union.Payment]\nvariants = ["Card", "Cash"]\n[struct.Cash]\nfields.till = "u8"\n'
    '[struct.Card]\nfields.number = "str"\n'
)
KEY = '[key.OrderKey]\ntopic = "orders"\n'

#: Name: versions before, the one after, and all that is found, by rule and place with its axes.
CASES: dict[str, tuple[str | tuple[str, ...], str, dict[str, str]]] = {
    "a field of an empty struct gets one with a default": (
        FIELDS + 'a = "Empty"\n[struct.Empty]\n[struct.Detail]\nfields.note = { type = "str", default = "" }\n',
        FIELDS + 'a = "Detail"\n[struct.Empty]\n[struct.Detail]\nfields.note = { type = "str", default = "" }\n',
        {"FIELD_ADDED_DEFAULT shop.Detail.note": "...."},
    ),
    "a closed enum gets a value": (
        COLOR + 'values = ["RED"]',
        COLOR + 'values = ["RED", "BLUE"]',
        {"ENUM_VALUE_ADDED shop.Color.BLUE": ".E.W"},
    ),
    "an open enum gets a value": (
        COLOR + 'values = ["RED"]\nopen = true',
        COLOR + 'values = ["RED", "BLUE"]\nopen = true',
        {"ENUM_VALUE_ADDED shop.Color.BLUE": "...W"},
    ),
    "an enum gets a value and loses one": (
        COLOR + 'values = ["RED", "GREEN"]',
        COLOR + 'values = ["RED", "BLUE"]',
        {"ENUM_VALUE_ADDED shop.Color.BLUE": ".E.W", "ENUM_VALUE_REMOVED shop.Color": "E..E"},
    ),
    "a default is dropped, seen from the last version": (
        FIELDS + 'f = { type = "u64", default = 0 }',
        FIELDS + 'f = "u64"',
        {"FIELD_BECAME_REQUIRED orders/1.f": "...E"},
    ),
    "a default is dropped, seen from all versions": (
        (FIELDS, FIELDS + 'f = { type = "u64", default = 0 }'),
        FIELDS + 'f = "u64"',
        {"FIELD_BECAME_REQUIRED orders/1.f": "E..E"},
    ),
    "a variant gets a required field": (
        PAYMENT,
        PAYMENT + 'fields.owner = "str"',
        {"FIELD_ADDED_REQUIRED shop.Card.owner": "E..E"},
    ),
    "a rename that keeps the name on the wire": (
        FIELDS + 'name = "str"',
        FIELDS + 'full_name = { type = "str", wire = "name" }',
        {"FIELD_PY_NAME_CHANGED orders/1.name": "...E"},
    ),
    "a rename that does not": (
        FIELDS + 'name = "str"',
        FIELDS + 'full_name = "str"',
        {"FIELD_RENAME_SUSPECTED orders/1.full_name": "EE.E"},
    ),
    "the doc of a key type changes": (
        EVENT + KEY + 'doc = "One."\nfields.order_id = "u64"',
        EVENT + KEY + 'doc = "One order."\nfields.order_id = { type = "u64", doc = "Its number." }',
        {"DOC_CHANGED orders.order_id": "...."},
    ),
    "an event with six fields goes": (
        EVENT + '[event.Gone]\ntag = 2\nkey = "OrderKey"\n' + "".join(f'fields.f{n} = "u64"\n' for n in range(6)),
        EVENT,
        {"EVENT_REMOVED orders/2": "E..E"},
    ),
    "a new event has a union": (
        EVENT,
        EVENT + PAYMENT.replace("OrderPlaced", "Paid").replace("tag = 1", "tag = 2"),
        {"EVENT_ADDED orders/2": ".W.."},
    ),
    "a field with a default comes": (
        FIELDS,
        FIELDS + 'f = { type = "u64", default = 0 }',
        {"FIELD_ADDED_DEFAULT orders/1.f": "...."},
    ),
    "a field may be null": (
        FIELDS + 'f = "str"',
        FIELDS + 'f = { type = "str | None", required = true }',
        {"FIELD_BECAME_NULLABLE orders/1.f": ".E.W"},
    ),
    "a longest length grows": (
        FIELDS + 'f = { type = "str", max_length = 2 }',
        FIELDS + 'f = { type = "str", max_length = 5 }',
        {"CONSTRAINT_LOOSENED orders/1.f": ".E.."},
    ),
    "a longest length shrinks": (
        FIELDS + 'f = { type = "str", max_length = 5 }',
        FIELDS + 'f = { type = "str", max_length = 2 }',
        {"CONSTRAINT_TIGHTENED orders/1.f": "E..."},
    ),
    "a constraint is spelled in another way": (
        FIELDS + 'f = { type = "u64", gt = 0 }',
        FIELDS + 'f = { type = "u64", ge = 1 }',
        {},
    ),
    "a least length comes": (
        FIELDS + 'f = "str"',
        FIELDS + 'f = { type = "str", min_length = 2 }',
        {"CONSTRAINT_TIGHTENED orders/1.f": "E..."},
    ),
    "a step that divides the old one": (
        FIELDS + 'f = { type = "u64", multiple_of = 6 }',
        FIELDS + 'f = { type = "u64", multiple_of = 3 }',
        {"CONSTRAINT_LOOSENED orders/1.f": ".E.."},
    ),
    "a union gets a variant": (
        PAYMENT.replace('"Card", "Cash"', '"Card"'),
        PAYMENT,
        {"UNION_VARIANT_ADDED shop.Payment.Cash": ".E.W"},
    ),
    "a field goes and is reserved": (
        FIELDS + 'f = "u64 | None"',
        FIELDS + '[reserved.OrderKey]\nnames = ["f"]',
        {"FIELD_REMOVED_DEFAULT orders/1.f": ".W.E"},
    ),
    "fields change places": (FIELDS + 'a = "u64"\nb = "str"', FIELDS + 'b = "str"\na = "u64"', {}),
    "fields of a key change places": (
        EVENT + KEY + 'fields.a = "u64"\nfields.b = "u64"',
        EVENT + KEY + 'fields.b = "u64"\nfields.a = "u64"',
        {"KEY_FIELDS_CHANGED orders": "EE.E"},
    ),
    "one of two drafts goes": (EVENT + DRAFT + DRAFT.replace("Tried", "Felt").replace("8", "9"), EVENT + DRAFT, {}),
    "both drafts go": (EVENT + DRAFT + DRAFT.replace("Tried", "Felt").replace("8", "9"), EVENT, {}),
    "a draft changes": (EVENT + DRAFT, EVENT + DRAFT.replace("u64", "str"), {}),
    "a type no event reaches changes": (
        EVENT + '[struct.Alone]\nfields.a = "u64"',
        EVENT + '[struct.Alone]\nfields.b = "str"',
        {},
    ),
    "an event moves to another file": (
        f"# file: a.toml\n{EVENT}\n# file: b.toml\n[enum.A]\nvalues = ['X']",
        f"# file: a.toml\n[enum.A]\nvalues = ['X']\n# file: b.toml\n{EVENT}",
        {"EVENT_MOVED_FILE orders/1": "...."},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_complaint_is_answered(name: str) -> None:
    """With exactly what is found, harmless findings included."""
    before, after, expected = CASES[name]
    assert found(before, after) == expected


def test_two_inner_types_of_one_name_do_not_meet() -> None:
    """Each namespace has its own."""
    inner = (
        '# file: a.toml\nwakuwaku = 1\nnamespace = "a"\n[key.AKey]\ntopic = "a"\nfields.id = "u64"\n'
        '[event.A]\ntag = 1\nkey = "AKey"\nfields.item = "Item"\n[struct.Item]\nfields.x = "{}"\n'
        '# file: b.toml\nwakuwaku = 1\nnamespace = "b"\n[key.BKey]\ntopic = "b"\nfields.id = "u64"\n'
        '[event.B]\ntag = 1\nkey = "BKey"\nfields.item = "Item"\n[struct.Item]\nfields.x = "{}"\n'
    )
    assert found(inner.format("str", "u64"), inner.format("str", "u64")) == {}
    assert found(inner.format("str", "u64"), inner.format("str", "u8")) == {"INT_NARROWED b.Item.x": "E..."}


def test_a_finding_says_who_can_not_read_what() -> None:
    """And names the version, in words of the consumer."""
    (finding,) = [
        one
        for one in findings((FIELDS, FIELDS + 'f = { type = "u64", default = 0 }'), FIELDS + 'f = "u64"')
        if one.severity.value == "error"
    ]
    assert next(consequences(finding)) == "consumers built from this version will dead-letter records written by 1.0.0"


def test_both_directions_of_a_changed_enum_value_are_told_apart() -> None:
    (finding,) = findings(COLOR + 'values = { RED = "r" }', COLOR + 'values = { RED = "red" }')
    assert list(consequences(finding)) == [
        "consumers built from this version will dead-letter records written by 1.0.0",
        "consumers built from 1.0.0 will dead-letter records written by this version",
    ]


def test_removing_under_each_level() -> None:
    """Backward lets a defaulted field go, full does not let one that is required."""
    gone = FIELDS + '[reserved.OrderKey]\nnames = ["f"]'
    assert {one.severity.value for one in findings(FIELDS + 'f = "u64 | None"', gone)} == {"hint"}
    assert {one.severity.value for one in findings(FIELDS + 'f = "u64"', gone)} == {"warning"}
    assert {one.severity.value for one in findings(FIELDS + 'f = "u64"', gone, Level.FULL)} == {"error"}


def test_a_shared_struct_is_told_once_with_all_events_it_concerns() -> None:
    """The blast radius."""
    two = (
        FIELDS
        + 'line = "Line"\n[event.OrderPaid]\ntag = 2\nkey = "OrderKey"\nfields.lines = "list[Line]"\n[struct.Line]\n'
    )
    (finding,) = findings(two + 'fields.n = "u32"', two + 'fields.n = "u8"')
    assert (finding.place, finding.names) == ("shop.Line.n", ("OrderPlaced", "OrderPaid"))


def test_a_stable_event_may_not_hold_a_draft() -> None:
    """Told at the reference, inside of stable types too."""
    text = FIELDS + 'a = "A"\n[struct.A]\nfields.b = "B"\n[struct.B]\nstability = "draft"\nfields.c = "u64"'
    assert [str(named.edit.subject) for named in draft_edits(bound(text))] == ["shop.A.b"]


def test_recursive_types_come_to_an_end() -> None:
    """With a break on the way, too, which is proven."""
    tree = (
        FIELDS + 'tree = "Tree"\n[struct.Tree]\nfields.next = "Tree | None"\nfields.all = "list[Tree]"\nfields.n = "{}"'
    )
    assert found(tree.format("u64"), tree.format("u64")) == {}
    (finding,) = findings(tree.format("u64"), tree.format("u8"))
    assert (finding.rule, len(finding.proofs)) == ("INT_NARROWED", 1)
    grown = FIELDS + 'a = "A"\n[struct.A]\nfields.b = "B | None"\n[struct.B]\nfields.a = "A | None"\nfields.n = "{}"'
    assert found(grown.format("u64"), grown.format("str")) == {"FIELD_TYPE_CHANGED shop.B.n": "EE.E"}
