"""Events as a whole, names, drafts."""

from __future__ import annotations

from typing import Final

from wakuwaku_gen.compat.rules.rule import CompatRule

__all__ = ["RULES"]

_PLACED: Final = '[event.OrderPlaced]\ntag = 1\nkey = "OrderKey"\n'
_SHIPPED: Final = '[event.OrderShipped]\ntag = 2\nkey = "OrderKey"\n'

RULES: Final = (
    CompatRule(
        "EVENT_ADDED",
        "event added to a topic",
        "Consumers of older versions pass over a tag they do not know: its records are lost to them.",
        _PLACED,
        _PLACED + _SHIPPED,
        ".W..",
    ),
    CompatRule(
        "EVENT_REMOVED",
        "event removed",
        "Its records stay in the log, and nobody reads them any more.",
        _PLACED + _SHIPPED,
        _PLACED,
        "E..E",
    ),
    CompatRule(
        "EVENT_RENAMED",
        "event renamed",
        "Topic and tag say who an event is, so its records are not touched; code that names it is.",
        _PLACED + 'fields.total = "u64"',
        '[event.OrderTaken]\ntag = 1\nkey = "OrderKey"\nfields.total = "u64"',
        "...E",
    ),
    CompatRule(
        "EVENT_MOVED_FILE",
        "event moved to another file",
        "A file has no name on the wire; nothing changes.",
        f"# file: orders.toml\n{_PLACED}",
        f"# file: sales.toml\n{_PLACED}",
        "....",
    ),
    CompatRule(
        "TYPE_RENAMED",
        "enum or struct renamed",
        "Names of types are not on the wire, but for variants of unions; code that names them changes.",
        _PLACED + 'fields.line = "Line"\n[struct.Line]\nfields.sku = "str"',
        _PLACED + 'fields.line = "Item"\n[struct.Item]\nfields.sku = "str"',
        "...E",
    ),
    CompatRule(
        "PACKAGE_CHANGED",
        "event moved to another namespace",
        "The wire does not know namespaces; imports of the generated package change.",
        'namespace = "shop"\n' + _PLACED,
        'namespace = "store"\n' + _PLACED,
        "...E",
    ),
    CompatRule(
        "NAME_REUSED",
        "name of an event that is gone",
        "The tag is another one, so no record is read wrongly; people and logs mix the two up.",
        (_PLACED + _SHIPPED, _PLACED),
        _PLACED + '[event.OrderShipped]\ntag = 3\nkey = "OrderKey"',
        "...W",
    ),
    CompatRule(
        "DOC_CHANGED",
        "doc changed",
        "Nothing but words.",
        _PLACED + 'doc = "A customer ordered."',
        _PLACED + 'doc = "A customer confirmed the basket."',
        "....",
    ),
    CompatRule(
        "DEPRECATED_ADDED",
        "event deprecated",
        "A first step towards removing it, and no change to any record.",
        _PLACED,
        _PLACED + 'deprecated = "use OrderConfirmed"',
        "....",
    ),
    CompatRule(
        "DRAFT_TYPE_USED",
        "stable event holds a draft",
        "A draft may change in any way, and with it the records of the event.",
        _PLACED,
        _PLACED + _SHIPPED + 'fields.parcel = "Parcel"\n[struct.Parcel]\nstability = "draft"\nfields.weight = "u32"',
        "E...",
    ),
)
