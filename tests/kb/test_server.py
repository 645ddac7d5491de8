"""The same library with its vectors on a Chroma server, tested against a real one."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder
from kbgen.kb.files import LibraryError
from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.kb.root import server_of
from kbgen.kb.server import ServerStore

MakePage = Callable[..., Page]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A `chroma run` of this test's own; its log goes to a file, as an unread pipe would block it."""
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(folder / "data")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)], stdout=log, stderr=log
        )
        try:
            deadline = time.monotonic() + 60
            while not _answers(port) and time.monotonic() < deadline:
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()
            server.wait()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/heartbeat", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


@pytest.fixture
def open_at(
    address: str, tmp_path: Path, no_corpus: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Library]]:
    """Opens libraries on the server, and closes them all: they share one connection."""
    opened: list[Library] = []

    def open_named(name: str) -> Library:
        monkeypatch.setenv("KBGEN_LIBRARY", str(tmp_path / name))
        opened.append(Library.open(Path(address), choice=Choice(HashingEmbedder(32), "test")))
        return opened[-1]

    yield open_named
    for library in opened:
        library.close()


def test_documents_stay_files_and_vectors_go_to_the_server(
    open_at: Callable[[str], Library], make_page: MakePage
) -> None:
    with open_at("one") as library:
        library.add(make_page("p", "swizzle the shared tile"))
        (hit,) = library.search("swizzle").hits
        assert "meaning" in hit.why
        assert library.status()["vectors"] == {"technique-any": 1}
        assert library.verify() == {}
        assert (library.root / "documents/p.md").is_file()
        assert not (library.root / "index/chroma").exists()


def test_libraries_share_a_server_without_seeing_each_other(
    open_at: Callable[[str], Library], make_page: MakePage
) -> None:
    first, second = open_at("first"), open_at("second")
    first.add(make_page("a", "swizzle one"))
    second.add(make_page("b", "swizzle two"))
    assert [hit.doc_id for hit in first.search("swizzle").hits] == ["a"]
    assert [hit.doc_id for hit in second.search("swizzle").hits] == ["b"]
    second.rebuild()
    (hit,) = first.search("swizzle").hits
    assert "meaning" in hit.why
    assert first.status()["index"] == "ok"


def test_a_server_that_lost_its_vectors_gets_them_again(
    open_at: Callable[[str], Library], make_page: MakePage, address: str
) -> None:
    library = open_at("lost")
    library.add(make_page("p", "swizzle"))
    library.search("swizzle")
    ServerStore(address, json.loads((library.root / "library.json").read_text())["id"], "").destroy()
    library.close()
    with open_at("lost") as again:
        assert "meaning" in again.search("swizzle").hits[0].why
        assert again.status()["index"] == "repaired"


def test_a_silent_server_is_told_with_the_command_that_starts_one(
    tmp_path: Path, no_corpus: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_LIBRARY", str(tmp_path / "files"))
    library = Library.open("http://127.0.0.1:9", choice=Choice(HashingEmbedder(32), "test"))
    with pytest.raises(LibraryError, match=r"no Chroma server answers at http://127.0.0.1:9 .*chroma run"):
        library.search("anything")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("http://localhost:8000", "http://localhost:8000"), (Path("https://host:1/"), "https://host:1"),
        ("/home/me/library", None), (None, None), ("http://host/path", None),
    ],
)  # fmt: skip
def test_addresses_and_folders_are_told_apart(place: Path | str | None, expected: str | None) -> None:
    assert server_of(place) == expected
