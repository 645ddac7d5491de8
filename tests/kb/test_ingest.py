"""Documents come in from files and folders; what cannot be read is listed with its reason."""

import os
from pathlib import Path

import pytest

from kbgen.kb.files import LibraryError
from kbgen.kb.ingest import About, Report, Taken, ingest
from kbgen.kb.library import Library
from kbgen.kb.readers.draft import LARGEST_BYTES


def refused(report: Report) -> dict[str, str]:
    return {one.source: one.reason for one in report.of("refused")}


def only(report: Report) -> Taken:
    (one,) = report.taken
    return one


def test_a_folder_comes_in_and_is_found_with_its_source(library: Library, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "guide.md").write_text("# Tuning guide\n\n## Shared memory\n\nSwizzle to avoid bank conflicts.\n")
    (docs / "deep/notes.txt").write_text("Occupancy is limited by registers.")
    (docs / "kernel.bin").write_bytes(b"\0\1")
    report = ingest(library, [docs], About(vendor="nvidia", version="13.1", licence="CC-BY-4.0"))
    assert [Path(one.source).name for one in report.of("added")] == ["guide.md", "notes.txt"]
    hit = library.search("bank conflicts").hits[0]
    assert (hit.title, hit.section) == ("Tuning guide", "Tuning guide > Shared memory")
    assert hit.source == str(docs / "guide.md")
    assert (hit.version, hit.licence, hit.vendor) == ("13.1", "CC-BY-4.0", "nvidia")


def test_the_second_run_adds_nothing_and_an_edit_replaces(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\nold words")
    assert only(ingest(library, [path])).status == "added"
    assert only(ingest(library, [path])).status == "unchanged"
    path.write_text("# Another title\n\nnew words")
    assert only(ingest(library, [path])).status == "changed"
    assert [hit.text for hit in library.search("words").hits] == ["new words"]


def test_the_second_run_embeds_nothing(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("# A\n\nsome words")
    ingest(library, [tmp_path / "a.md"])
    library.index(lambda done, total: None)

    def forbidden(texts: list[str]) -> None:
        raise AssertionError(f"embedded {texts}")

    monkeypatch.setattr(library.choice.embedder, "embed", forbidden)
    ingest(library, [tmp_path / "a.md"])
    library.index(lambda done, total: None)


def test_a_copy_is_a_duplicate_and_is_not_stored(library: Library, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# Same\n\nwords")
    first, second = ingest(library, [tmp_path / "a.md", tmp_path / "b.md"]).taken
    assert (second.status, second.page_id) == ("duplicate", first.page_id)
    assert len(library.pages()) == 1


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.md", b"\x7fELF\0\0", "binary"),
        ("a.md", b"caf\xe9 and more", "byte 3 is not UTF-8"),
        ("a.md", b" \n\n", "no text"),
        ("a.txt", b"x" * (2 << 20), "a line of more than"),
        ("a.docx", b"PK", ".docx is not read; known: .html"),
    ],
)
def test_an_unreadable_file_is_listed_with_its_reason(
    library: Library, tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.md").write_text("good")
    report = ingest(library, [tmp_path / name, tmp_path / "good.md"])
    assert reason in refused(report)[str(tmp_path / name)]
    assert len(report.of("added")) == 1


def test_a_huge_file_is_refused_unread(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    with path.open("wb") as file:
        file.truncate(LARGEST_BYTES + 1)
    assert "at most" in refused(ingest(library, [path]))[str(path)]


def test_loops_of_links_end_and_what_is_no_file_is_refused(library: Library, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("words")
    os.symlink(docs, docs / "loop")
    os.symlink(docs / "no.md", docs / "broken.md")
    os.symlink(docs / "self.md", docs / "self.md")
    os.mkfifo(docs / "pipe.md")
    report = ingest(library, [docs])
    assert len(report.of("added")) == 1
    reasons = {Path(source).name: reason for source, reason in refused(report).items()}
    assert reasons["broken.md"] == "cannot be read (No such file or directory)"
    assert "oo many" in reasons["self.md"] or "loop" in reasons["self.md"].lower()
    assert "not a file" in reasons["pipe.md"]


def test_a_path_that_is_not_there_is_a_mistake(library: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match=r"no file or folder at .*nowhere"):
        ingest(library, [tmp_path / "nowhere"])


RELEASE_1 = "# Guide 9.0\n\n## Loads\n\nUse ld.global.\n\n## Stores\n\nUse st.global.\n\n## Old\n\nGone soon."
RELEASE_2 = (
    "# Guide 9.1\n\n## Loads\n\nUse ld.global.\n\n## Stores\n\nUse st.async now.\n\n## New\n\nBarriers."
)


def test_a_newer_release_tells_its_sections_and_marks_the_old_one(library: Library, tmp_path: Path) -> None:
    for version, text in (("9.0", RELEASE_1), ("9.1", RELEASE_2)):
        (tmp_path / version).mkdir()
        (tmp_path / version / "guide.md").write_text(text)
    old = only(ingest(library, [tmp_path / "9.0"]))
    new = only(ingest(library, [tmp_path / "9.1"]))
    assert new.supersedes == old.page_id != new.page_id
    assert new.changes is not None
    assert new.changes.added == ("Guide * > New",)
    assert new.changes.changed == ("Guide * > Stores",)
    assert new.changes.removed == ("Guide * > Old",)
    assert new.changes.kept == 1
    hits = library.search("st.global stores").hits
    assert [hit.superseded_by for hit in hits][-1] == new.page_id
    assert f"superseded by {new.page_id}" in next(hit for hit in hits if hit.doc_id == old.page_id).why
    current = [bool(hit.superseded_by) for hit in hits]
    assert current == sorted(current)


def test_an_older_release_that_comes_later_is_marked_itself(library: Library, tmp_path: Path) -> None:
    for version, text in (("9.10", RELEASE_2), ("9.9", RELEASE_1)):
        (tmp_path / version).mkdir()
        (tmp_path / version / "guide.md").write_text(text)
    newer, older = (only(ingest(library, [tmp_path / version])) for version in ("9.10", "9.9"))
    assert library.own_page(older.page_id).superseded_by == newer.page_id
    assert older.supersedes == ""
    again = [only(ingest(library, [tmp_path / version])).status for version in ("9.10", "9.9")]
    assert again == ["unchanged", "unchanged"]


def test_where_the_newest_release_is_removed_the_one_before_is_in_force_again(
    library: Library, tmp_path: Path
) -> None:
    for version in ("9.0", "9.1", "9.2"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "guide.md").write_text(f"# Guide {version}\n\nUse version {version}.")
    pages = [only(ingest(library, [tmp_path / version])).page_id for version in ("9.0", "9.1", "9.2")]
    assert [library.own_page(page).superseded_by for page in pages] == [pages[2], pages[2], ""]
    library.remove(pages[2])
    assert [library.own_page(page).superseded_by for page in pages[:2]] == [pages[1], ""]
    assert {hit.doc_id: hit.superseded_by for hit in library.search("use version").hits} == {
        pages[0]: pages[1],
        pages[1]: "",
    }


def test_a_name_that_is_not_utf8_is_refused_and_the_rest_comes_in(library: Library, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Good\n\nwords")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.md")).write_text("# Bad\n\nwords")
    report = ingest(library, [tmp_path])
    assert refused(report) == {f"{tmp_path}/bad\\xff.md": "has a name that is not UTF-8; rename it"}
    assert len(report.of("added")) == 1


def test_a_file_with_a_name_of_every_folder_is_called_after_its_own(library: Library, tmp_path: Path) -> None:
    (tmp_path / "softmax").mkdir()
    (tmp_path / "softmax" / "main.cu").write_text("__global__ void softmax() {}\n")
    page = only(ingest(library, [tmp_path])).page_id
    assert library.own_page(page).title == "softmax/main.cu"
