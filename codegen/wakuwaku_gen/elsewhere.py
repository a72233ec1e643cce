"""Handler stubs outside of the output: where they go, and how they import what was generated.

Beside the output a stub imports its package relatively, wherever that lies. Elsewhere it needs a name that Python can
import: that of the output folder behind those of the packages it stands in, which are the folders above it that hold an
`__init__.py`. So `-o src/app/generated` is `app.generated` when `src/app` is a package and `src` is not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final

from wakuwaku_gen.render import RenderedFile
from wakuwaku_gen.render.layout import BREAK_AT
from wakuwaku_gen.write import WriteError

__all__ = ["moved", "package_of"]

_RELATIVE: Final = re.compile(r"^from \.\.(\w+) import (\w+)$", re.MULTILINE)


def package_of(output: Path, given: str | None = None) -> str:
    """Return the dotted name under which the output folder is imported; "" when its packages are top-level ones.

    `given` is what the user says it is. Raises `WriteError` when the name is none that Python could import.
    """
    name = _derived(output.resolve()) if given is None else given
    if name and not all(part.isidentifier() for part in name.split(".")):
        raise WriteError(
            f"the output folder would be imported as {name!r}, which Python can't do",
            "name the package it is, with --package; or '' when the output folder itself is on the path",
        )
    return name


def _derived(output: Path) -> str:
    names = [output.name]
    for folder in output.parents:
        if not (folder / "__init__.py").is_file():
            break
        names.append(folder.name)
    return ".".join(reversed(names))


def moved(stub: RenderedFile, package: str) -> RenderedFile:
    """Return a stub as it stands in a folder of its own: `shop/order_placed.py`, with absolute imports."""
    *namespace, folder, name = stub.path.parts
    if folder != "handlers":  # a folder of another emitter, which keeps its stubs apart from ours
        namespace.append(folder)
    origin = ".".join(filter(None, (package, *namespace)))

    def absolute(match: re.Match[str]) -> str:
        module, imported = match.groups()
        line = f"from {origin}.{module} import {imported}"
        return line if len(line) <= BREAK_AT else f"from {origin}.{module} import (\n    {imported},\n)"

    return replace(stub, path=PurePosixPath(*namespace, name), text=_RELATIVE.sub(absolute, stub.text))
