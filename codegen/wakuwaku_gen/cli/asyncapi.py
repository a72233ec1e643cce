"""The command `wakuwaku asyncapi`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wakuwaku_gen.cli.terminal import WRONG_USE, fail, line_reader, show

__all__ = ["asyncapi"]


def asyncapi(
    schemas: Annotated[Path, typer.Argument(help="The folder of the schemas.", show_default=False)],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write to.", show_default="standard output")
    ] = None,
    title: Annotated[str, typer.Option("--title", help="What the document calls the events.")] = "Events",
    api_version: Annotated[
        str | None,
        typer.Option("--api-version", help="The version the document gives them.", show_default="from the schema"),
    ] = None,
) -> None:
    """Print the schemas as an AsyncAPI 3 document in JSON.

    Exit code 0: done; 1: the schemas have errors; 2: wrong use, or a disk that said no.
    """
    from wakuwaku_gen.catalogue import asyncapi_document  # noqa: PLC0415 - so that `--help` is quick
    from wakuwaku_gen.check import bind  # noqa: PLC0415
    from wakuwaku_gen.report import diagnostics_text  # noqa: PLC0415

    schema, diagnostics = bind(schemas, out_parent=schemas.absolute().parent)
    show(err=diagnostics_text(diagnostics.sorted(), line_reader()))
    if schema is None:
        raise typer.Exit(1)
    document = asyncapi_document(schema, title=title, version=api_version)
    text = f"{json.dumps(document, indent=2, ensure_ascii=False)}\n"
    if output is None:
        show(text)
        return
    try:
        output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        fail(f"{output}: {(error.strerror or str(error)).lower()}", "name a file that can be written", WRONG_USE)
