"""The model has everything a schema says, with every name chosen."""

from pathlib import Path

from tests.codegen.check.examples import bound, files_of, told, write
from wakuwaku_gen.check import bind
from wakuwaku_gen.model.schema import EnumModel, NamespaceModel, SchemaModel
from wakuwaku_gen.model.types import EnumRef, ListType, OptionalType, StructRef, TypeName

PROJECT = Path(__file__).parents[3]


def model_of(tmp_path: Path, example: str) -> SchemaModel:
    model, diagnostics = bound(tmp_path, example)
    assert model is not None, told(diagnostics)
    return model


def enum_of(tmp_path: Path, declaration: str) -> EnumModel:
    return model_of(tmp_path, f"[enum.E]\n{declaration}").namespaces[0].enums[0]


def shop() -> NamespaceModel:
    model, _ = bind(PROJECT / "schemas", out_parent=PROJECT)
    assert model is not None
    return model.namespaces[1]


def test_the_shop_is_understood() -> None:
    namespace = shop()
    assert (namespace.name, namespace.package) == ("shop", ("shop",))
    placed = namespace.events[0]
    assert (str(placed.id), placed.tag, placed.key) == ("shop.OrderPlaced", 1, TypeName("shop", "OrderKey"))
    assert (placed.algebra, placed.ordering, placed.max_batch) == ("idempotent", "acquire", 100)
    assert [field.name for field in placed.fields] == [
        *("order_id", "customer", "lines", "currency", "total_cents", "coupon", "placed_at")
    ]
    by_name = {field.name: field for field in placed.fields}
    assert by_name["lines"].type == ListType(StructRef(TypeName("shop", "Line")))
    assert isinstance(by_name["currency"].type, EnumRef)
    assert (by_name["currency"].has_default, by_name["currency"].default) == (True, "EUR")
    assert by_name["total_cents"].constraints.ge == 0
    assert isinstance(by_name["coupon"].type, OptionalType)
    assert by_name["coupon"].has_default
    assert not by_name["customer"].has_default


def test_an_associative_event_has_a_rule_per_own_field() -> None:
    assert shop().events[1].combine == {"amount_cents": "sum", "last_paid_at": "max", "references": "concat"}


def test_a_topic_has_its_events_by_tag(tmp_path: Path) -> None:
    example = '[event.B]\ntag = 2\nkey = "OrderKey"\n[event.A]\ntag = 1\nkey = "OrderKey"'
    (topic,) = model_of(tmp_path, example).namespaces[0].topics
    assert (topic.name, topic.codecs, topic.bundle) == ("orders", "ORDERS_CODECS", "OrdersHandlers")
    assert [event.id.name for event in topic.events] == ["A", "B"]


def test_several_files_share_a_namespace_and_a_dotted_one_is_a_package_in_a_package(tmp_path: Path) -> None:
    example = '# file: a.toml\nnamespace = "a.b"\n[struct.X]\n# file: sub/c.toml\nnamespace = "a.b"\n[struct.Y]\n'
    example += 'fields.x = "a.b.X"\nfields.own = "X"\n'
    (namespace,) = model_of(tmp_path, example).namespaces
    assert namespace.package == ("a", "b")
    assert [struct.id.name for struct in namespace.structs] == ["X", "Y"]


def test_sources_are_named_from_the_folder_of_the_output_or_from_the_schemas(tmp_path: Path) -> None:
    write(tmp_path / "project/schemas", files_of("# file: sub/shop.toml\n[struct.A]"))
    near, _ = bind(tmp_path / "project/schemas", out_parent=tmp_path / "project")
    far, _ = bind(tmp_path / "project/schemas", out_parent=tmp_path / "elsewhere")
    assert near is not None
    assert far is not None
    assert near.namespaces[0].sources == ("schemas/sub/shop.toml",)
    assert far.namespaces[0].sources == ("sub/shop.toml",)


def test_enums_in_all_spellings(tmp_path: Path) -> None:
    listed = enum_of(tmp_path / "a", 'values = ["EUR", "USD"]\nopen = true')
    assert ([(one.name, one.value) for one in listed.members], listed.base, listed.open) == (
        [("EUR", "EUR"), ("USD", "USD")],
        "str",
        True,
    )
    named = enum_of(tmp_path / "b", 'values = { EURO = "EUR", YEN = { value = "JPY", doc = "Japan." } }')
    assert [(one.name, one.value, one.doc) for one in named.members] == [("EURO", "EUR", ""), ("YEN", "JPY", "Japan.")]
    numbered = enum_of(tmp_path / "c", "values = { LOW = 1, HIGH = -2 }")
    assert ([one.value for one in numbered.members], numbered.base) == ([1, -2], "int")


def test_a_struct_in_a_union_is_tagged_wherever_the_union_is(tmp_path: Path) -> None:
    example = '# file: a.toml\nnamespace = "a"\n[struct.Card]\n[struct.Cash]\n'
    example += '# file: b.toml\nnamespace = "b"\n[union.Payment]\nvariants = ["a.Card"]\n'
    first, second = model_of(tmp_path, example).namespaces
    assert [(struct.id.name, struct.tagged) for struct in first.structs] == [("Card", True), ("Cash", False)]
    assert second.unions[0].variants == (TypeName("a", "Card"),)


def test_wire_names_comparison_tombstones_and_what_is_deprecated(tmp_path: Path) -> None:
    example = (
        '[event.A]\ntag = 1\nkey = "OrderKey"\ndeprecated = "use B"\n'
        'fields.class_ = { type = "str", wire = "class", compare = false }\n'
        '[reserved.OrderKey]\ntags = [7]\nnames = ["Gone"]\n'
    )
    namespace = model_of(tmp_path, example).namespaces[0]
    event = namespace.events[0]
    field = event.fields[1]
    assert (field.name, field.wire, field.compare, event.deprecated) == ("class_", "class", False, "use B")
    assert (namespace.reserved[0].tags, namespace.reserved[0].names) == ((7,), ("Gone",))


def test_the_hash_and_the_partitions_of_a_key(tmp_path: Path) -> None:
    example = (
        '[key.A]\ntopic = "a"\nfields.x = "u8"\n[key.B]\ntopic = "b"\nhash = "rust"\npartitions = 4\nfields.x = "u8"'
    )
    keys = model_of(tmp_path, example).namespaces[0].keys
    assert [(key.hash, key.partitions) for key in keys] == [("xxh3", 1), ("rust", 4)]
