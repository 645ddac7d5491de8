"""Orders the first hits anew by a model that reads question and passage together, where the user named one.

No such model comes with kbgen. `KBGEN_RERANKER`, or the library's setting `reranker`, names a cross-encoder
of sentence-transformers, or the folder of one.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from .embed import EmbedderError
from .search import Hit

DEPTH = 30  # hits that are read again


class Reranker(Protocol):
    """Says how well passages answer a question; larger is better, the scale is its own."""

    @property
    def name(self) -> str: ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]: ...


class CrossEncoderReranker:
    """A cross-encoder of the user's choice; the network is used only under `KBGEN_ALLOW_DOWNLOAD=1`."""

    def __init__(self, model: str) -> None:
        from sentence_transformers import CrossEncoder

        offline = os.environ.get("KBGEN_ALLOW_DOWNLOAD") != "1"
        try:
            self._model = CrossEncoder(model, local_files_only=offline)
        except Exception as error:  # the loader raises OSError, ValueError, ImportError and its own types
            raise EmbedderError(
                f"reranker {model!r} cannot be loaded ({type(error).__name__}: {str(error)[:99]}); "
                "check the name or folder, or set KBGEN_ALLOW_DOWNLOAD=1 to fetch it."
            ) from None
        self.name = model

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        pairs = [(question, text) for text in texts]
        return [float(score) for score in self._model.predict(pairs, show_progress_bar=False)]


def named(configured: str | None) -> Reranker | None:
    """The reranker that the user named, None where there is none; EmbedderError if it cannot be loaded."""
    name = os.environ.get("KBGEN_RERANKER") or configured
    return CrossEncoderReranker(name) if name and name != "none" else None


def reranked(hits: Sequence[Hit], question: str, reranker: Reranker) -> tuple[Hit, ...]:
    """`hits` by the reranker's scores, current pages before superseded ones, each saying where it stood."""
    scores = reranker.scores(question, [f"{hit.section}\n{hit.text}" for hit in hits])
    order = sorted(range(len(hits)), key=lambda i: (bool(hits[i].superseded_by), -scores[i], i))
    return tuple(
        replace(hits[i], why=f"{hits[i].why}; {reranker.name} put it from {i + 1} to {place}")
        for place, i in enumerate(order, start=1)
    )
