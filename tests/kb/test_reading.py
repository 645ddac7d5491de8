"""Files are read by a child: one that kills, hangs or bloats it is refused, and the next is read as ever."""

import os
import zlib
from pathlib import Path

import pytest

from kbgen.kb.readers import worker
from kbgen.kb.readers.draft import Unreadable
from kbgen.kb.reading import Reading

FAKE = """
import json, os, sys, time
if "kbgen.kb.readers.worker" in sys.orig_argv:
    for line in sys.stdin:
        if "crash" in line: os.kill(os.getpid(), 11)
        if "hang" in line: time.sleep(60)
        about = dict.fromkeys(("title", "version", "licence", "date"), "")
        print(json.dumps({"draft": {"body": "x", "flags": [], **about}}), flush=True)
    os._exit(0)
"""
PACKED = b"""%%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Count 1 /Kids [3 0 R] >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >> endobj
4 0 obj << /Length %d /Filter /FlateDecode >>
stream
%b
endstream endobj
trailer << /Root 1 0 R >>
"""


@pytest.mark.parametrize(("name", "reason"), [("crash.md", "parser crash"), ("hang.md", "more than 1 s")])
def test_a_file_that_ends_the_child_is_refused_and_the_next_is_read(
    name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(FAKE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Reading(wall_s=1.0) as reading, pytest.raises(Unreadable, match=reason):
        reading.read(tmp_path / name)
    with Reading() as reading:
        assert reading.read(tmp_path / "good.md").body == "x"


def test_the_child_reads_many_files_and_says_why_it_refuses_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nwords")
    (tmp_path / "b.md").write_bytes(b"\0")
    with Reading() as reading:
        assert reading.read(tmp_path / "a.md").title == "A"
        with pytest.raises(Unreadable, match="zero bytes"):
            reading.read(tmp_path / "b.md")
        with pytest.raises(Unreadable, match="No such file"):
            reading.read(tmp_path / "c.md")
        assert reading.read(tmp_path / "a.md").title == "A"


def test_a_pdf_that_unpacks_without_end_meets_the_bound_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = zlib.compress(b" " * (300 << 20), 1)
    (tmp_path / "bomb.pdf").write_bytes(PACKED % (len(stream), stream))
    limited = "import resource; resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))\n"
    (tmp_path / "sitecustomize.py").write_text(limited)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Reading() as reading, pytest.raises(Unreadable, match=r"memory|damaged"):
        reading.read(tmp_path / "bomb.pdf")


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert "not a file" in str(worker.reply_to(tmp_path / "pipe.md", ".md"))
    assert "not a file" in str(worker.reply_to(Path("/dev/zero"), ".md"))
