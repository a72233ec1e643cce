"""The command `wakuwaku`: look at a log and at what a consumer left; other packages add their own commands.

A package adds a command by an entry point of the group ``wakuwaku.commands``: the name is the command's, the value a
typer application or a function.
"""

from __future__ import annotations

import sys
from importlib.metadata import entry_points

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit: 0 done, 1 found something wrong, 2 wrong use or a log that can't be reached."""
    try:
        import typer  # noqa: PLC0415 - an extra
    except ImportError:
        sys.exit("the command line needs typer: pip install 'wakuwaku[cli]'")
    from wakuwaku.cli import deadletters, log, topics  # noqa: PLC0415 - they need typer

    app = typer.Typer(
        help="Look at logs and at what consumers left there.", no_args_is_help=True, pretty_exceptions_enable=False
    )
    app.command("topics")(topics.topics)
    app.add_typer(deadletters.app, name="dead")
    app.add_typer(log.app, name="log")
    for entry in sorted(entry_points(group="wakuwaku.commands"), key=lambda entry: entry.name):
        command = entry.load()
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=entry.name)
        else:
            app.command(entry.name)(command)
    app()
