"""Where handler stubs go that do not lie beside the output."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from wakuwaku_gen.elsewhere import moved
from wakuwaku_gen.render import FileKind, RenderedFile


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("shop/handlers/sold.py", "shop/sold.py"),
        ("acme/shop/handlers/__init__.py", "acme/shop/__init__.py"),
        ("shop/views/sold.py", "shop/views/sold.py"),
    ],
)
def test_a_stub_lies_in_the_folder_of_its_namespace(path: str, expected: str) -> None:
    """Those of other emitters keep the folder they chose, so that the two do not meet."""
    stub = RenderedFile(PurePosixPath(path), "", FileKind.STUB, "schemas/shop.toml")
    assert moved(stub, "app").path == PurePosixPath(expected)
