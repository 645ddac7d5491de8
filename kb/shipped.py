"""The shipped corpus as passages, with the vectors that spare a fresh installation the embedding."""

import hashlib
import io
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

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


def build_vectors(embedder: Embedder, path: Path, *, anew: bool = False) -> tuple[int, int]:
    """Bring the vectors at `path` in step with the corpus; gives (passages, those of them embedded now).

    What the file holds for the very same text under the same model stays, unless all is to be made `anew`.
    Half precision is ample for cosine ranking (error 1e-3 of a unit vector) and halves the file.
    """
    passages = corpus_passages()
    marks = [_mark(embedding_text(passage)) for passage in passages]
    held = {} if anew else _held(path, embedder.name)
    fresh = [place for place, mark in enumerate(marks) if mark not in held]
    if fresh:
        vectors = embedder.embed([embedding_text(passages[place]) for place in fresh]).astype(np.float16)
        held |= dict(zip((marks[place] for place in fresh), vectors, strict=True))
    np.savez_compressed(
        path,
        model=np.array(embedder.name),
        ids=np.array([passage.id for passage in passages]),
        texts=np.array(marks),
        vectors=np.stack([held[mark] for mark in marks]),
    )
    return len(passages), len(fresh)


def _mark(text: str) -> bytes:
    """The beginning of the hash of a text; it ends in a point, since NumPy drops zeros at an end."""
    return hashlib.sha256(text.encode()).digest()[:15] + b"."


def _held(path: Path, model: str) -> dict[bytes, NDArray[np.float16]]:
    """Mark of a text -> its vector under `model`, as `path` holds them."""
    if not path.is_file():
        return {}
    with np.load(path, allow_pickle=False) as data:
        if str(data["model"]) != model or "texts" not in data:
            return {}
        return dict(zip(data["texts"].tolist(), data["vectors"], strict=True))


def corpus_passages() -> Sequence[Passage]:
    """Passages of all shipped pages, ordered by id."""
    found = [passage for page in pages() for passage in chunk(page.id, page.title, page.body, page.asks)]
    return sorted(found, key=lambda passage: passage.id)


def main() -> None:
    """Bring the shipped vectors in step: `python -m kbgen.kb.shipped [--anew] [FILE.npz]`."""
    from .minilm import MiniLM, locate

    options = {option for option in sys.argv[1:] if option.startswith("-")}
    if options - {"--anew"}:
        raise SystemExit("usage: python -m kbgen.kb.shipped [--anew] [FILE.npz]")
    named = [Path(name) for name in sys.argv[1:] if name not in options]
    path = named[0] if named else Path(__file__).resolve().parents[1] / "corpus" / VECTORS
    passages, embedded = build_vectors(MiniLM(locate()[0]), path, anew="--anew" in options)
    print(f"{path}: {passages} passages, {embedded} of them embedded now")


if __name__ == "__main__":
    main()
