"""What an agent hands over as a file is one: no path trick reaches the out folder, nothing odd is opened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbgen.generator.mcp.sources import LARGEST_BYTES, SourceError, regular, source_file


def test_text_becomes_a_file_of_its_name_in_the_jobs_folder(tmp_path: Path) -> None:
    path = source_file("op", None, "x = 1\n", "rmsnorm", tmp_path)
    assert path == tmp_path / "rmsnorm.py"
    assert path.read_text() == "x = 1\n"


def test_a_path_stays_where_it_is(tmp_path: Path) -> None:
    given = tmp_path / "mine.py"
    given.write_text("x = 1\n")
    (tmp_path / "job").mkdir()
    assert source_file("op", str(given), None, "op", tmp_path / "job") == given
    assert list((tmp_path / "job").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../op", "a/b", "/etc/cron", "..", ".", "", "a.py", "a b", "-rf", "a\0b", "a\nb", "x" * 65, "é"]
)
def test_a_name_that_is_more_than_a_name_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    with pytest.raises(SourceError, match="no path"):
        source_file("op", None, "x = 1\n", name, tmp_path / "job")
    assert [path.name for path in tmp_path.rglob("*")] == ["job"]


@pytest.mark.parametrize(("path", "text"), [(None, None), ("op.py", "x = 1\n")])
def test_either_a_path_or_a_text(path: str | None, text: str | None, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="give one of them"):
        source_file("op", path, text, "op", tmp_path)


@pytest.mark.parametrize("text", ["\0", "x" * (LARGEST_BYTES + 1), "é" * (LARGEST_BYTES // 2 + 1), "\ud800"])
def test_a_text_that_is_no_source_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"give the text|give UTF-8 text"):
        source_file("candidate", None, text, "candidate", tmp_path)


def test_odd_paths_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "large.py").write_bytes(b"#" * (LARGEST_BYTES + 1))
    (tmp_path / "disguised.py").symlink_to("/etc/passwd")
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")
    bad = [
        "absent.py",
        "folder.py",
        "pipe.py",
        "large.py",
        "disguised.py",
        "circle.py",
        "a\0.py",
        " ",
        "a\n.py",
    ]
    for name in bad:
        with pytest.raises(SourceError, match="op_path"):
            regular("op", str(tmp_path / name) if name.strip() else name, (".py",))
    with pytest.raises(SourceError, match="neither a file nor a folder"):
        regular("report", str(tmp_path / "pipe.py"))
    assert regular("report", str(tmp_path)) == tmp_path
