"""What the language allows and the generator can't write yet, as diagnostics with a way out."""

from __future__ import annotations

from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.model.schema import EventModel, FieldModel, SchemaModel
from wakuwaku_gen.model.types import IntType, OptionalType
from wakuwaku_gen.render.annotations import bounds_of

__all__ = ["report_unsupported"]

_RULE = "WK901"


def report_unsupported(schema: SchemaModel, diagnostics: Diagnostics) -> None:
    """Report what `render` can't do, each at its place; a schema without such reports can be rendered."""
    for namespace in schema.namespaces:
        for fields in [key.fields for key in namespace.keys] + [struct.fields for struct in namespace.structs]:
            _check_bounds(fields, diagnostics)
        for event in namespace.events:
            _check_bounds(event.fields, diagnostics)
            _check_combine(event, diagnostics)


def _check_bounds(fields: tuple[FieldModel, ...], diagnostics: Diagnostics) -> None:
    for field in fields:
        of = field.type.item if isinstance(field.type, OptionalType) else field.type
        if isinstance(of, IntType) and not bounds_of(of, field.constraints).expressible:
            message = f"the bounds of {field.name!r} do not fit into a signed 64-bit integer, as the decoder needs"
            diagnostics.error(_RULE, field.span, message, "choose a smaller bound, or leave it out")


def _check_combine(event: EventModel, diagnostics: Diagnostics) -> None:
    for name, rule in event.combine.items():
        if rule == "custom":
            message = f"the combine rule 'custom' of {name!r} is not supported yet"
            help_ = "use another rule, or make the event non-associative and fold it in its handler"
            diagnostics.error(_RULE, event.places.get(f"combine.{name}", event.span), message, help_)
