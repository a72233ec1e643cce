"""Find and fill the templates."""

from __future__ import annotations

import functools

import jinja2

__all__ = ["fill"]


@functools.cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("wakuwaku_gen.render"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - the output is Python; `source` is the door for foreign text
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def fill(template: str, **values: object) -> str:
    """Fill a template with values that are in final form; a name it misses raises `jinja2.UndefinedError`."""
    return _environment().get_template(template).render(values)
