"""Find the emitters that other packages bring.

A package names one under the entry point group `wakuwaku_gen.emitters`:

    [project.entry-points."wakuwaku_gen.emitters"]
    graphql = "my_package.emitting:GRAPHQL"

where `GRAPHQL = Emitter(name="graphql", emit=emit_graphql, api=1)`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Final

from wakuwaku_gen.render.emitter import EMITTER_API, Emitter, EmitterError

__all__ = ["GROUP", "installed_emitters"]

GROUP: Final = "wakuwaku_gen.emitters"


def installed_emitters() -> list[Emitter]:
    """Return the emitters of installed packages, by the name of their entry point.

    Raises `EmitterError` when one can't be loaded, is no emitter, or was written for another version of the interface.
    """
    return [_load(point) for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))]


def _load(point: EntryPoint) -> Emitter:
    where = f"the emitter {point.name!r} of {point.dist.name if point.dist else 'an unknown package'}"
    try:
        found: object = point.load()
    except Exception as error:
        raise EmitterError(
            f"{where} can't be loaded: {type(error).__name__}: {error}", "update or uninstall the package"
        ) from error
    if not isinstance(found, Emitter):
        raise EmitterError(f"{where} is {type(found).__name__}, no Emitter", "see wakuwaku_gen.render.plugins")
    if found.api != EMITTER_API:
        raise EmitterError(
            f"{where} is written for version {found.api} of the interface; this generator has {EMITTER_API}",
            "update the package" if found.api < EMITTER_API else "update wakuwaku",
        )
    return found
