"""The index may be lost, torn or stale: the next command builds it anew from the files, and says so."""

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from kbgen.kb import index as index_module
from kbgen.kb import shipped
from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder, Vectors
from kbgen.kb.files import LibraryError
from kbgen.kb.library import Library
from kbgen.kb.page import Page

SECTIONS = 1100  # above Chroma's threshold of 1000, so that its graph files are written


class CountingEmbedder(HashingEmbedder):
    """Counts the passages it embeds."""

    def __init__(self) -> None:
        super().__init__(32)
        self.embedded = 0

    def embed(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        self.embedded += len(texts) if len(texts) > 1 else 0  # one text is a query
        return super().embed(texts)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library whose index has every kind of file."""
    root = tmp_path_factory.mktemp("repair") / "library"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shipped, "pages", lambda: ())
        patch.setattr(shipped, "corpus_hash", lambda: "none")
        with Library.open(root, choice=Choice(HashingEmbedder(32), "test")) as library:
            body = "\n\n".join(f"## S{i}\n\ntopic{i} lore" for i in range(SECTIONS))
            library.add(Page(id="guide", kind="howto", title="Guide", body=body, origin="library"))
            assert library.search("topic77").hits[0].text == "topic77 lore"
    return root


@pytest.fixture
def root(original: Path, tmp_path: Path, no_corpus: None) -> Path:
    shutil.copytree(original, tmp_path / "library")
    return tmp_path / "library"


def graph_file(root: Path, name: str) -> Path:
    (found,) = [path.parent / name for path in root.glob("index/chroma/*/index_metadata.pickle")]
    return found


def healthy(root: Path, embedder: HashingEmbedder | None = None) -> Library:
    library = Library.open(root, choice=Choice(embedder or HashingEmbedder(32), "test"))
    hit = library.search("topic77", k=1).hits[0]
    assert hit.text == "topic77 lore"
    assert "words topic77" in hit.why
    assert "meaning" in hit.why
    assert library.status()["vectors"] == {"howto-any": SECTIONS}
    assert library.verify() == {}
    return library


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scramble(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def test_a_sound_index_is_left_alone(root: Path) -> None:
    assert healthy(root).status()["index"] == "ok"


@pytest.mark.parametrize(
    "what",
    ["index", "index/chroma", "index/snapshot", "index/near", "index/catalog.sqlite", "index/vectors.sqlite"],
)
def test_what_is_deleted_is_made_anew(root: Path, what: str) -> None:
    path = root / what
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    healthy(root)


@pytest.mark.parametrize("harm", [truncate, scramble, Path.unlink])
@pytest.mark.parametrize("name", ["data_level0.bin", "header.bin", "index_metadata.pickle"])
def test_a_torn_graph_file_is_never_opened(root: Path, name: str, harm: Callable[[Path], None]) -> None:
    """Chroma 1.5.9 segfaults on some of these; that the test process lives is part of the test."""
    harm(graph_file(root, name))
    library = healthy(root)
    assert "graph files are not as they were left" in library.status()["repairs"][0]


@pytest.mark.parametrize("harm", [truncate, scramble])
@pytest.mark.parametrize("name", ["chroma/chroma.sqlite3", "catalog.sqlite"])
def test_a_torn_database_is_made_anew(root: Path, name: str, harm: Callable[[Path], None]) -> None:
    harm(root / "index" / name)
    assert healthy(root).status()["index"] == "repaired"


@pytest.mark.parametrize("name", ["leads_to", "page_of", "standing_of"])
def test_a_snapshot_whose_places_are_spoilt_is_made_anew(root: Path, name: str) -> None:
    (path,) = root.glob(f"index/snapshot/*/{name}.npy")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"\xff" * (len(data) - len(data) // 2))
    healthy(root)


@pytest.mark.parametrize("torn", ["chroma/chroma.sqlite3", "catalog.sqlite"])
def test_lost_vectors_come_back_without_embedding_again(root: Path, torn: str) -> None:
    scramble(root / "index" / torn)
    embedder = CountingEmbedder()
    healthy(root, embedder)
    assert embedder.embedded == 0


def test_a_damaged_store_of_computed_vectors_is_dropped_and_they_are_computed_again(root: Path) -> None:
    for name in ("catalog.sqlite", "vectors.sqlite"):
        scramble(root / "index" / name)
    embedder = CountingEmbedder()
    healthy(root, embedder)
    assert embedder.embedded == SECTIONS


def test_vectors_that_the_catalog_does_not_know_are_settled(root: Path) -> None:
    """As after a kill between Chroma and the catalog."""
    with sqlite3.connect(root / "index/catalog.sqlite") as db:
        db.execute("delete from vectors where rowid % 2 = 0")
    db.close()
    assert "unknown" in healthy(root).status()["repairs"][0]


def test_rebuild_derives_everything_again(root: Path) -> None:
    embedder = CountingEmbedder()
    library = Library.open(root, choice=Choice(embedder, "test"))
    told: list[tuple[int, int]] = []
    library.rebuild(lambda done, total: told.append((done, total)))
    assert embedder.embedded == 0, "their vectors were kept"
    assert told[-1] == (SECTIONS, SECTIONS)
    healthy(root)


def test_a_second_run_embeds_nothing(root: Path) -> None:
    embedder = CountingEmbedder()
    healthy(root, embedder)
    assert embedder.embedded == 0


def test_another_model_gets_its_own_vectors_and_the_first_ones_stay(root: Path) -> None:
    other = Library.open(root, choice=Choice(HashingEmbedder(16), "test"))
    assert other.search("topic77", k=1).hits[0].text == "topic77 lore"
    assert other.status()["embedder"] == "hashing-16"
    embedder = CountingEmbedder()
    healthy(root, embedder)
    assert embedder.embedded == 0


def test_an_index_of_an_older_schema_is_rebuilt(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect(root / "index/catalog.sqlite") as db:
        db.execute("update state set value = '0' where key = 'schema'")
    db.close()
    healthy(root)


def test_a_full_disk_is_told_with_its_cure_and_drops_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    library = Library.open(root, choice=Choice(HashingEmbedder(32), "test"))
    monkeypatch.setattr(index_module.Index, "_sync", full)
    with pytest.raises(LibraryError, match=r"disk is full.*free disk space"):
        library.search("topic77")
    assert (root / "index/catalog.sqlite").exists()


@pytest.mark.parametrize("seam", ["kbgen.kb.snapshot.np.save", "kbgen.kb.near.np.save"])
def test_a_disk_that_fills_while_the_view_is_made_leaves_no_debris(
    root: Path, monkeypatch: pytest.MonkeyPatch, seam: str
) -> None:
    part = seam.split(".")[2]
    shutil.rmtree(root / "index" / part)
    with pytest.MonkeyPatch.context() as patch:

        def full(path: Path, array: object) -> None:
            if part in str(path):
                path.write_bytes(b"half")
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        patch.setattr(seam, full)
        library = Library.open(root, choice=Choice(HashingEmbedder(32), "test"))
        with pytest.raises(LibraryError, match=r"No space left on device.*free disk space"):
            library.search("topic77")
    assert not list((root / "index" / part).rglob("*.npy"))
    healthy(root)
