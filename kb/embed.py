"""Turns text into vectors: the seam of every embedding model, and the one that needs no weights."""

import hashlib
import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .. import KbgenError
from .tokens import tokens

Vectors = NDArray[np.float32]


class EmbedderError(KbgenError):
    """An embedding model that was asked for cannot be used here."""


class Embedder(Protocol):
    """Maps text to unit vectors; equal `name` promises equal vectors, so it names the weights."""

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape (len(texts), dim)."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """One unit vector, shape (dim,)."""
        ...


def spread(text: str) -> str:
    """`text` with identifiers opened into words, as models read them best (`ds_read` -> `ds read`)."""
    return re.sub(r"(?<=\w)[_.:]+(?=\w)", " ", text)


class HashingEmbedder:
    """Hashed words and character trigrams: no weights, no download, the same on every machine."""

    def __init__(self, dim: int = 256) -> None:
        self.dim = dim
        self.name = f"hashing-{dim}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature, weight in _features(text):
                digest = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "little")
                row[digest % self.dim] += weight if digest >> 63 else -weight
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(norms, np.finfo(np.float32).tiny)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row


def _features(text: str) -> list[tuple[str, float]]:
    """Words at full weight and their trigrams at a quarter, so that inflections and parts still meet."""
    words = tokens(text)
    grams = [word[i : i + 3] for word in words for i in range(len(word) - 2)]
    return [(f"w:{word}", 1.0) for word in words] + [(f"g:{gram}", 0.25) for gram in grams]
