"""Records and their headers: nothing gets lost, and what is wrong is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakuwaku import Algebra, HeaderError, Ordering
from wakuwaku.headers import (
    HEAD_LENGTH,
    KEY_HEADER,
    PROPS_HEADER,
    RETRY_HEADER,
    TAG_HEADER,
    Head,
    Record,
    encode_head,
    encode_retry,
    parse_head,
    parse_props,
    parse_retry,
)

U32 = st.integers(0, 2**32 - 1)
U64 = st.integers(0, 2**64 - 1)

#: Any headers at all, with the standard ones often there, often of their right length.
HEADERS = st.dictionaries(
    st.sampled_from([TAG_HEADER, KEY_HEADER, PROPS_HEADER, RETRY_HEADER]) | st.text(max_size=20),
    st.sampled_from([bytes(4), bytes(8), b"\x01\x01\x00"]) | st.binary(max_size=12),
) | st.fixed_dictionaries(
    {
        TAG_HEADER: st.binary(min_size=4, max_size=4),
        KEY_HEADER: st.binary(min_size=8, max_size=8),
        PROPS_HEADER: st.binary(min_size=3, max_size=3),
    },
    optional={RETRY_HEADER: st.binary(max_size=9), "traceparent": st.binary(max_size=55)},
)

GOOD = {TAG_HEADER: b"\x02\x00\x00\x00", KEY_HEADER: b"\x07" + bytes(7), PROPS_HEADER: b"\x01\x02\x03"}


@given(headers=HEADERS, body=st.binary(max_size=20))
def test_a_record_keeps_every_header(headers: dict[str, bytes], body: bytes) -> None:
    """Whatever headers a message came with, ours or foreign, whole or damaged, they can be written out again."""
    record = Record.of(headers, body)

    assert record.headers == headers
    assert record.body == body


@given(headers=HEADERS)
def test_a_record_has_a_whole_head_or_none(headers: dict[str, bytes]) -> None:
    """`head` is all three standard headers or empty, never a part of them."""
    assert len(Record.of(headers, b"").head) in {0, HEAD_LENGTH}


@given(tag=U32, key=U64, ordering=st.sampled_from(Ordering), algebra=st.sampled_from(Algebra))
def test_what_was_encoded_is_parsed_back(tag: int, key: int, ordering: Ordering, algebra: Algebra) -> None:
    """Parsing undoes encoding, for every tag, key hash and law."""
    record = Record(encode_head(tag, key, ordering, algebra), b"")

    assert parse_head(record) == Head(tag, key, ordering, algebra)
    assert parse_head(Record.of(record.headers, b"")) == parse_head(record)


@given(failed_at_ms=U64)
def test_a_time_of_failure_is_parsed_back(failed_at_ms: int) -> None:
    """Parsing undoes encoding, for every time that fits."""
    assert parse_retry(encode_retry(failed_at_ms)) == failed_at_ms


@given(value=st.binary(max_size=5) | st.lists(st.integers(0, 8), min_size=3, max_size=3).map(bytes))
def test_properties_parse_or_name_their_fault(value: bytes) -> None:
    """Any bytes either are a pair of laws, and then encode to themselves, or are refused as a bad header."""
    valid = len(value) == 3 and value[0] == 1 and value[1] in {1, 2, 4, 6} and value[2] < 5
    if valid:
        assert encode_head(0, 0, *parse_props(value))[-3:] == value
    else:
        with pytest.raises(HeaderError, match=PROPS_HEADER):
            parse_props(value)


def test_headers_are_little_endian_and_by_name() -> None:
    """The bytes on the wire are those the module's table promises."""
    record = Record(encode_head(0x01020304, 0x1112131415161718, Ordering.ACQUIRE, Algebra.COMMUTATIVE), b"")

    assert record.headers == {
        "wakuwaku-tag": bytes.fromhex("04030201"),
        "wakuwaku-key": bytes.fromhex("1817161514131211"),
        "wakuwaku-props": bytes.fromhex("010203"),
    }


@pytest.mark.parametrize("name", [TAG_HEADER, KEY_HEADER, PROPS_HEADER])
def test_a_missing_header_is_named(name: str) -> None:
    """A record without one of the standard headers is refused, and the error says which one."""
    record = Record.of({other: value for other, value in GOOD.items() if other != name}, b"")

    with pytest.raises(HeaderError) as caught:
        parse_head(record)

    assert (caught.value.header, caught.value.reason) == (name, "missing")
    assert str(caught.value) == f"header '{name}' is missing"


@pytest.mark.parametrize("name", [TAG_HEADER, KEY_HEADER, PROPS_HEADER])
@pytest.mark.parametrize("value", [b"", b"\x01\x01", bytes(9)], ids=["empty", "short", "long"])
def test_a_header_of_another_length_is_named(name: str, value: bytes) -> None:
    """A record with a standard header of another length is refused, and the error says which one."""
    with pytest.raises(HeaderError) as caught:
        parse_head(Record.of({**GOOD, name: value}, b""))

    assert (caught.value.header, caught.value.reason) == (name, "malformed")


def test_an_unknown_version_is_told_apart_from_damage() -> None:
    """Properties of a newer version say so, since upgrading is the way out, not repairing."""
    with pytest.raises(HeaderError, match="header 'wakuwaku-props' has an unknown version") as caught:
        parse_head(Record.of({**GOOD, PROPS_HEADER: b"\x02\x01\x00"}, b""))

    assert caught.value.reason == "unknown_version"


def test_a_record_without_headers_misses_the_first_one() -> None:
    """A message of somebody else, without any header, is refused like any other."""
    with pytest.raises(HeaderError) as caught:
        parse_head(Record.of({}, b"hello"))

    assert (caught.value.header, caught.value.reason) == (TAG_HEADER, "missing")
