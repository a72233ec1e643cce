"""Run `python -m wakuwaku_gen` as the command `wakuwaku-gen`."""

from wakuwaku_gen.cli import main

if __name__ == "__main__":  # pragma: no branch
    main()
