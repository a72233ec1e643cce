"""`wakuwaku schema`: what an editor is to be given."""

from __future__ import annotations

import json

from tests.codegen.conftest import RunCommand
from wakuwaku_gen.cli.schema import schema
from wakuwaku_gen.json_schema import json_schema


def test_the_json_schema_is_printed(run_command: RunCommand) -> None:
    """And nothing else, so that it can be sent to a file."""
    shown = run_command(schema)

    assert (shown.code, shown.err) == (0, "")
    assert json.loads(shown.out) == json_schema()
