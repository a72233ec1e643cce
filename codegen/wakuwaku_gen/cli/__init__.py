"""The command lines: flags to options, outcome to text and exit code. Only this package prints or exits.

`generate.py` is `wakuwaku-gen`. Each other module is one command of `wakuwaku`, which finds it under the entry points
`wakuwaku.commands`; one more command is one more module and one more line in pyproject.toml.
"""

from wakuwaku_gen.cli.generate import app, main

__all__ = ["app", "main"]
