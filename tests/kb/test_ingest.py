"""Documents come in from files and folders; what cannot be read is listed with its reason."""

import os
from pathlib import Path

import pytest

from kbgen.kb.files import LibraryError
from kbgen.kb.ingest import LARGEST_BYTES, About, ingest
from kbgen.kb.library import Library


def test_a_folder_comes_in_and_is_found_with_its_source(library: Library, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "guide.md").write_text("# Tuning guide\n\n## Shared memory\n\nSwizzle to avoid bank conflicts.\n")
    (docs / "deep/notes.txt").write_text("Occupancy is limited by registers.")
    (docs / "kernel.bin").write_bytes(b"\0\1")
    report = ingest(library, [docs], About(vendor="nvidia", version="13.1", licence="CC-BY-4.0"))
    assert [Path(path).name for path in report.added] == ["guide.md", "notes.txt"]
    hit = library.search("bank conflicts").hits[0]
    assert (hit.title, hit.section) == ("Tuning guide", "Tuning guide > Shared memory")
    assert hit.source == str(docs / "guide.md")
    assert (hit.version, hit.licence, hit.vendor) == ("13.1", "CC-BY-4.0", "nvidia")


def test_the_second_run_adds_nothing_and_a_changed_file_replaces(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\nold words")
    assert len(ingest(library, [path]).added) == 1
    assert len(ingest(library, [path]).unchanged) == 1
    path.write_text("# A\n\nnew words")
    assert len(ingest(library, [path]).added) == 1
    assert [hit.text for hit in library.search("words").hits] == ["new words"]


def test_two_versions_of_one_file_stand_side_by_side(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\nwords")
    ingest(library, [path], About(version="1"))
    ingest(library, [path], About(version="2"))
    assert sorted(hit.version for hit in library.search("words").hits) == ["1", "2"]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.md", b"\x7fELF\0\0", "binary"),
        ("a.md", b"caf\xe9 and more", "byte 3 is not UTF-8"),
        ("a.md", b" \n\n", "no text"),
        ("a.txt", b"x" * (2 << 20), "a line of more than"),
        ("a.pdf", b"%PDF", ".pdf is not read; known: .md"),
    ],
)
def test_an_unreadable_file_is_listed_with_its_reason(
    library: Library, tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.md").write_text("good")
    report = ingest(library, [tmp_path / name, tmp_path / "good.md"])
    assert reason in report.refused[str(tmp_path / name)]
    assert len(report.added) == 1


def test_a_huge_file_is_refused_unread(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    with path.open("wb") as file:
        file.truncate(LARGEST_BYTES + 1)
    assert "at most" in ingest(library, [path]).refused[str(path)]


def test_a_loop_of_links_ends(library: Library, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("words")
    os.symlink(tmp_path / "docs", tmp_path / "docs/loop")
    os.symlink(tmp_path / "docs/no.md", tmp_path / "docs/broken.md")
    report = ingest(library, [tmp_path / "docs"])
    assert len(report.added) == 1
    assert list(report.refused.values()) == ["cannot be read (No such file or directory)"]


def test_a_path_that_is_not_there_is_a_mistake(library: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match=r"no file or folder at .*nowhere"):
        ingest(library, [tmp_path / "nowhere"])
