"""Repeated cross-validation: each question's points under a rule that was learnt without its fold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


def held_out(n: int, score: Callable[[Rows, Rows], Array], folds: int = 5, repeats: int = 20, seed: int = 0) -> Array:
    """`score(rest, fold)`: what is learnt from the questions `rest` gives those of `fold`, shape (len(fold), …).

    The result, shape (n, …), is the mean over `repeats` random cuts into at most `folds` folds.
    """
    rng = np.random.default_rng(seed)
    total: Array | None = None
    for _ in range(repeats):
        order = rng.permutation(n)
        for fold in np.array_split(order, min(folds, n)):
            found = score(np.setdiff1d(order, fold), fold)
            if total is None:
                total = np.zeros((n, *found.shape[1:]))
            total[fold] += found / repeats
    return total if total is not None else np.zeros(n)
