"""Whatever a schema says, it is understood or told; nothing raises."""

from pathlib import Path, PurePosixPath

from hypothesis import given, settings
from hypothesis import strategies as st

from wakuwaku_gen.check import check_schema
from wakuwaku_gen.diagnostics import Diagnostics, Severity
from wakuwaku_gen.load.conform import conform
from wakuwaku_gen.load.folder import Document
from wakuwaku_gen.load.toml import parse
from wakuwaku_gen.model import build_schema

SCHEMA = """
wakuwaku = 1
namespace = "shop"
doc = "A shop."
key.OrderKey.topic = "orders"
key.OrderKey.hash = "rust"
key.OrderKey.partitions = 4
key.OrderKey.fields.order_id = "u64"
key.OrderKey.fields.kind = "Currency"
enum.Currency.values = ["EUR", "USD"]
enum.Currency.open = true
enum.Level.values = { LOW = 1, HIGH = { value = 2, doc = "High." } }
struct.Line.fields.sku = { type = "str", min_length = 1, pattern = "^a", default = "a" }
struct.Line.fields.next = { type = "Line | None", required = false }
struct.Card.fields.number = { type = "str", wire = "type" }
struct.Cash.fields.amount = { type = "Decimal", ge = 0, lt = 9, default = "1.5" }
union.Payment.variants = ["Cash"]
event.OrderPlaced.tag = 1
event.OrderPlaced.key = "OrderKey"
event.OrderPlaced.algebra = ["associative", "acquire"]
event.OrderPlaced.ordering = "acquire"
event.OrderPlaced.max_batch = 100
event.OrderPlaced.deprecated = "old"
event.OrderPlaced.fields.lines = { type = "list[Line]", default = [{ sku = "ab", next = { sku = "ac" } }] }
event.OrderPlaced.fields.levels = { type = "dict[Level, set[u8]]", default = { LOW = [1, 2] } }
event.OrderPlaced.fields.paid = { type = "Payment | None", compare = false }
event.OrderPlaced.fields.cents = { type = "float", multiple_of = 5, default = 10 }
event.OrderPlaced.combine.lines = "concat"
event.OrderPlaced.combine.levels = "merge"
event.OrderPlaced.combine.paid = "last"
event.OrderPlaced.combine.cents = "sum"
event.OrderPlaced.allow = { WK450 = "an estimate" }
reserved.OrderKey.tags = [7]
reserved.OrderKey.names = ["OrderShipped"]
"""
LINES = SCHEMA.strip().splitlines()
VALUES = [
    *('"str"', '"list[Line]"', '"Payment"', '"Level | None"', '""', '"a.b"', '"sum"', '"associative"', '"ü"'),
    *("0", "-1", "1.5", "nan", "true", "2024-01-01", "[]", "[1]", '["x"]', "{}", '{ x = 1 }', '{ type = "u8" }'),
]  # fmt: skip
KEYS = ["type", "default", "fields", "OrderKey", "Line", "x", "values", "tag", "topic", "key", "allow", "é"]


@st.composite
def spoiled(draw: st.DrawFn) -> str:
    lines = list(LINES)
    for _ in range(draw(st.integers(1, 3))):
        number = draw(st.integers(0, len(lines) - 1))
        key, _, value = lines[number].partition(" = ")
        match draw(st.sampled_from(["drop", "value", "key", "inner"])):
            case "drop":
                del lines[number]
            case "value":
                lines[number] = f"{key} = {draw(st.sampled_from(VALUES))}"
            case "key":
                *above, _ = key.split(".")
                lines[number] = f"{'.'.join([*above, repr(draw(st.sampled_from(KEYS)))])} = {value}"
            case _:
                old = draw(st.sampled_from(['"str"', "1", "Line", '"a"', "LOW", "u8", "Cash", "sku", "[", "EUR"]))
                lines[number] = lines[number].replace(old, draw(st.sampled_from(VALUES)))
    return "\n".join(lines)


def check(text: str) -> Diagnostics:
    diagnostics = Diagnostics()
    name = PurePosixPath("shop.toml")
    root = parse(text.encode(), name, diagnostics)
    if root is not None and conform(root, diagnostics):
        document = Document(Path("/project/schemas/shop.toml"), name, root)
        folder = Path("/project/schemas")
        check_schema(build_schema([document], diagnostics, root=folder, out_parent=folder.parent), diagnostics)
    return diagnostics


def test_the_schema_that_is_spoiled_here_is_sound() -> None:
    assert [item.message for item in check(SCHEMA).items if item.severity is Severity.ERROR] == []


@settings(deadline=None)  # tests do not depend on time
@given(spoiled())
def test_a_spoiled_schema_is_told_at_places_that_exist(text: str) -> None:
    lines = text.split("\n")
    for item in check(text).items:
        assert 1 <= item.span.line <= len(lines)
        assert 1 <= item.span.column <= len(lines[item.span.line - 1]) + 1
        assert item.span.column < item.span.end
