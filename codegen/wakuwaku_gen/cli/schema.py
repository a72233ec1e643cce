"""The command `wakuwaku schema`."""

from __future__ import annotations

import json

from wakuwaku_gen.cli.terminal import show

__all__ = ["schema"]


def schema() -> None:
    """Print the JSON Schema (draft 4) of schema files, with which editors complete and check them.

    Save it, and name it in the first line of a schema file: #:schema ./wakuwaku.schema.json
    """
    from wakuwaku_gen.json_schema import json_schema  # noqa: PLC0415 - so that `--help` is quick

    show(f"{json.dumps(json_schema(), indent=2, ensure_ascii=False)}\n")
