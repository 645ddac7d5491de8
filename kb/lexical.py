"""The lexical index: BM25 over identifier-aware words, kept on disk per revision of the catalog."""

import shutil
import sys
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tokens import tokens

# Words that every question has and no passage is about; their stems, as `tokens` gives them
SMALL_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "because", "best", "by", "can", "do", "does", "for", "from",
    "get", "had", "has", "have", "help", "how", "i", "if", "in", "into", "is", "it", "its", "just", "like",
    "many", "me", "my", "need", "no", "of", "off", "on", "only", "or", "other", "should", "so", "such",
    "than", "that", "the", "their", "them", "then", "there", "they", "this", "to", "too", "want", "was",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "without", "would", "you",
    "your",
})  # fmt: skip


class LexicalIndex:
    """BM25 scores over passages numbered as in the catalog."""

    def __init__(self, bm25: Any) -> None:
        self._bm25 = bm25

    @property
    def size(self) -> int:
        return int(self._bm25.scores["num_docs"])

    def scores(self, query: str) -> NDArray[np.float32]:
        """One score per passage; 0 where no word of `query` occurs."""
        asked = (word for word in dict.fromkeys(tokens(query)) if word not in SMALL_WORDS)
        known = [word for word in asked if word in self._bm25.vocab_dict]
        if not known:
            return np.zeros(self.size, dtype=np.float32)
        found: NDArray[np.float32] = self._bm25.get_scores(known)
        return found

    def rarity(self, word: str) -> int:
        """In how many passages the search word `word` occurs; the fewer, the more it says."""
        column = self._bm25.vocab_dict.get(word)
        starts = self._bm25.scores["indptr"]
        return 0 if column is None else int(starts[column + 1] - starts[column])


def open_lexical(
    folder: Path, revision: str, size: int, texts: Callable[[], Iterable[str]]
) -> LexicalIndex | None:
    """The index of this revision over `size` texts, from `folder` or built and saved there; None of none."""
    if not size:
        return None
    path = folder / revision
    return _load(path, size) or _build(path, texts())


def _load(path: Path, size: int) -> LexicalIndex | None:
    """The saved index, or None if it is absent, torn or of another size."""
    try:
        index = LexicalIndex(_bm25s().BM25.load(str(path), mmap=True, show_progress=False))
        return index if index.size == size else None
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        return None


def _build(path: Path, texts: Iterable[str]) -> LexicalIndex:
    bm25 = _bm25s().BM25()
    bm25.index([tokens(text) or [""] for text in texts], show_progress=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".tmp-{uuid.uuid4().hex}")
    bm25.save(str(draft), show_progress=False)
    for stale in path.parent.iterdir():
        if stale != draft:
            shutil.rmtree(stale, ignore_errors=True)
    draft.replace(path)
    return LexicalIndex(bm25)


def _bm25s() -> Any:
    """bm25s without JAX, on which it would try a top-k when imported: JAX takes most of a GPU's memory."""
    jax = sys.modules.get("jax")
    sys.modules["jax"] = None  # type: ignore[assignment]
    try:
        import bm25s

        return bm25s
    finally:
        if jax is None:
            del sys.modules["jax"]
        else:
            sys.modules["jax"] = jax
