"""What a user reads for each mistake: the place, the rule, the message and the way out."""

from pathlib import Path

import pytest

from tests.codegen.check.examples import MISSING_DOC, bound, told
from wakuwaku_gen.check import RULES, rule_of

#: The whole message of each rule's bad example: place, message, help.
BY_RULE = {
    "WK006": (
        "shop.toml:3:7",
        "not valid TOML: invalid value",
        "mend it there; TOML tells the place where it could not go on, so what is wrong may stand just before",
    ),
    "WK007": ("shop.toml:4:1", "duplicate key 'doc'", "remove or rename one of the two"),
    "WK008": ("shop.toml:3:107", "values nest deeper than 100 levels", "declare structs instead"),
    "WK009": ("shop.toml:1:1", "two files whose names differ only in letter case", "rename one of them"),
    "WK010": ("shop.toml:4:1", "unknown key 'field' in a struct", "did you mean 'fields'?"),
    "WK011": ("shop.toml:3:7", "expected a string, found an integer", None),
    "WK012": (
        "shop.toml:3:1",
        "an event needs the key 'tag'",
        "tag: Its number on the topic; never used for another event.",
    ),
    "WK013": (
        "shop.toml:1:12",
        "language version 2 is not known; this generator knows version 1",
        "write `wakuwaku = 1`, or update the generator",
    ),
    "WK014": ("shop.toml:5:8", "unknown value 'md5'", "it is one of xxh3, rust"),
    "WK015": ("shop.toml:4:7", "-1 is out of range", "it is 0 to 4294967295"),
    "WK016": ("b.toml:3:7", "another file gives the doc of this namespace already", "keep one of the two"),
    "WK017": ("shop.toml:5:11", "WK102 is an error, which nothing permits", "remove it"),
    "WK050": ("shop.toml:5:11", "nothing here breaks WK450", "remove it"),
    "WK101": ("shop.toml:3:9", "the type name 'order_line' is not in PascalCase", "call it 'OrderLine'"),
    "WK102": ("shop.toml:4:20", "unknown type 'Currrency'", "did you mean 'Currency'?"),
    "WK103": (
        "shop.toml:4:8",
        "the field name 'stockKeepingUnit' is not in snake_case",
        "call it 'stock_keeping_unit'",
    ),
    "WK104": (
        "shop.toml:4:8",
        "'class' is a Python keyword",
        'keep it on the wire only: class_ = { type = …, wire = "class" }',
    ),
    "WK105": (
        "shop.toml:4:8",
        "generated classes need the name 'key' themselves",
        'keep it on the wire only: key_ = { type = …, wire = "key" }',
    ),
    "WK106": (
        "shop.toml:2:13",
        "the namespace 'Shop' is not made of snake_case names joined by dots",
        "call it 'shop'",
    ),
    "WK107": (
        "shop.toml:4:9",
        "'my carts' can't name a topic",
        "a letter, then letters, digits, dots, dashes and underscores; at most 255",
    ),
    "WK108": (
        "shop.toml:4:11",
        "'title' is an attribute of every enum",
        'name it apart from its value: { TITLE = "title" }',
    ),
    "WK109": ("shop.toml:4:7", "'Line' is declared twice in namespace 'shop'", "rename one of the two"),
    "WK110": ("shop.toml:4:9", "the type names 'Http' and 'HTTP' differ only in letter case", "rename one of the two"),
    "WK111": (
        "shop.toml:4:8",
        "the handler of 'Order' and the type 'OrderHandler' would both be called 'OrderHandler'",
        "rename one of the two",
    ),
    "WK112": ("shop.toml:5:38", "two fields are called 'sku' on the wire", "give one of them another `wire`"),
    "WK113": ("shop.toml:4:19", "unexpected '?' in a type", "write `T | None` for a value that may be missing"),
    "WK114": ("shop.toml:4:17", "'list' does not say what it holds", "write list[T]"),
    "WK115": (
        "shop.toml:4:18",
        "only `T | None` joins types here",
        "declare a union of structs: [union.Name]",
    ),
    "WK116": (
        "shop.toml:4:21",
        "the values of an enum are all texts or all integers",
        "write all of them in one kind",
    ),
    "WK117": ("shop.toml:4:21", "two members have the value 1", "remove one, or give it another value"),
    "WK118": ("shop.toml:6:13", "'Kind' is no struct, so it can't be a variant", "put it into a struct"),
    "WK119": (
        "shop.toml:3:9",
        "no value of 'Node' can ever be built: Node needs Node",
        "make a field of the cycle nullable (`T | None`) or a list",
    ),
    "WK150": ("shop.toml:3:9", "'Line' has no doc", 'say in a sentence what it is: doc = "…"'),
    "WK201": ("shop.toml:7:7", "tag 1 of topic 'orders' is that of 'OrderPlaced'", "the next free tag is 2"),
    "WK202": ("shop.toml:4:7", "tag 1 is reserved: an event that is gone had it", "take a new tag"),
    "WK203": ("shop.toml:3:8", "the name 'OrderPlaced' is reserved", "take a new name"),
    "WK204": ("shop.toml:7:9", "the topic 'carts' belongs to 'shop.CartKey'", "give the key a topic of its own"),
    "WK205": ("shop.toml:5:7", "unknown key 'OrderKy' in namespace 'shop'", "did you mean 'OrderKey'?"),
    "WK206": (
        "shop.toml:5:13",
        "a key's field is an integer, a bool, a str, bytes, a UUID or an enum, and never optional",
        "move it to the events",
    ),
    "WK207": ("shop.toml:5:1", "a key has at least one field", 'such as fields.order_id = "u64"'),
    "WK208": (
        "shop.toml:9:8",
        "the event has the field 'id' already, from its key",
        "remove it: the key's fields come first",
    ),
    "WK250": (
        "shop.toml:7:7",
        "tag 12 leaves out 2, 3, 4 and more",
        "take 2, or reserve what events had that are gone: [reserved.OrderKey]",
    ),
    "WK251": (
        "shop.toml:6:12",
        "'OrderPlaced' is the only event of topic 'orders', so its fence has nothing to order",
        "remove it: events of one type and key keep their order anyway",
    ),
    "WK252": (
        "shop.toml:6:14",
        "'OrderPlaced' is deprecated, and nobody learns why",
        'say what to use instead, and until when it is sent: deprecated = "use OrderPlacedV2 from June 2027"',
    ),
    "WK301": ("shop.toml:4:44", "300 is out of range", "it is 0 to 255"),
    "WK302": ("shop.toml:4:52", "the default breaks the field's own ge = 1", None),
    "WK303": (
        "shop.toml:4:34",
        "'min_length' restricts texts, bytes and collections, which this field is not",
        "remove it",
    ),
    "WK304": ("shop.toml:4:40", "not a regular expression: missing ), unterminated subpattern at position 0", None),
    "WK305": ("shop.toml:4:42", "'ge' and 'le' leave no value", "change or remove one"),
    "WK306": ("shop.toml:4:58", "a required field has no default", "remove one of the two"),
    "WK401": ("shop.toml:6:11", "unknown algebra 'idempotant'", "did you mean 'idempotent'?"),
    "WK402": (
        "shop.toml:6:27",
        "the laws 'associative' and 'idempotent' do not go together",
        "only 'idempotent' and 'commutative' are joined; otherwise name one law",
    ),
    "WK403": (
        "shop.toml:6:26",
        "the fences 'release' and 'acquire' contradict each other",
        "keep one; 'acq_rel' is both acquire and release",
    ),
    "WK404": ("shop.toml:6:12", "unknown ordering 'aquire'", "did you mean 'acquire'?"),
    "WK405": (
        "shop.toml:3:1",
        "no combine rule for 'cents'",
        "an associative event needs one per field: [event.Paid.combine]",
    ),
    "WK406": (
        "shop.toml:7:1",
        "only an associative event has combine rules",
        'write `algebra = "associative"`, or remove the rules',
    ),
    "WK407": ("shop.toml:9:9", "the event has no field 'cent'", "did you mean 'cents'?"),
    "WK408": (
        "shop.toml:8:17",
        "'concat' does not combine fields such as 'cents'",
        "it can be sum, product, min, max, first, last, keep, custom",
    ),
    "WK450": (
        "shop.toml:8:18",
        "the sum of floats depends on how the events are grouped",
        "use Decimal, or an integer of a smaller unit",
    ),
    "WK451": (
        "shop.toml:7:12",
        "all combine rules of 'Paid' commute",
        "if the order of its events does not matter either, 'acquire' can go",
    ),
    "WK452": (
        "shop.toml:8:8",
        "'event_id' looks like a fresh id, so no two events would be equal and nothing collapses",
        "leave it out of comparisons: `compare = false`",
    ),
    "WK453": (
        "shop.toml:7:13",
        "'OrderPlaced' is associative: its handler gets one combined event, never 100",
        "remove `max_batch`",
    ),
}


@pytest.mark.parametrize("rule_id", BY_RULE)
def test_the_bad_example_is_told_with_place_message_and_help(rule_id: str, tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, rule_of(rule_id).bad, docs=rule_id == MISSING_DOC)
    (found,) = diagnostics.items
    assert (str(found.span), found.message, found.help) == BY_RULE[rule_id]


def test_every_rule_that_a_schema_can_break_has_its_message_here() -> None:
    shown_by_files_only = {"WK001", "WK002", "WK003", "WK004", "WK005"}
    assert BY_RULE.keys() | shown_by_files_only == {rule.id for rule in RULES}


EVENT = '[event.Paid]\ntag = 1\nkey = "OrderKey"\n'


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        # names
        ("[struct.None]", ["shop.toml:3:9 WK104 'None' is a Python keyword"]),
        ("[struct.Decimal]", ["shop.toml:3:9 WK105 'Decimal' is a type of the language"]),
        ("[event.Batch]\ntag=1\nkey='OrderKey'",
            ["shop.toml:3:8 WK105 generated handlers need the name 'Batch' themse"]),
        ('[struct."Größe"]', ["shop.toml:3:9 WK101 the type name 'Größe' is not ASCII"]),
        ('[struct.A]\nfields."ﬁeld" = "str"', ["shop.toml:4:8 WK103 the field name 'ﬁeld' is not ASCII"]),
        ('[struct.A]\nfields."Nm³" = "str"', ["shop.toml:4:8 WK103 the field name 'Nm³' is not ASCII"]),
        ('[struct.A]\nfields.match = "str"', ["shop.toml:4:8 WK104 'match' is a Python keyword"]),
        ('[struct.A]\nfields.None = "str"', ["shop.toml:4:8 WK104 'None' is a Python keyword"]),
        ('[struct.A]\nfields.__post_init__ = "str"',
            ["shop.toml:4:8 WK103 the field name '__post_init__' is not in s"]),
        ('[struct.A]\nfields.a__b = "str"', ["shop.toml:4:8 WK103 the field name 'a__b' is not in snake_case"]),
        ('[struct.A]\nfields."" = "str"', ["shop.toml:4:8 WK103 the field name '' is not in snake_case"]),
        ('[struct.A]\nfields.x = { type = "str", wire = "" }', ["shop.toml:4:35 WK112 the name on the wire is empty"]),
        (
            '[struct.A]\nfields.kind = { type = "str", wire = "type" }\n[union.U]\nvariants = ["A"]',
            ["shop.toml:4:38 WK112 a struct in a union keeps its own name as 'type' on the wire"],
        ),
        ('[enum.E]\nvalues = ["mro", "_x_"]',
            ["shop.toml:4:11 WK108 'mro' is an attribute of every enum", "shop.toml:4:18 WK108"]),
        ('[enum.E]\nvalues = ["and"]', ["shop.toml:4:11 WK104 'and' is a Python keyword"]),
        ('[enum.E]\nvalues = ["a", "a"]', ["shop.toml:4:16 WK117 two members have the value 'a'"]),
        ("[enum.E]\nvalues = []", ["shop.toml:4:10 WK116 an enum has at least one member"]),
        ("[union.U]\nvariants = []", ["shop.toml:4:12 WK118 a union has at least one variant"]),
        ('[struct.A]\n[union.U]\nvariants = ["A", "A"]', ["shop.toml:5:18 WK118 two variants are called 'A'"]),
        ('namespace = "a.events"', ["shop.toml:2:13 WK106 'events' is a module of every generated package"]),
        ('namespace = "nul"', ["shop.toml:2:13 WK106 'nul' is the name of a device on Windows"]),
        ('namespace = "a.class"', ["shop.toml:2:13 WK106 'class' is a Python keyword"]),
        ('namespace = "wakuwaku"', ["shop.toml:2:13 WK106 the package 'wakuwaku' would hide another of that name"]),
        (
            '[key.AKey]\ntopic = "a-b"\nfields.x = "u8"\n[key.BKey]\ntopic = "a_b"\nfields.x = "u8"',
            ["shop.toml:7:9 WK111 the handler bundle of topic 'a_b' and the handler bundle of topic 'a-b' would both"],
        ),
        # references
        ('[struct.A]\nfields.x = "list[Lin]"\n[struct.Line]', ["shop.toml:4:18 WK102 unknown type 'Lin'"]),
        ('[struct.A]\nfields.x = "OrderKey"', ["shop.toml:4:13 WK115 'OrderKey' is a key, not the type of a field"]),
        ('[struct.A]\nfields.x = "biling.Money"', ["shop.toml:4:13 WK102 unknown namespace 'biling'"]),
        ('[reserved.Nothing]\ntags = [1]', ["shop.toml:3:11 WK205 unknown key 'Nothing' in namespace 'shop'"]),
        ("[struct.A]\n[event.B]\ntag = 1\nkey = 'A'", ["shop.toml:6:7 WK205 'A' is no key but declared as [struct.…]"]),
        # knock-on errors stay away
        (EVENT + 'algebra = "associative"\nfields.x = "strr"\ncombine.x = "sum"', ["shop.toml:7:13 WK102"]),
        (EVENT + 'algebra = "asociative"\nfields.x = "u8"\ncombine.x = "sum"', ["shop.toml:6:11 WK401"]),
        (EVENT + 'algebra = "associative"\nfields.x = "u8"\ncombine.x = "summ"', ["shop.toml:8:13 WK014"]),
        (EVENT + 'fields.x = { type = "Foo", ge = 1, default = 3 }', ["shop.toml:6:22 WK102"]),
        ("[key.CartKey]\nfields.id = 'u64'\n[event.A]\ntag = 1\nkey = 'CartKey'", ["shop.toml:3:1 WK012"]),
        ("[enum.E]\nvalues = 1\n[struct.A]\nfields.e = { type = 'E', default = 'X' }", ["shop.toml:4:10 WK011"]),
        ("struct.A = 3\n[struct.B]\nfields.a = 'A'", ["shop.toml:3:12 WK011"]),
        # events
        (EVENT + 'fields.order_id = "u64"', ["shop.toml:6:8 WK208 the event has the field 'order_id' already"]),
        (EVENT + 'fields.x = { type = "str", wire = "order_id" }',
            ["shop.toml:6:35 WK112 two fields are called 'order_id'"]),
        (EVENT + 'algebra = ["idempotent", "acquire", "release"]', ["shop.toml:6:37 WK403"]),
        (EVENT + 'algebra = ["non_associative", "commutative"]', ["shop.toml:6:31 WK402"]),
        (EVENT + 'ordering = "idempotent"', ["shop.toml:6:12 WK404 unknown ordering 'idempotent'"]),
        (EVENT + 'algebra = "associative"\nfields.x = "u8"\n[event.Paid.combine]\norder_id = "keep"\nx = "sum"',
            ["shop.toml:9:1 WK407 'order_id' is a field of the key"]),
        (EVENT + 'algebra = "associative"\nfields.x = "u8"\n[event.Paid.combine]',
            ["shop.toml:8:1 WK405 no combine rule for 'x'"]),
        (EVENT + 'fields.gone = "u8"\n[reserved.OrderKey]\nnames = ["gone"]',
            ["shop.toml:6:8 WK203 the name 'gone' is reserved"]),
        (EVENT + "max_batch = 0", ["shop.toml:6:13 WK015 0 is out of range"]),
        (EVENT.replace("1", "4294967296"), ["shop.toml:4:7 WK015 4294967296 is out of range"]),
    ],
)  # fmt: skip
def test_a_mistake_is_told_once_and_at_its_place(example: str, expected: list[str], tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, example)
    lines = told(diagnostics)
    assert len(lines) == len(expected), lines
    assert all(line.startswith(start) for line, start in zip(lines, expected, strict=True)), lines


def test_the_second_of_two_is_told_with_a_note_at_the_first(tmp_path: Path) -> None:
    _, diagnostics = bound(tmp_path, "# file: a.toml\n[struct.Line]\n# file: b.toml\n[struct.Line]")
    (found,) = diagnostics.items
    assert (str(found.span), [str(note.span) for note in found.notes]) == ("b.toml:3:9", ["a.toml:3:9"])


def test_a_type_of_another_namespace_is_suggested(tmp_path: Path) -> None:
    example = '# file: a.toml\nnamespace = "billing"\n[struct.Money]\n# file: b.toml\n[struct.A]\nfields.x = "Money"'
    _, diagnostics = bound(tmp_path, example)
    (found,) = diagnostics.items
    assert (str(found.span), found.help) == ("b.toml:4:13", "did you mean 'billing.Money'?")


def test_a_key_is_not_lent_to_another_namespace(tmp_path: Path) -> None:
    example = (
        f'# file: a.toml\nnamespace = "billing"\n{EVENT}# file: b.toml\n[key.CartKey]\ntopic="carts"\nfields.x="u8"\n'
    )
    example = example.replace("OrderKey", "CartKey")
    _, diagnostics = bound(tmp_path, example)
    (found,) = diagnostics.items
    assert (found.rule, found.help) == ("WK205", "an event and its key share a namespace; 'CartKey' is in another")


def test_many_mistakes_are_collected_in_one_run_and_sorted_by_place(tmp_path: Path) -> None:
    example = "[struct.a]\nfields.B = 'strr'\nfields.c = { type = 'u8', ge = 300 }\ndok = 1"
    _, diagnostics = bound(tmp_path, example)
    assert [item.rule for item in diagnostics.sorted()] == ["WK101", "WK103", "WK102", "WK305", "WK010"]
