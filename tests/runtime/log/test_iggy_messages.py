"""Records as messages of Iggy: what fits travels as it is, what does not travels folded, and order is kept."""

from __future__ import annotations

import struct
from itertools import pairwise

import pytest
from apache_iggy import SendMessage
from hypothesis import given
from hypothesis import strategies as st

from wakuwaku import Algebra, LogError, Ordering
from wakuwaku.errors import LogUnavailableError, OffsetOutOfRangeError, TopicNotFoundError
from wakuwaku.headers import HEAD_LENGTH, Record, encode_head
from wakuwaku.log import iggy_messages
from wakuwaku.log.iggy_envelope import FOLDED_HEADER, folded, unfolded
from wakuwaku.log.iggy_errors import explained
from wakuwaku.log.iggy_messages import message_of, requests_of
from wakuwaku.log.iggy_poll import parse_headers, record_of
from wakuwaku.log.iggy_wire import Place, create_topic, parse_stored_offset

HEAD = encode_head(7, 42, Ordering.ACQUIRE, Algebra.IDEMPOTENT)

headers = st.dictionaries(st.text(max_size=100), st.binary(max_size=300), min_size=1, max_size=5)
records = st.builds(
    Record,
    st.one_of(st.just(b""), st.binary(min_size=HEAD_LENGTH, max_size=HEAD_LENGTH)),
    st.binary(max_size=50),
    st.none() | headers,
)


@given(records)
def test_any_record_survives_being_folded(record: Record) -> None:
    sent = folded(record)

    assert unfolded(sent) == record
    assert sent.body
    assert all(1 <= len(name.encode()) <= 255 and 1 <= len(value) <= 255 for name, value in sent.headers.items())
    assert isinstance(message_of(record), SendMessage)


def test_an_ordinary_record_is_not_folded() -> None:
    """Services in Rust read it; a folded one they can't."""
    for record in (Record(HEAD, b"body"), Record(HEAD, b"body", {"traceparent": b"x" * 55}), Record(b"", b"body")):
        assert folded(record) is record


def test_headers_that_are_too_large_together_are_folded() -> None:
    record = Record(HEAD, b"body", {f"{number:04}": b"x" * 255 for number in range(400)})

    assert folded(record).extra == {FOLDED_HEADER: b"\x01"}


def test_a_damaged_folded_record_is_kept_as_it_is() -> None:
    record = Record(b"", b"\xc1", {FOLDED_HEADER: b"\x01"})

    assert unfolded(record) is record


def field(kind: int, value: bytes) -> bytes:
    return struct.pack("<BI", kind, len(value)) + value


def test_a_standard_header_that_is_no_raw_bytes_is_a_bad_one() -> None:
    """The Rust system drops such a record; here it goes to the dead letters with all its headers."""
    tag = field(2, b"wakuwaku-tag") + field(2, b"\x07\x00\x00\x00")
    rest = field(2, b"wakuwaku-key") + field(1, bytes(8)) + field(2, b"wakuwaku-props") + field(1, b"\x01\x01\x00")

    record = record_of(parse_headers(tag + rest), b"body")

    assert record.head == b""
    assert set(record.headers) == {"wakuwaku-tag", "wakuwaku-key", "wakuwaku-props"}


@given(sizes=st.lists(st.integers(0, 3_000), max_size=20))
def test_records_are_split_in_order_and_only_where_they_must_be(sizes: list[int]) -> None:
    made = [Record(HEAD, bytes(size), {"n": b"x"}) for size in sizes]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iggy_messages, "REQUEST_BYTES", 2_000)
        requests = list(requests_of(made))

    assert [record for request in requests for record in request] == made
    for request in requests:
        assert len(request) == 1 or sum(len(record.body) for record in request) <= 2_000
    for one, next_one in pairwise(requests):
        assert sum(len(record.body) + 143 for record in [*one, next_one[0]]) > 2_000


def test_commands_begin_as_the_server_reads_them() -> None:
    place = Place("mailer", "shop", "orders", 3)
    beginning = b"\x01\x02\x06mailer\x02\x04shop\x02\x06orders\x01\x03\x00\x00\x00"

    assert place.get_offset() == beginning
    assert place.store_offset(258) == beginning + b"\x02\x01" + bytes(6) + b"\x01"
    assert place.poll(258, 7) == beginning + b"\x01\x02\x01" + bytes(6) + b"\x07\x00\x00\x00\x00"
    assert create_topic("shop", "orders", 4, {"k": "v"}) == (
        b"\x02\x04shop\x04\x00\x00\x00\x06orders\x02\x01\x00\x00\x00k\x02\x01\x00\x00\x00v"
    )


def test_a_consumer_whose_name_is_a_number_is_the_one_other_clients_mean() -> None:
    assert Place("17", "s", "t", 0).get_offset().startswith(b"\x01\x01\x04\x11\x00\x00\x00")
    assert Place("4294967296", "s", "t", 0).get_offset().startswith(b"\x01\x02\x0a4294967296")


def test_a_stored_offset_is_told_apart_from_none_and_from_nonsense() -> None:
    assert parse_stored_offset(b"") is None
    assert parse_stored_offset(struct.pack("<IQQ", 3, 9, 5)) == 5
    with pytest.raises(ValueError, match="3 bytes are no stored offset"):
        parse_stored_offset(b"abc")


@pytest.mark.parametrize(
    ("text", "kind", "way_out"),
    [
        ("Disconnected", LogUnavailableError, "asked again"),
        ("Request transiently not committed; retry", LogUnavailableError, "asked again"),
        ("Cannot establish connection", LogUnavailableError, "asked again"),
        ("Invalid credentials", LogError, "look at the URL"),
        ("Unauthorized", LogError, "lacks the permission"),
        ("Topic with ID: 1 for stream with ID: 2 was not found.", TopicNotFoundError, "does not exist"),
        ("Invalid offset: 3", OffsetOutOfRangeError, "no such offset"),
        ("Something new", LogError, "refused the call"),
    ],
)
def test_errors_of_the_client_are_sorted_into_what_passes_and_what_does_not(
    text: str, kind: type[LogError], way_out: str
) -> None:
    error = explained(RuntimeError(text), "iggy://host:8090")

    assert type(error) is kind
    assert way_out in str(error)
    assert str(error).startswith("iggy://host:8090: ")
    assert text in str(error)
