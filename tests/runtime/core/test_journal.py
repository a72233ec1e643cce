"""The retry topic's bytes: what is written is read back, and what is not ours is told from what is damaged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.core.records import record
from wakuwaku._core.journal import (
    JOURNAL_HEADER,
    SOURCE_HEADER,
    AttemptEnded,
    AttemptStarted,
    JournalEntry,
    Moved,
    Pending,
    decode,
    encode_entry,
    encode_pending,
    original,
)
from wakuwaku._core.plan import Entry
from wakuwaku.errors import HeaderError
from wakuwaku.headers import RETRY_HEADER, Record, encode_retry, parse_head
from wakuwaku.ordering import Ordering

u64 = st.integers(0, 2**64 - 1)
positions = st.lists(st.integers(0, 2**40), max_size=5)
entries = st.one_of(
    st.builds(AttemptStarted, key=u64, attempt=st.integers(1, 9), last=st.integers(0, 2**40), at_ms=st.integers(0)),
    st.builds(AttemptEnded, key=u64, attempts=st.integers(0, 9), due_ms=st.none() | st.integers(0), resolved=positions),
    st.builds(
        Moved,
        key=u64,
        attempts=st.integers(0, 9),
        due_ms=st.none() | st.integers(0),
        up_to=st.integers(-1, 2**40),
        resolved=positions,
    ),
).filter(lambda entry: max(getattr(entry, "due_ms", 0) or 0, getattr(entry, "at_ms", 0)) < 2**63)


@given(entries)
def test_a_journal_entry_is_read_back(entry: JournalEntry) -> None:
    assert decode(encode_entry(entry)) == entry


@given(st.sampled_from(Ordering), st.sampled_from(Ordering), st.integers(0, 2**63), st.integers(0, 2**63))
def test_a_pending_record_is_read_back_and_turned_into_the_original(
    ordering: Ordering, rewritten: Ordering, offset: int, failed_at_ms: int
) -> None:
    first = Record(record(7, 3, ordering).head, b"body", {"trace": b"1"})
    written = encode_pending(Entry(offset, 3, int(rewritten), first), failed_at_ms)
    pending = decode(written)
    assert isinstance(pending, Pending)
    assert (pending.key, pending.entry.offset, pending.entry.tag, pending.failed_at_ms) == (7, offset, 3, failed_at_ms)
    assert pending.entry.ordering == parse_head(written).ordering == rewritten
    assert written.body == b"body"
    assert original(written) == first


def test_a_pending_record_has_the_rust_system_s_retry_header() -> None:
    written = encode_pending(Entry(5, 1, 1, record(7)), 1234)
    assert written.headers[RETRY_HEADER] == encode_retry(1234)


def test_a_record_of_the_rust_system_is_pending_without_a_source() -> None:
    theirs = Record(record(7).head, b"body", {RETRY_HEADER: encode_retry(9)})
    pending = decode(theirs)
    assert isinstance(pending, Pending)
    assert pending.entry.offset < 0
    assert original(theirs) == Record(record(7).head, b"body")


@pytest.mark.parametrize(
    ("bad", "header", "reason"),
    [
        (Record(b"", b"", None), "wakuwaku-tag", "missing"),
        (record(1), RETRY_HEADER, "missing"),
        (Record(record(1).head, b"", {RETRY_HEADER: b"\x02" + bytes(8)}), RETRY_HEADER, "unknown_version"),
        (Record(b"", b"\xc1", {JOURNAL_HEADER: b"\x01"}), JOURNAL_HEADER, "malformed"),
        (Record(b"", b"\x91\xa5other", {JOURNAL_HEADER: b"\x01"}), JOURNAL_HEADER, "malformed"),
        (Record(b"", b"", {JOURNAL_HEADER: b"\x02"}), JOURNAL_HEADER, "unknown_version"),
        *(
            (Record(record(1).head, b"", {RETRY_HEADER: encode_retry(0), SOURCE_HEADER: source}), SOURCE_HEADER, reason)
            for source, reason in (
                (b"\x01", "malformed"),
                (b"\x02" + bytes(8) + b"\x01", "unknown_version"),
                (b"\x01" + bytes(8) + b"\x03", "malformed"),
            )
        ),
    ],
)
def test_what_is_damaged_or_newer_is_told_with_its_header(bad: Record, header: str, reason: str) -> None:
    with pytest.raises(HeaderError) as told:
        decode(bad)
    assert (told.value.header, told.value.reason) == (header, reason)
