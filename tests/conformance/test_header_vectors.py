"""Header bytes against those of the Rust library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wakuwaku.algebra import Algebra
from wakuwaku.errors import HeaderError
from wakuwaku.headers import PROPS_HEADER, RETRY_HEADER, encode_head, encode_retry, parse_props, parse_retry
from wakuwaku.ordering import Ordering

VECTORS: dict[str, list[dict[str, str]]] = json.loads(
    (Path(__file__).parent / "vectors" / "headers.json").read_text(encoding="utf-8")
)

ORDERINGS = {
    "Relaxed": Ordering.RELAXED,
    "Acquire": Ordering.ACQUIRE,
    "Release": Ordering.RELEASE,
    "AcqRel": Ordering.ACQ_REL,
}
ALGEBRAS = {
    "NonAssociative": Algebra.NON_ASSOCIATIVE,
    "Associative": Algebra.ASSOCIATIVE,
    "Idempotent": Algebra.IDEMPOTENT,
    "Commutative": Algebra.COMMUTATIVE,
    "IdempotentCommutative": Algebra.IDEMPOTENT_COMMUTATIVE,
}
#: The Rust library's error, as our header and reason.
ERRORS = {
    "BadProperties": (PROPS_HEADER, "malformed"),
    "UnknownPropertiesVersion": (PROPS_HEADER, "unknown_version"),
    'BadHeader("wakuwaku-retry")': (RETRY_HEADER, "malformed"),
    "UnknownRetryVersion": (RETRY_HEADER, "unknown_version"),
}


def vectors(name: str) -> list[Any]:
    """Return one list of the file, each entry a test case named by its bytes."""
    return [pytest.param(entry, id=entry["hex"] or "empty") for entry in VECTORS[name]]


@pytest.mark.parametrize("entry", vectors("props"))
def test_properties_are_the_bytes_of_rust(entry: dict[str, str]) -> None:
    """Every ordering and algebra has the bytes of the Rust library, and is read back from them."""
    ordering, algebra = ORDERINGS[entry["ordering"]], ALGEBRAS[entry["algebra"]]

    assert encode_head(0, 0, ordering, algebra)[-3:].hex() == entry["hex"]
    assert parse_props(bytes.fromhex(entry["hex"])) == (ordering, algebra)


def test_vectors_hold_every_ordering_with_every_algebra() -> None:
    """The vectors leave no pair out, so no byte is left to chance."""
    pairs = {(ORDERINGS[entry["ordering"]], ALGEBRAS[entry["algebra"]]) for entry in VECTORS["props"]}

    assert pairs == {(ordering, algebra) for ordering in Ordering for algebra in Algebra}


@pytest.mark.parametrize("entry", vectors("bad_props"))
def test_bad_properties_are_refused_as_rust_refuses_them(entry: dict[str, str]) -> None:
    """A wrong length, version, ordering or algebra is refused with the kind the Rust parser gives."""
    with pytest.raises(HeaderError) as caught:
        parse_props(bytes.fromhex(entry["hex"]))

    assert (caught.value.header, caught.value.reason) == ERRORS[entry["error"]]


@pytest.mark.parametrize("entry", vectors("retry"))
def test_retry_header_is_the_bytes_of_rust(entry: dict[str, str]) -> None:
    """A time of failure has the bytes of the Rust library, and is read back from them."""
    failed_at_ms = int(entry["failed_at_ms"])

    assert encode_retry(failed_at_ms).hex() == entry["hex"]
    assert parse_retry(bytes.fromhex(entry["hex"])) == failed_at_ms


@pytest.mark.parametrize("entry", vectors("bad_retry"))
def test_bad_retry_headers_are_refused_as_rust_refuses_them(entry: dict[str, str]) -> None:
    """A wrong length or version is refused with the kind the Rust parser gives."""
    with pytest.raises(HeaderError) as caught:
        parse_retry(bytes.fromhex(entry["hex"]))

    assert (caught.value.header, caught.value.reason) == ERRORS[entry["error"]]
