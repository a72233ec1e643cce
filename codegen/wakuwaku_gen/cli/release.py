"""The command `wakuwaku release`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wakuwaku_gen.cli.terminal import interruptible, line_reader, show

__all__ = ["release"]


def release(
    schemas: Annotated[Path, typer.Argument(help="The folder of the schemas.", show_default=False)],
    *,
    version: Annotated[str, typer.Option("--version", help="The version, such as 1.4.0.", show_default=False)],
    lock: Annotated[Path | None, typer.Option("--lock", help="The lock.", show_default="SCHEMAS/wakuwaku.lock")] = None,
    approvals: Annotated[
        Path | None,
        typer.Option("--approvals", help="A file of approvals.", show_default="SCHEMAS/wakuwaku.approvals"),
    ] = None,
) -> None:
    """Add the present shapes to the lock as a released version, unless a finding stands against it.

    The lock is only ever added to. Approvals that were needed go into it, and can be removed afterwards.
    Exit code 0: added; 1: findings, nothing was added; 2: wrong use, or a lock that can't be read.
    """
    with interruptible("run the command again to finish"):
        from wakuwaku_gen import compat  # noqa: PLC0415 - so that `--help` is quick
        from wakuwaku_gen.report.compat import print_compat  # noqa: PLC0415

        options = compat.Options(schemas, lock=lock, approvals=approvals)
        outcome = compat.release(options, version)
        if outcome.status is not compat.Status.COMPATIBLE:
            show(err=print_compat(outcome, "text", line_reader()))
            show([f"version {version} was not added to {options.lock_file}"])
        else:
            show([f"{options.lock_file}: version {version}, {outcome.events} events"])
    raise typer.Exit(outcome.status.exit_code)
