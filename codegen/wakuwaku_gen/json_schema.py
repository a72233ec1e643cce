"""The language's table of keys as a JSON Schema, for editors and for tools that check TOML.

Draft 4, which is what Taplo and Tombi read.
"""

from __future__ import annotations

from typing import Final, TypeAlias, assert_never

from wakuwaku_gen.load.language import (
    ROOT,
    Anything,
    Flag,
    Integer,
    Key,
    Named,
    Number,
    OneOf,
    Record,
    Sequence,
    Shape,
    Text,
)

__all__ = ["json_schema"]

_Json: TypeAlias = dict[str, object]
_DRAFT: Final = "http://json-schema.org/draft-04/schema#"


def json_schema() -> dict[str, object]:
    """Return the JSON Schema of schema files: which keys there are, of what kind, and which must be there.

    What takes more than one key to tell, such as whether a type exists, it does not know.
    """
    definitions: _Json = {}
    root = _record(ROOT, definitions)
    return {"$schema": _DRAFT, "title": "wakuwaku schema", **root, "definitions": definitions}


def _shape(shape: Shape, definitions: _Json) -> _Json:  # noqa: PLR0911 - one answer per kind of shape
    match shape:
        case Text(choices):
            return {"type": "string", "enum": list(choices)} if choices else {"type": "string"}
        case Integer(low, high):
            bounds = {"minimum": low, "maximum": high}
            return {"type": "integer", **{name: bound for name, bound in bounds.items() if bound is not None}}
        case Number():
            return {"type": "number"}
        case Flag():
            return {"type": "boolean"}
        case Anything():
            return {}
        case Sequence(item):
            return {"type": "array", "items": _shape(item, definitions)}
        case Named(_, item):
            return {"type": "object", "additionalProperties": _shape(item, definitions)}
        case OneOf(shapes):
            return {"anyOf": [_shape(one, definitions) for one in shapes]}
        case Record():
            return _reference(shape, definitions)
    assert_never(shape)


def _reference(record: Record, definitions: _Json) -> _Json:
    name = record.name.partition(" ")[2].replace(" ", "-")  # "a field of a key" is "field-of-a-key"
    if name not in definitions:
        definitions[name] = {}  # keeps the place, so that the order is that of the language's table
        definitions[name] = _record(record, definitions)
    return {"$ref": f"#/definitions/{name}"}


def _record(record: Record, definitions: _Json) -> _Json:
    required = [key.name for key in record.keys if key.required]
    properties = {key.name: _property(key, definitions) for key in record.keys}
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _property(key: Key, definitions: _Json) -> _Json:
    default = {} if key.default is None else {"default": key.default}
    return {"description": key.doc, **_shape(key.shape, definitions), **default}
