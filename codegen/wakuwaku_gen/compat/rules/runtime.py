"""What the runtime does with a record beside reading it. These rules hold whatever the level."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.compat.rules.rule import CompatRule

__all__ = ["RULES"]

_HEAD: Final = '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n'
_SHIPPED: Final = '[event.OrderShipped]\ntag = 2\nkey = "OrderKey"\n'
_KEY: Final = '[key.OrderKey]\ntopic = "orders"\n'
_ID: Final = _KEY + 'fields.order_id = "u64"\n'
_SUM: Final = _HEAD + 'algebra = "associative"\nfields.total = "u64"\n'

RULES: Final = (
    CompatRule(
        "TAG_CHANGED",
        "tag changed",
        "The tag says what a record is: old records are unknown to the new version, and new ones to the old.",
        _HEAD,
        _HEAD.replace("tag = 1", "tag = 5"),
        "EE..",
        always=True,
    ),
    CompatRule(
        "TAG_REUSED",
        "tag of another event",
        "Records of the one are read as the other where their shapes allow: that is worse than losing them.",
        _HEAD + 'fields.total = "u64"',
        '[event.OrderLost]\ntag = 1\nkey = "OrderKey"\nfields.reason = "str"',
        "EE..",
        always=True,
    ),
    CompatRule(
        "TAG_UNRESERVED",
        "tombstone of a tag removed",
        "Its records stay in the log, so it stays taken.",
        _HEAD + "[reserved.OrderKey]\ntags = [7]",
        _HEAD,
        "EE..",
        always=True,
    ),
    CompatRule(
        "TOPIC_CHANGED",
        "other topic",
        "The old log is never read again, old consumers see nothing new, and what waits for a retry waits for ever.",
        _HEAD + _ID,
        _HEAD + _ID.replace('"orders"', '"sales"'),
        "EE..",
        always=True,
    ),
    CompatRule(
        "TOPIC_PARTITIONS_CHANGED",
        "other number of partitions",
        "A key's records are on two partitions then, and have no order.",
        _HEAD + _KEY + 'partitions = 4\nfields.order_id = "u64"\n',
        _HEAD + _KEY + 'partitions = 8\nfields.order_id = "u64"\n',
        "EE..",
        always=True,
    ),
    CompatRule(
        "KEY_FIELDS_CHANGED",
        "fields of a key changed",
        "The hash reads the values in order, at their widths: one more field, another order or width, and the same"
        " entity gets a second hash. Its records have no order, and a quarantined key is free again.",
        _HEAD + _ID,
        _HEAD + _ID.replace("u64", "u32"),
        "EE.E",
        always=True,
    ),
    CompatRule(
        "KEY_FIELD_RENAMED",
        "field of a key renamed, name on the wire kept",
        "Names are not hashed.",
        _HEAD + _ID,
        _HEAD + _KEY + 'fields.number = { type = "u64", wire = "order_id" }',
        "...E",
    ),
    CompatRule(
        "KEY_HASHER_CHANGED",
        "other hash of keys",
        "Every key gets another hash, and with it another partition.",
        _HEAD + _ID,
        _HEAD + _KEY + 'hash = "rust"\nfields.order_id = "u64"',
        "EE..",
        always=True,
    ),
    CompatRule(
        "ALGEBRA_CHANGED",
        "other algebra",
        "It stands in the header of every record, and a consumer refuses one that is not its own; all that waits for a"
        " retry included.",
        _HEAD,
        _HEAD + 'algebra = "commutative"',
        "EE..",
        always=True,
    ),
    CompatRule(
        "EQUALITY_FIELD_REMOVED",
        "field no longer makes events differ",
        "Old events that differ only there become equal, and all but one of them are dropped.",
        _HEAD + 'algebra = "idempotent"\nfields.total = "u64"\nfields.trace = "str"',
        _HEAD + 'algebra = "idempotent"\nfields.total = "u64"\nfields.trace = { type = "str", compare = false }',
        "E...",
        always=True,
    ),
    CompatRule(
        "EQUALITY_FIELD_ADDED",
        "field makes events differ",
        "Consumers of older versions see events that differ only there as equal, and drop all but one.",
        _HEAD + 'algebra = "idempotent"\nfields.total = "u64"',
        _HEAD + 'algebra = "idempotent"\nfields.total = "u64"\nfields.trace = "str | None"',
        ".E..",
        always=True,
    ),
    CompatRule(
        "COMBINE_CHANGED",
        "other combine rule",
        "Old and new consumers fold differently, and what both fold follows neither rule.",
        _SUM + 'combine.total = "sum"',
        _SUM + 'combine.total = "max"',
        "WW..",
        always=True,
    ),
    CompatRule(
        "FENCE_WEAKENED",
        "weaker fence",
        "Records of other types may now run beside the event where they waited for it.",
        _HEAD + 'ordering = "acquire"\n' + _SHIPPED,
        _HEAD + _SHIPPED,
        ".E..",
        always=True,
    ),
    CompatRule(
        "FENCE_STRENGTHENED",
        "stronger fence",
        "Safe, and less runs at once. Records that are in the log keep the old fence.",
        _HEAD + _SHIPPED,
        _HEAD + 'ordering = "acquire"\n' + _SHIPPED,
        ".W..",
        always=True,
    ),
    CompatRule(
        "FENCE_SWAPPED",
        "other fence",
        "One side of the event gets stronger, and the other one weaker.",
        _HEAD + 'ordering = "acquire"\n' + _SHIPPED,
        _HEAD + 'ordering = "release"\n' + _SHIPPED,
        ".E..",
        always=True,
    ),
    CompatRule(
        "CODEC_CHANGED",
        "records are written otherwise",
        "The lock keeps a record of every event as it was written when it was released; this build writes another one.",
        "# A record of the lock, read and written again, has other bytes: no schema can show that.",
        "# The same schema, another version of wakuwaku or msgspec.",
        "EE..",
        always=True,
    ),
)
