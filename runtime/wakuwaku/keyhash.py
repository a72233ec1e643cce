"""Hash a partition key to 64 bits, the same on every machine and in every process.

Both hashes read the same bytes, those of Rust's ``Hash``: fields in order, no names; integers little endian at their
declared width, bool one byte, str as UTF-8 and 0xFF, bytes and UUID as a u64 length and the bytes, an enum as its wire
value. ``rust`` is SipHash-1-3 with a zero key over them, the number Rust's ``DefaultHasher`` gives.
"""

from __future__ import annotations

import enum
import struct
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, final

import xxhash

from wakuwaku.errors import StartError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["KeyHash", "hasher_of", "partition_of"]


@final
class KeyHash(enum.Enum):
    """Name a hash function for keys."""

    XXH3 = "xxh3"
    RUST = "rust"


_INTEGERS: Final = {
    "i8": "<b",
    "i16": "<h",
    "i32": "<i",
    "i64": "<q",
    "int": "<q",
    "u8": "<B",
    "u16": "<H",
    "u32": "<I",
    "u64": "<Q",
    "bool": "<?",
}


def _str_bytes(value: str) -> bytes:
    return value.encode() + b"\xff"


def _bytes_bytes(value: bytes) -> bytes:
    return len(value).to_bytes(8, "little") + value


def _uuid_bytes(value: Any) -> bytes:
    return _bytes_bytes(value.bytes)


_WRITERS: Final[Mapping[str, Callable[[Any], bytes]]] = {"str": _str_bytes, "bytes": _bytes_bytes, "UUID": _uuid_bytes}


def _writer_of(kind: str) -> Callable[[Any], bytes]:
    if kind in _INTEGERS:
        return struct.Struct(_INTEGERS[kind]).pack
    return _WRITERS[kind]


def _siphash13(data: bytes) -> int:
    try:
        import siphash24  # noqa: PLC0415 - an extra, loaded only for topics shared with Rust
    except ImportError:
        raise StartError("hash = \"rust\" needs SipHash-1-3: pip install 'wakuwaku[rust]'") from None
    return int.from_bytes(siphash24.siphash13(data, key=bytes(16)).digest(), "little")


def hash_bytes(data: bytes, key_hash: KeyHash) -> int:
    """Hash the bytes of a key to an unsigned 64-bit number."""
    return xxhash.xxh3_64_intdigest(data) if key_hash is KeyHash.XXH3 else _siphash13(data)


def hasher_of(layout: Mapping[str, str], key_hash: KeyHash) -> Callable[[Any], int]:
    """Return the function that hashes any object with the fields of `layout` (name to type, in order).

    The object is a key or an event of that key: both have the fields. The result is an unsigned 64-bit number.
    """
    writers = [(attrgetter(name), _writer_of(kind)) for name, kind in layout.items()]
    digest = xxhash.xxh3_64_intdigest if key_hash is KeyHash.XXH3 else _siphash13
    if len(writers) == 1:
        ((get, write),) = writers
        return lambda value: digest(write(get(value)))

    def pieces(value: Any) -> Iterable[bytes]:
        return [write(get(value)) for get, write in writers]

    return lambda value: digest(b"".join(pieces(value)))


def partition_of(key: int, partitions: int) -> int:
    """Return the partition of a key hash, as the Iggy SDKs choose it for a messages-key.

    That is xxh32 with seed 0 over the eight little-endian bytes of the hash, modulo the number of partitions.
    """
    return xxhash.xxh32_intdigest(key.to_bytes(8, "little")) % partitions
