"""What random edits seldom meet: structs against maps, tags against fields, reading by address."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.codegen.compat.proof import Trial, judge
from tests.codegen.compat.versions import ADDRESS, catalogue
from wakuwaku_gen.compat.reading import can_read

HEAD = '[key.BoxKey]\ntopic = "boxes"\nfields.id = "u64"\n[event.Moved]\ntag = 1\nkey = "BoxKey"\n'
LEAF = '[struct.Leaf]\nfields.note = "str | None"\nfields.size = { type = "u64", default = 0 }\n'
TAGGED = '[struct.Leaf]\nfields.note = "str | None"\n[struct.Twig]\nfields.size = "u64"\n[union.Plant]\nvariants = {}\n'
TYPED = '[struct.Leaf]\nfields.kind = {{ type = "{}", wire = "type" }}\n'

#: Two versions, and whether the new one reads the old, and the old one the new.
PAIRS: dict[str, tuple[str, str, bool, bool]] = {
    "a map as a struct of defaults": ('fields.a = "dict[str, str]"', f'fields.a = "Leaf"\n{LEAF}', False, False),
    "a map of integers as a struct of them": (
        'fields.a = "dict[str, u64]"',
        'fields.a = "Leaf"\n[struct.Leaf]\nfields.size = { type = "u64", default = 0 }',
        True,
        True,
    ),
    "a map by number as a struct": ('fields.a = "dict[u8, str]"', f'fields.a = "Leaf"\n{LEAF}', False, False),
    "a map as a struct that requires": (
        'fields.a = "dict[str, u64]"',
        'fields.a = "L"\n[struct.L]\nfields.x = "u64"',
        False,
        True,
    ),
    "a map as a union": (
        'fields.a = "dict[str, u64]"',
        'fields.a = "Plant"\n' + TAGGED.format('["Leaf", "Twig"]'),
        False,
        False,
    ),
    "a map as a union of one": (
        'fields.a = "dict[str, str]"',
        'fields.a = "Plant"\n' + TAGGED.format('["Leaf"]'),
        False,
        False,
    ),
    "an empty map as a struct": (
        'fields.a = { type = "dict[str, str]", max_length = 0 }',
        'fields.a = "L"\n[struct.L]\nfields.x = "u64 | None"',
        True,
        False,
    ),
    "a struct as a map by UUID": (f'fields.a = "Leaf"\n{LEAF}', 'fields.a = "dict[UUID, str]"', False, True),
    "a tagged struct as a map of texts": (
        'fields.a = "Plant"\n[struct.Leaf]\nfields.note = "str"\n[union.Plant]\nvariants = ["Leaf"]',
        'fields.a = "dict[str, str]"\n[struct.Leaf]\nfields.note = "str"\n[union.Plant]\nvariants = ["Leaf"]',
        True,
        False,
    ),
    "a tagged struct as a map of numbers": (
        'fields.a = "Plant"\n[struct.Leaf]\nfields.size = "u8"\n[union.Plant]\nvariants = ["Leaf"]',
        'fields.a = "dict[str, u8]"\n[struct.Leaf]\nfields.size = "u8"\n[union.Plant]\nvariants = ["Leaf"]',
        False,
        False,
    ),
    "a field that becomes a tag": (
        'fields.a = "Leaf"\n' + TYPED.format("str"),
        'fields.a = "Leaf"\n[struct.Leaf]\n[union.Plant]\nvariants = ["Leaf"]',
        False,
        True,
    ),
    "a number that becomes a tag": (
        'fields.a = "Leaf"\n' + TYPED.format("u8"),
        'fields.a = "Leaf"\n[struct.Leaf]\n[union.Plant]\nvariants = ["Leaf"]',
        False,
        False,
    ),
    "a list that becomes a tag": (
        'fields.a = "Leaf"\n' + TYPED.format("list[str]"),
        'fields.a = "Leaf"\n[struct.Leaf]\n[union.Plant]\nvariants = ["Leaf"]',
        False,
        False,
    ),
    "an enum of tags that becomes one": (
        'fields.a = "Leaf"\n[enum.Kind]\nvalues = ["Leaf"]\n' + TYPED.format("Kind"),
        'fields.a = "Plant"\n[enum.Kind]\nvalues = ["Leaf"]\n' + TAGGED.format('["Leaf", "Twig"]'),
        True,
        False,
    ),
    "a decimal as a text of so many characters": (
        'fields.a = "Decimal"',
        'fields.a = { type = "str", max_length = 36 }',
        False,
        False,
    ),
    "a decimal near zero as a text of so many characters": (
        'fields.a = { type = "Decimal", ge = 0, le = 0.5 }',
        'fields.a = { type = "str", max_length = 36 }',
        False,
        False,
    ),
    "a pattern of three characters, and a line feed": (
        'fields.a = { type = "str", pattern = "^[a-z]{1,3}$" }',
        'fields.a = { type = "str", max_length = 3 }',
        False,
        False,
    ),
    "a list as a scalar": ('fields.a = "list[u8]"', 'fields.a = "u8"', False, False),
    "tuples of other lengths": ('fields.a = "tuple[u8, u8]"', 'fields.a = "tuple[u8]"', False, False),
    "a set of few as a tuple": (
        'fields.a = { type = "set[bool]", min_length = 2 }',
        'fields.a = "tuple[bool, bool]"',
        True,
        True,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_is_read_as_its_codecs_do(name: str) -> None:
    """The verdicts expected here, which the codecs then prove."""
    before, after, backward, forward = PAIRS[name]
    old, new = catalogue(HEAD + before), catalogue(HEAD + after)

    assert (not can_read(new, old, ADDRESS), not can_read(old, new, ADDRESS)) == (backward, forward)
    judge(Trial(old, new), Counter())
