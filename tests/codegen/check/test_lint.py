"""What is legal and most likely not meant: told when the schema is otherwise sound, and not beyond that."""

from pathlib import Path

import pytest

from tests.codegen.check.examples import MISSING_DOC, bound, told

EVENT = '[event.Paid]\ntag = 1\nkey = "OrderKey"\n'
OTHER = '\n[event.Refunded]\ntag = 2\nkey = "OrderKey"'
SUM = 'algebra = "associative"\nfields.cents = "i64"\ncombine.cents = "sum"\n'


def rules(folder: Path, example: str) -> list[str]:
    return [item.rule for item in bound(folder, example)[1].sorted()]


@pytest.mark.parametrize(
    ("tags", "reserved", "told_at"),
    [
        ((1, 2, 3), "", []),
        ((0, 1), "", []),
        ((3, 1, 2), "", []),
        ((1, 3), "", ["shop.toml:8:7 WK250 tag 3 leaves out 2"]),
        ((2,), "", ["shop.toml:4:7 WK250 tag 2 leaves out 1"]),
        ((1, 3), "[reserved.OrderKey]\ntags = [2]", []),
        ((1, 5), "[reserved.OrderKey]\ntags = [2, 4]", ["shop.toml:8:7 WK250 tag 5 leaves out 3"]),
        ((4294967295,), "", ["shop.toml:4:7 WK250 tag 4294967295 leaves out 1, 2, 3 and more"]),
    ],
)
def test_tags_count_up_unless_a_tombstone_says_why(
    tags: tuple[int, ...], reserved: str, told_at: list[str], tmp_path: Path
) -> None:
    """The order in which events stand in the file does not matter."""
    events = "\n".join(f'[event.E{tag}x]\ntag = {tag}\nkey = "OrderKey"\n' for tag in tags)
    assert told(bound(tmp_path, events + reserved)[1]) == told_at


@pytest.mark.parametrize("fence", ["acquire", "release", "acq_rel"])
def test_a_fence_needs_another_event_to_order(fence: str, tmp_path: Path) -> None:
    """Whichever fence it is, and also when it stands among the laws."""
    assert rules(tmp_path / "a", f'{EVENT}ordering = "{fence}"') == ["WK251"]
    assert rules(tmp_path / "b", f'{EVENT}algebra = ["idempotent", "{fence}"]') == ["WK251"]
    assert rules(tmp_path / "c", f'{EVENT}ordering = "{fence}"{OTHER}') == []


@pytest.mark.parametrize(
    ("field", "fresh"),
    [
        ('event_id = "UUID"', True),
        ('trace_id = "str | None"', True),
        ('id = "u64"', True),
        ('sent_at = "datetime"', True),
        ('timestamp = "float"', True),
        ('event_id = { type = "UUID", compare = false }', False),
        ('customer_id = "UUID"', False),  # whose id it is does not change when the fact is told again
        ('placed_at = "datetime"', False),  # nor does the time of the fact itself
        ('created_at = "bool"', False),
        ('event_id = "list[UUID]"', False),
    ],
)
def test_an_idempotent_event_holds_nothing_that_is_new_each_time(field: str, *, fresh: bool, tmp_path: Path) -> None:
    """Ids and times are told by their names; those of the domain are fine."""
    assert rules(tmp_path / "a", f'{EVENT}algebra = "idempotent"\nfields.{field}') == (["WK452"] if fresh else [])
    assert rules(tmp_path / "b", f"{EVENT}fields.{field}") == []


def test_the_fields_of_the_key_may_be_called_id(tmp_path: Path) -> None:
    """Equal events have equal keys, so the key's own id is not fresh."""
    key = '[key.CartKey]\ntopic = "carts"\nfields.id = "UUID"\n'
    event = '[event.Filled]\ntag = 1\nkey = "CartKey"\nalgebra = "idempotent"\nfields.items = "u32"'
    assert rules(tmp_path, key + event) == []


def test_a_batch_of_associative_events_makes_sense_when_neighbours_may_stay_apart(tmp_path: Path) -> None:
    """`keep` leaves two events apart when they differ."""
    keep = 'fields.currency = "str"\ncombine.currency = "keep"'
    assert rules(tmp_path / "a", f"{EVENT}max_batch = 100\n{SUM}") == ["WK453"]
    assert rules(tmp_path / "b", f"{EVENT}max_batch = 1\n{SUM}") == []
    assert rules(tmp_path / "c", f"{EVENT}max_batch = 100\n{SUM}{keep}") == []


@pytest.mark.parametrize(("text", "explained"), [("", False), ("old", False), ("use OrderPaid", True)])
def test_a_deprecation_says_more_than_a_word(text: str, *, explained: bool, tmp_path: Path) -> None:
    """What to use instead is the least."""
    assert rules(tmp_path, f'{EVENT}deprecated = "{text}"') == ([] if explained else ["WK252"])


def test_every_kind_of_type_wants_a_doc(tmp_path: Path) -> None:
    """Blanks are none; a reason silences the hint for one type."""
    example = (
        '[key.AKey]\ntopic = "as"\nfields.x = "u8"\n'
        '[enum.B]\nvalues = ["X"]\ndoc = " "\n'
        "[struct.C]\n"
        '[union.D]\nvariants = ["C"]\nallow = { WK150 = "its variant says all" }\n'
        '[event.E]\ntag = 1\nkey = "AKey"\n'
        '[struct.F]\ndoc = "An F."\n'
    )
    _, diagnostics = bound(tmp_path, example, docs=True)
    assert {item.rule for item in diagnostics.items} == {MISSING_DOC}
    assert [item.message for item in diagnostics.sorted()] == [f"'{name}' has no doc" for name in ("AKey", *"BCE")]


def test_lint_waits_until_there_is_no_error(tmp_path: Path) -> None:
    """Of half a schema it would say what is not so: here, that a topic has one event."""
    broken = f'{EVENT}ordering = "acquire"{OTHER}\nfields.x = "strr"'
    assert rules(tmp_path, broken) == ["WK102"]
