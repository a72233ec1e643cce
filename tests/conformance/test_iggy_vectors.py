"""Bytes of a real Apache Iggy server, read without one: replies of polls, and the partition of a messages-key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wakuwaku.headers import Record
from wakuwaku.keyhash import partition_of
from wakuwaku.log.iggy_poll import LayoutError, parse_poll

VECTORS = Path(__file__).parent / "vectors"
POLLS: list[dict[str, Any]] = json.loads((VECTORS / "iggy-poll.json").read_text(encoding="utf-8"))
PARTITIONS: dict[str, Any] = json.loads((VECTORS / "partition.json").read_text(encoding="utf-8"))


def expected(head: str, body: str, extra: dict[str, str] | None) -> Record:
    headers = None if extra is None else {name: bytes.fromhex(value) for name, value in extra.items()}
    return Record(bytes.fromhex(head), bytes.fromhex(body), headers)


@pytest.mark.parametrize("poll", POLLS, ids=lambda poll: f"{poll['count']} from {poll['offset']}")
def test_a_reply_of_a_server_is_read_as_the_records_it_holds(poll: dict[str, Any]) -> None:
    page, _ = parse_poll(bytes.fromhex(poll["reply"]))

    assert list(page.offsets) == poll["offsets"]
    assert list(page.records) == [expected(*record) for record in poll["records"]]


def test_a_reply_that_is_cut_short_anywhere_is_no_page() -> None:
    reply = bytes.fromhex(POLLS[0]["reply"])

    for length in range(len(reply)):
        with pytest.raises(LayoutError):
            parse_poll(reply[:length])


@pytest.mark.parametrize("position", [16 + 32, 16 + 48, 16 + 100, 16 + 256 + 24, 16 + 256 + 40])
def test_a_reply_with_another_layout_is_no_page(position: int) -> None:
    """Length and count of a batch, its offsets and what has to be zero are looked at, so that is no wrong record."""
    reply = bytearray.fromhex(POLLS[0]["reply"])
    reply[position] ^= 0x01

    with pytest.raises(LayoutError):
        parse_poll(bytes(reply))


@pytest.mark.parametrize("topic", PARTITIONS["topics"], ids=lambda topic: f"{topic['partitions']} partitions")
def test_a_key_goes_to_the_partition_that_the_rust_sdk_and_the_server_choose(topic: dict[str, Any]) -> None:
    keys = map(int, PARTITIONS["keys"])

    assert [partition_of(key, topic["partitions"]) for key in keys] == topic["chosen"]
