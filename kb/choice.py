"""Chooses the embedding model of this machine and says why."""

import os
from dataclasses import dataclass

from .embed import Embedder, EmbedderError, HashingEmbedder
from .minilm import MiniLM, locate


@dataclass(frozen=True)
class Choice:
    """The embedder in use, or None for lexical search only, and the reason in words."""

    embedder: Embedder | None
    reason: str

    @property
    def name(self) -> str | None:
        return self.embedder.name if self.embedder else None


def choose(configured: str | None = None) -> Choice:
    """What the user configured; else MiniLM with both hashes checked; else lexical only.

    `KBGEN_EMBEDDER` wins over `configured`, the library's own setting: `none`, `hashing`, `minilm`, or any
    sentence-transformers name or folder. A model that cannot be loaded leaves lexical search and why.
    """
    from_env = os.environ.get("KBGEN_EMBEDDER")
    asked = from_env or configured
    origin = "KBGEN_EMBEDDER" if from_env else "the library's setting"
    try:
        return _load(asked or "minilm", f"{origin} is {asked!r}" if asked else "the default")
    except EmbedderError as error:
        return Choice(None, f"lexical only: {error}")


def _load(asked: str, origin: str) -> Choice:
    if asked == "none":
        return Choice(None, f"lexical only: {origin}")
    if asked == "hashing":
        return Choice(HashingEmbedder(), origin)
    if asked == "minilm":
        folder, place = locate()
        return Choice(MiniLM(folder), f"{origin}: {place}, both hashes checked")
    from .sentence_model import SentenceTransformerEmbedder

    return Choice(SentenceTransformerEmbedder(asked), origin)
