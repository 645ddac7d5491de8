"""Runs any sentence-transformers model, by name or folder, for users who configured their own."""

import os
from collections.abc import Sequence

import numpy as np

from .embed import EmbedderError, Vectors


class SentenceTransformerEmbedder:
    """A model of the user's choice; the network is used only under `KBGEN_ALLOW_DOWNLOAD=1`."""

    def __init__(self, model: str) -> None:
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        from sentence_transformers import SentenceTransformer

        offline = os.environ.get("KBGEN_ALLOW_DOWNLOAD") != "1"
        try:
            self._model = SentenceTransformer(model, local_files_only=offline)
        except Exception as error:  # the loader raises OSError, ValueError, ImportError and its own types
            raise EmbedderError(
                f"embedding model {model!r} cannot be loaded ({type(error).__name__}: {str(error)[:99]}); "
                "check the name or folder, or set KBGEN_ALLOW_DOWNLOAD=1 to fetch it."
            ) from None
        self.name = model
        self.dim = int(np.asarray(self._model.encode([""], show_progress_bar=False)).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = self._model.encode(
            list(texts), batch_size=16, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), self.dim)

    def embed_query(self, text: str) -> Vectors:
        """One vector, on one thread, as `MiniLM.embed_query` explains."""
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            row: Vectors = self.embed([text])[0]
        finally:
            torch.set_num_threads(threads)
        return row
