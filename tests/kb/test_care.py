"""Quarantine, exports and toolchain limits: what is kept apart stays apart, what comes in was checked."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kbgen.kb import archive, shipped
from kbgen.kb.files import LibraryError
from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.kb.records import Episode, EpisodeStep
from kbgen.kb.toolchain import holds, parse_limit, parse_version

MakePage = Callable[..., Page]
MakeEpisode = Callable[..., Episode]
MakeStep = Callable[..., EpisodeStep]


def test_a_page_in_quarantine_is_not_found_until_released(
    library: Library, open_library: Callable[[], Library], make_page: MakePage
) -> None:
    library.add(make_page("bad", "poisoned advice"))
    library.add(make_page("good", "sound advice"))
    library.quarantine.put("bad", "wrong on sm_90")
    other = open_library()
    assert [hit.doc_id for hit in other.search("advice").hits] == ["good"]
    assert [page.id for page in other.pages()] == ["good"]
    assert other.page("bad") is not None
    assert other.quarantine.entries()["bad"].reason == "wrong on sm_90"
    other.quarantine.release("bad")
    assert {hit.doc_id for hit in library.search("advice").hits} == {"bad", "good"}


def test_a_record_in_quarantine_teaches_nothing(
    library: Library, make_episode: MakeEpisode, make_step: MakeStep
) -> None:
    name = library.record(make_episode(make_step(effect=9.0)))
    library.quarantine.put(name, "timed wrongly")
    assert not any(name in edge.episodes for edge in library.graph().edges())
    library.quarantine.release(name)
    assert sum(name in edge.episodes for edge in library.graph().edges()) == 1
    for shipped_name in shipped.episodes():
        library.quarantine.put(shipped_name, "another driver")
    assert len(library.graph().edges()) == 1


def test_a_torn_quarantine_is_told_and_hides_nothing_silently(library: Library) -> None:
    (library.root / "quarantine.json").write_text("{")
    with pytest.raises(LibraryError, match="remove it to release everything"):
        library.pages()


def test_an_export_comes_in_elsewhere_once(
    library: Library, tmp_path: Path, make_page: MakePage, make_episode: MakeEpisode
) -> None:
    library.add(make_page("p", "swizzle words"))
    library.add(make_page("held-back", "secret"))
    library.quarantine.put("held-back", "")
    name = library.record(make_episode())
    assert archive.export(library, tmp_path / "out.zip") == 2
    again = tmp_path / "again.zip"
    archive.export(library, again)
    assert again.read_bytes() == (tmp_path / "out.zip").read_bytes()
    other = Library.open(tmp_path / "other", choice=library.choice)
    taken = archive.load(other, again)
    assert (len(taken.added), taken.refused) == (2, {})
    assert [hit.doc_id for hit in other.search("swizzle").hits] == ["p"]
    assert set(other.records()) == {name}
    assert len(archive.load(other, again).unchanged) == 2
    assert other.verify() == {}


def archive_of(path: Path, files: dict[str, bytes], schema: str = archive.SCHEMA) -> Path:
    import hashlib

    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            out.writestr(name, data)
        out.writestr(archive.MANIFEST, json.dumps({"schema": schema, "files": hashes}))
    return path


PAGE = b"---\nid: %b\nkind: document\ntitle: T\norigin: library\n---\nwords\n"


def test_bad_entries_are_refused_one_by_one_and_nothing_leaves_the_library(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "LARGEST_ENTRY", 1 << 20)
    shipped_page = Page(id="wgmma", kind="technique", title="W", body="x", origin="shipped")
    monkeypatch.setattr(archive.shipped, "pages", lambda: (shipped_page,))
    files = {
        "../escape.md": PAGE % b"escape",
        "/tmp/absolute.md": PAGE % b"absolute",
        "documents/../../up.md": PAGE % b"up",
        "documents/bomb.md": b" " * (2 << 20),
        "documents/no-header.md": b"words",
        "documents/other-name.md": PAGE % b"name",
        "documents/wgmma.md": PAGE % b"wgmma",
        "records/20260101T000000Z-0123456789abcdef.json": b"{}",
        "documents/good.md": PAGE % b"good",
    }
    before = {path for path in tmp_path.rglob("*") if library.root not in path.parents}
    taken = archive.load(library, archive_of(tmp_path / "bad.zip", files))
    assert taken.added == ["documents/good.md"]
    assert set(taken.refused) == set(files) - {"documents/good.md"}
    assert "more than" in taken.refused["documents/bomb.md"]
    assert "shipped with kbgen" in taken.refused["documents/wgmma.md"]
    after = {path for path in tmp_path.rglob("*") if library.root not in path.parents}
    assert after - before == {tmp_path / "bad.zip"}
    assert [path.name for path in (library.root / "documents").iterdir()] == ["good.md"]


@pytest.mark.parametrize(
    "header",
    [
        b"title: &a x\narchs: [*a, *a]", b"date: 2026-13-45", b'title: "\\ud800"', b"title: " + b"[" * 20_000,
        b"title: !!python/object/apply:os.getcwd []",
    ],
)  # fmt: skip
def test_a_hostile_header_is_refused_alone(header: bytes, library: Library, tmp_path: Path) -> None:
    page = PAGE % b"bad"
    lines = [line for line in page.split(b"\n") if not line.startswith(header[:5])]
    files = {"documents/bad.md": b"\n".join([lines[0], header, *lines[1:]]), "documents/ok.md": PAGE % b"ok"}
    taken = archive.load(library, archive_of(tmp_path / "a.zip", files))
    assert taken.added == ["documents/ok.md"]
    assert "the header is not valid YAML" in taken.refused["documents/bad.md"]


def test_a_changed_entry_is_refused(library: Library, tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a.zip", {"documents/a.md": PAGE % b"a"})
    data = path.read_bytes()
    with zipfile.ZipFile(path) as found:
        manifest = found.read(archive.MANIFEST)
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("documents/a.md", PAGE.replace(b"words", b"other words") % b"a")
        out.writestr(archive.MANIFEST, manifest)
    assert "damaged or changed" in archive.load(library, path).refused["documents/a.md"]
    path.write_bytes(data[:100])
    with pytest.raises(LibraryError, match="no export of a library"):
        archive.load(library, path)


def test_a_damaged_entry_is_refused_and_the_rest_comes_in(library: Library, tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a.zip", {f"documents/{i}.md": PAGE % i.encode() for i in "ab"})
    data = bytearray(path.read_bytes())
    start = data.index(b"documents/a.md") + len("documents/a.md")
    data[start + 2 : start + 40] = b"\xff" * 38  # within the compressed text of the first entry
    path.write_bytes(data)
    taken = archive.load(library, path)
    assert taken.added == ["documents/b.md"]
    assert taken.refused["documents/a.md"].startswith("cannot be unpacked")


@pytest.mark.parametrize("name", ["../out", "a/b", "", "A b", "x" * 200])
def test_an_id_that_is_no_file_name_is_refused(name: str, library: Library, make_page: MakePage) -> None:
    with pytest.raises(LibraryError, match="no id of a page"):
        library.add(make_page(name, "words"))


@pytest.mark.parametrize(
    ("limit", "version", "expected"),
    [
        ("triton>=3.6", "3.7", True), ("triton>=3.6", "3.5", False), ("triton>=3.6", "3.10", True),
        ("triton>=3.6,<3.9", "3.9", False), ("triton==3.7", "3.7.1", True), ("triton<3.7", "3.7.1", False),
        ("cuda>=13", "3.5", True),
    ],
)  # fmt: skip
def test_toolchain_limits(limit: str, version: str, expected: bool) -> None:
    assert holds([parse_limit(limit)], {"triton": version}) is expected


def test_toolchains_shut_out_what_holds_for_other_releases(library: Library, make_page: MakePage) -> None:
    library.add(make_page("old", "descriptor words", toolchain=("triton<3.6",)))
    library.add(make_page("new", "descriptor words", toolchain=("triton>=3.6",)))
    hits = library.search("descriptor", toolchain=dict([parse_version("triton 3.7.1")])).hits
    assert [hit.doc_id for hit in hits] == ["new"]
    for wrong in ("3.7", "triton", "triton >= 3"):
        with pytest.raises(LibraryError, match="is no toolchain"):
            parse_version(wrong)
    with pytest.raises(LibraryError, match="no toolchain limit"):
        parse_limit("3.6 or so")
