"""Embeds many texts with a progress bar, keeping each finished batch on disk: what was paid for is not lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from rag1.errors import StorageError
from rag1.types import Embedder


def check_vectors(vectors: NDArray[np.float32], rows: int, dimensions: int, name: str) -> NDArray[np.float32]:
    """Raises `StorageError` unless the array is finite and has shape (rows, dimensions)."""
    if vectors.shape != (rows, dimensions):
        raise StorageError(f"{name}: vectors of shape {vectors.shape}, expected {(rows, dimensions)}")
    if not np.isfinite(vectors).all():
        raise StorageError(f"{name}: vectors hold NaN or infinite values")
    return vectors


def embed_documents(embedder: Embedder, texts: Sequence[str], folder: Path, batch: int = 32) -> NDArray[np.float32]:
    """Vectors of `texts`, shape (len(texts), dimensions). `folder` holds the batches of an interrupted call.

    `folder` must be named by a fingerprint of embedder and texts; it is removed once all batches are there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    starts = range(0, len(texts), batch)
    for start in tqdm(starts, desc=f"embedding ({embedder.name})", unit="batch", leave=False, disable=len(starts) < 4):
        parts.append(_batch(embedder, texts[start : start + batch], folder / f"{start:09}.npy"))
    vectors = np.concatenate(parts) if parts else np.zeros((0, embedder.dimensions), dtype=np.float32)
    shutil.rmtree(folder)
    return vectors


def _batch(embedder: Embedder, texts: Sequence[str], path: Path) -> NDArray[np.float32]:
    if path.exists():
        try:
            return check_vectors(np.load(path, allow_pickle=False), len(texts), embedder.dimensions, path.name)
        except (OSError, ValueError, StorageError):
            path.unlink()
    vectors = check_vectors(embedder.documents(texts), len(texts), embedder.dimensions, embedder.name)
    scratch = path.with_suffix(".tmp")
    with scratch.open("wb") as handle:
        np.save(handle, vectors)
    os.replace(scratch, path)
    return vectors
