"""The shipped corpus as passages, with the vectors that spare a fresh installation the embedding."""

import hashlib
import io
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..corpus.document import shipped
from .chunk import CHUNKER, Passage, chunk
from .embed import Embedder, Vectors, spread
from .page import Page, from_corpus
from .records import Episode, from_json, record_id

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

VECTORS = "vectors.npz"


def pages() -> tuple[Page, ...]:
    """Every page of the package's corpus."""
    return tuple(from_corpus(document) for document in shipped())


@lru_cache(maxsize=1)
def episodes() -> dict[str, Episode]:
    """Runs on real cards whose measured steps every library starts from, by id."""
    folder = files("kbgen.corpus") / "episodes"
    found = [from_json(entry.read_text("utf-8"), entry.name) for entry in folder.iterdir()]
    return {record_id(episode): episode for episode in found}


@lru_cache(maxsize=1)
def corpus_hash() -> str:
    """Hash of the corpus files as they lie in the package; found without parsing them."""
    digest = hashlib.sha256(CHUNKER.encode())
    for name, data in _walk(files("kbgen.corpus"), ""):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _walk(folder: "Traversable", prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            found += _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".md"):
            found.append((prefix + entry.name, entry.read_bytes()))
    return found


def embedding_text(passage: Passage) -> str:
    """What is embedded: of a passage its heading path and text, of a question itself; identifiers opened."""
    return spread(passage.text if passage.leads_to else f"{passage.section}\n{passage.text}")


def ready_vectors(model: str) -> dict[str, Vectors]:
    """Passage id -> vector for `model`, as shipped; empty for any other model."""
    path = files("kbgen.corpus") / VECTORS
    if not path.is_file():
        return {}
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as data:
        if str(data["model"]) != model:
            return {}
        vectors = data["vectors"].astype(np.float32)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return dict(zip((str(i) for i in data["ids"]), unit, strict=True))


def build_vectors(embedder: Embedder, path: Path) -> int:
    """Embed every passage of the shipped corpus into `path`; gives their number.

    Half precision is ample for cosine ranking (error 1e-3 of a unit vector) and halves the file.
    """
    passages = corpus_passages()
    vectors = embedder.embed([embedding_text(passage) for passage in passages])
    np.savez_compressed(
        path,
        model=np.array(embedder.name),
        ids=np.array([passage.id for passage in passages]),
        vectors=vectors.astype(np.float16),
    )
    return len(passages)


def corpus_passages() -> Sequence[Passage]:
    """Passages of all shipped pages, ordered by id."""
    found = [passage for page in pages() for passage in chunk(page.id, page.title, page.body, page.asks)]
    return sorted(found, key=lambda passage: passage.id)


def main() -> None:
    """Build the shipped vectors into the corpus folder: `python -m kbgen.kb.shipped`."""
    from .minilm import MiniLM, locate

    folder, _ = locate()
    build_vectors(MiniLM(folder), Path(__file__).resolve().parents[1] / "corpus" / VECTORS)


if __name__ == "__main__":
    main()
