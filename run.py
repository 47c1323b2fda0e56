"""Answers a question file with one pipeline, or with many (`-m`): `python run.py pipeline=hybrid`."""

import sys

from rag1.app.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
