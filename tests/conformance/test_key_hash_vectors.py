"""Key hashes against Rust's `DefaultHasher`."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pytest

from wakuwaku.keyhash import KeyHash, hasher_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "vectors" / "key-hash.json").read_text(encoding="utf-8")
)

READERS: Final[Mapping[str, Callable[[str], object]]] = {
    "str": str,
    "bytes": bytes.fromhex,
    "UUID": uuid.UUID,
    "bool": lambda text: {"true": True, "false": False}[text],
}


def case(entry: dict[str, Any]) -> Any:
    """Make a test case of a vector, named by what it hashes."""
    name = ",".join(f"{kind}:{text}" for kind, text in zip(entry["types"], entry["values"], strict=True))
    return pytest.param(entry["types"], entry["values"], int(entry["hash"]), id=name)


@pytest.mark.parametrize(("kinds", "texts", "expected"), [case(entry) for entry in VECTORS])
def test_hash_is_the_number_of_rust(kinds: list[str], texts: list[str], expected: int) -> None:
    """A key with `hash = "rust"` goes to the number a Rust service finds for it."""
    values = [READERS.get(kind, int)(text) for kind, text in zip(kinds, texts, strict=True)]
    layout = {f"field_{place}": kind for place, kind in enumerate(kinds)}
    key = SimpleNamespace(**dict(zip(layout, values, strict=True)))

    assert hasher_of(layout, KeyHash.RUST)(key) == expected


def test_vectors_hold_every_type_of_a_key() -> None:
    """Each type a key may have was hashed by Rust at least once."""
    kinds = {kind for entry in VECTORS for kind in entry["types"]}

    assert kinds == {"bool", "bytes", "i16", "i32", "i64", "i8", "str", "u16", "u32", "u64", "u8", "UUID"}
