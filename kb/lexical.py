"""The lexical index: BM25 over identifier-aware words, as arrays that a search maps into memory."""

import json
import sys
from collections.abc import Iterable
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
LARGE = 10_000  # from so many passages on, words that a third of them have are left out: they cost time alone
_ARRAYS = ("data", "indices", "indptr")  # bm25s' columns: scores, rows, and where a word's begin


class LexicalIndex:
    """BM25 scores over passages numbered as in the snapshot.

    Raises OSError, ValueError or KeyError for a folder that `write` did not fill.
    """

    def __init__(self, folder: Path) -> None:
        self._scores, self._rows, self._starts = (mapped(folder / f"words-{name}.npy") for name in _ARRAYS)
        kept = json.loads((folder / "words.json").read_bytes())
        self.size = int(kept["size"])
        self._columns: dict[str, int] = kept["vocabulary"]

    def scores(self, query: str) -> NDArray[np.float32]:
        """One score per passage, from 0 (no word of `query`) to 1 (all of them, and nothing else).

        BM25 over the most that these words could get, so that queries of any length compare.
        """
        asked = [word for word in dict.fromkeys(tokens(query)) if word not in SMALL_WORDS]
        known = [word for word in asked if word in self._columns]
        if self.size > LARGE:
            known = [word for word in known if self.rarity(word) <= self.size // 3] or known
        if not known:
            return np.zeros(self.size, dtype=np.float32)
        columns = [self._columns[word] for word in known]
        spans = [slice(self._starts[column], self._starts[column + 1]) for column in columns]
        rows = np.concatenate([self._rows[span] for span in spans])
        scores = np.concatenate([self._scores[span] for span in spans])
        total = np.bincount(rows, weights=scores, minlength=self.size)
        return (total / sum(self._weight(word) for word in known)).astype(np.float32)

    def rarity(self, word: str) -> int:
        """In how many passages the search word `word` occurs; the fewer, the more it says."""
        column = self._columns.get(word)
        return 0 if column is None else int(self._starts[column + 1] - self._starts[column])

    def _weight(self, word: str) -> float:
        """Lucene's inverse document frequency, the bound of a word's BM25 score; 0 for an unknown word."""
        seen = self.rarity(word)
        return float(np.log1p((self.size - seen + 0.5) / (seen + 0.5))) if seen else 0.0


def mapped(path: Path) -> NDArray[Any]:
    """An array of a file, mapped; a plain one, since every access to a `memmap` makes an object."""
    return np.asarray(np.load(path, mmap_mode="r"))


def write(folder: Path, texts: Iterable[str]) -> None:
    """Index `texts` into `folder`, which exists."""
    bm25 = _bm25s().BM25(method="lucene")
    bm25.index([tokens(text) or [""] for text in texts], show_progress=False)
    for name in _ARRAYS:
        np.save(folder / f"words-{name}.npy", bm25.scores[name])
    kept = {"size": int(bm25.scores["num_docs"]), "vocabulary": bm25.vocab_dict}
    (folder / "words.json").write_text(json.dumps(kept), "utf-8")


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
