"""The vectors of questions that are known to come: embedded together, which takes less than one by one."""

from collections.abc import Iterable

from .embed import Embedder, Vectors, spread


class Foreseen:
    """Vectors by question, of one embedder."""

    def __init__(self) -> None:
        self._vectors: dict[str, Vectors] = {}

    def prepare(self, embedder: Embedder, texts: Iterable[str]) -> None:
        fresh = [text for text in dict.fromkeys(texts) if text.strip() and text not in self._vectors]
        if len(fresh) > 1:
            vectors = embedder.embed([spread(text) for text in fresh])
            self._vectors |= dict(zip(fresh, vectors, strict=True))

    def vector(self, embedder: Embedder, text: str) -> Vectors:
        """The vector of a question, foreseen or not."""
        known = self._vectors.get(text)
        return embedder.embed_query(spread(text)) if known is None else known
