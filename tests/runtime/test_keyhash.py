"""Key hashes and partitions: the same number everywhere, from exactly the bytes of the key."""

from __future__ import annotations

import enum
import struct
import sys
import uuid
from types import SimpleNamespace
from typing import Any

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.orders import OrderKey, OrderPlaced
from wakuwaku import KeyHash, StartError
from wakuwaku.keyhash import hash_bytes, hasher_of, partition_of

U64 = st.integers(0, 2**64 - 1)


class Currency(enum.StrEnum):
    """An enum of texts, as the generator writes it."""

    EUR = "EUR"


class Priority(enum.IntEnum):
    """An enum of numbers, as the generator writes it."""

    HIGH = 3


def hash_of(key_hash: KeyHash = KeyHash.XXH3, /, **fields: tuple[str, object]) -> int:
    """Hash a key given as name=(type, value)."""
    layout = {name: kind for name, (kind, _) in fields.items()}
    key = SimpleNamespace(**{name: value for name, (_, value) in fields.items()})
    return hasher_of(layout, key_hash)(key)


def xxh32_of_eight(data: bytes) -> int:
    """Compute XXH32 with seed 0 of eight bytes, step by step as the specification of xxHash has it."""
    prime2, prime3, prime4, prime5 = 2246822519, 3266489917, 668265263, 374761393
    mask = 2**32 - 1
    state = prime5 + 8
    for start in (0, 4):
        state = (state + int.from_bytes(data[start : start + 4], "little") * prime3) & mask
        state = ((state << 17 | state >> 15) * prime4) & mask
    state = ((state ^ state >> 15) * prime2) & mask
    state = ((state ^ state >> 13) * prime3) & mask
    return state ^ state >> 16


@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        ("i8", -1, "ff"),
        ("u8", 255, "ff"),
        ("i16", -2, "feff"),
        ("u16", 513, "0102"),
        ("i32", -1, "ffffffff"),
        ("u32", 1, "01000000"),
        ("i64", -1, "ffffffffffffffff"),
        ("int", 258, "0201000000000000"),
        ("u64", 2**64 - 1, "ffffffffffffffff"),
        ("bool", True, "01"),
        ("str", "é", "c3a9ff"),
        ("str", "", "ff"),
        ("bytes", b"\x00\x01", "02000000000000000001"),
        ("UUID", uuid.UUID(int=1), "1000000000000000" + "00" * 15 + "01"),
        ("str", Currency.EUR, "455552ff"),
        ("u8", Priority.HIGH, "03"),
    ],
)
@pytest.mark.parametrize("key_hash", KeyHash)
def test_a_field_hashes_the_bytes_of_its_declared_type(kind: str, value: object, data: str, key_hash: KeyHash) -> None:
    """Each type of a key has one layout in bytes, and both hashes read it."""
    assert hash_of(key_hash, only=(kind, value)) == hash_bytes(bytes.fromhex(data), key_hash)


def test_fields_hash_one_behind_another() -> None:
    """A key of several fields hashes their bytes in order, without names."""
    assert hash_of(shop=("u8", 9), name=("str", "a")) == hash_bytes(b"\x09a\xff", KeyHash.XXH3)


def test_neighbouring_texts_do_not_run_into_each_other() -> None:
    """("a", "bc") and ("ab", "c") are different keys."""
    assert hash_of(left=("str", "a"), right=("str", "bc")) != hash_of(left=("str", "ab"), right=("str", "c"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 3244421341483603138),
        (b"\x07" + bytes(7), 9324454920402081455),
        (b"order-42\xff", 1623533853409396597),
    ],
)
def test_xxh3_numbers_never_change(data: bytes, expected: int) -> None:
    """The numbers of today are those in every log already written; another number would strand its keys."""
    assert hash_bytes(data, KeyHash.XXH3) == expected
    assert xxhash.xxh3_64(data).intdigest() == expected


def test_a_key_and_its_events_hash_alike() -> None:
    """The publisher hashes events, operators hash keys: both find the same number."""
    hash_key = OrderKey.__wakuwaku__.hash

    assert hash_key(OrderPlaced(order_id=7, customer="Ada")) == hash_key(OrderKey(order_id=7))
    assert hash_key(OrderKey(order_id=7)) == 9324454920402081455


@pytest.mark.parametrize(("kind", "value"), [("u8", 256), ("i8", 128), ("u64", -1), ("i64", 2**63)])
def test_a_number_outside_its_type_is_refused(kind: str, value: int) -> None:
    """A value the declared type can't hold has no hash, rather than the hash of another key."""
    with pytest.raises(struct.error):
        hash_of(only=(kind, value))


def test_the_rust_hash_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without siphash24 a topic shared with Rust can't start, and the error says what to install."""
    monkeypatch.setitem(sys.modules, "siphash24", None)

    with pytest.raises(StartError, match=r"pip install 'wakuwaku\[rust\]'"):
        hash_of(KeyHash.RUST, only=("u64", 7))


@pytest.mark.parametrize(
    ("key", "digest"),
    [
        (0, 3736311059),
        (1, 149775153),
        (7, 3913589855),
        (2**32, 3658090324),
        (2**64 - 1, 3246573273),
        (13646096770106105413, 1218512526),
    ],
)
@pytest.mark.parametrize("partitions", [1, 4, 7, 1000])
def test_partitions_never_move(key: int, digest: int, partitions: int) -> None:
    """A key stays in its partition for ever, the one an Iggy SDK chooses for it."""
    assert partition_of(key, partitions) == digest % partitions


@given(key=U64, partitions=st.integers(1, 10_000))
def test_a_partition_is_xxh32_of_the_key_hash(key: int, partitions: int) -> None:
    """Every key has a partition in range, by the definition of xxHash and not by whatever a library does."""
    partition = partition_of(key, partitions)

    assert 0 <= partition < partitions
    assert partition == xxh32_of_eight(key.to_bytes(8, "little")) % partitions


FIELDS: dict[str, Any] = {
    "u64": U64,
    "i16": st.integers(-(2**15), 2**15 - 1),
    "bool": st.booleans(),
    "str": st.text(),
    "bytes": st.binary(),
    "UUID": st.uuids(),
}


@given(data=st.data(), kinds=st.lists(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=4))
def test_a_hash_fits_the_header(data: st.DataObject, kinds: list[str]) -> None:
    """Whatever the key holds, its hash is an unsigned 64-bit number."""
    fields = {f"field_{place}": (kind, data.draw(FIELDS[kind])) for place, kind in enumerate(kinds)}

    assert 0 <= hash_of(**fields) < 2**64
