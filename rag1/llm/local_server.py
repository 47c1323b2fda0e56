"""The process behind `llm=local`: llama.cpp's server on a free loopback port, until its standard input closes.

The pipe is the leash: it closes when the parent closes it or dies in whatever way, kill -9 included.
"""

from __future__ import annotations

import os
import sys


def serve(weights: str, context: int, threads: int, parallel: int) -> None:
    """Prints the server's address on a line of its own once the model is loaded."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.port = 0
    params.n_ctx = context * parallel
    params.n_parallel = parallel
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.verbosity = 0
    params.warmup = False
    params.ui = False
    server = xllamacpp.Server(params)
    print(f"ADDRESS {server.listening_address}", flush=True)
    sys.stdin.read()
    # The server's threads know no orderly end that does not wait for a running generation.
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1], *map(int, sys.argv[2:5]))
