"""Answers a question file with one pipeline, or with many (`-m`): `python run.py pipeline=hybrid`."""

import sys


def run() -> None:
    """Imports and all: Ctrl-C in the first seconds is no traceback either."""
    try:
        from rag1.app.cli import leave, main

        leave(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()
