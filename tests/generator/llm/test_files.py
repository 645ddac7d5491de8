"""Candidates from a folder: kernels as they are, replies read strictly, in the order of their names."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from kbgen.generator.writers.files import LARGEST_BYTES, FilesWriter
from kbgen.generator.writers.writer import Answering, Candidate, Declined, Request

ASKED = Request(cast(Any, None), cast(Any, SimpleNamespace(flops=7)), (), cast(Any, None))
FILE = "class ModelNew:\n    pass\n"


def given(writer: FilesWriter, sample: int) -> Candidate | Declined:
    return writer.write(Request(**{**vars(ASKED), "sample": sample}))


def test_each_file_is_one_candidate_or_says_why_it_is_none(tmp_path: Path) -> None:
    (tmp_path / "1.py").write_text("anything at all")
    (tmp_path / "2.md").write_text(f"Here:\n```python\n{FILE}```\n")
    (tmp_path / "3.txt").write_text("no kernel")
    (tmp_path / "4.py").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "5.py").write_text("#" * (LARGEST_BYTES + 1))
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / "folder.py").mkdir()
    writer = FilesWriter(tmp_path)
    assert isinstance(writer, Answering)
    assert (writer.effort.drafts, writer.effort.repairs, writer.spent) == (5, 0, None)
    kernel, reply, *others = (given(writer, sample) for sample in range(6))
    assert isinstance(kernel, Candidate)
    assert (kernel.source, kernel.flops) == ("anything at all", 7.0)
    assert isinstance(reply, Candidate)
    assert reply.source == FILE
    reasons = [one.reason if isinstance(one, Declined) else "" for one in others]
    assert [reason.split(":")[0] for reason in reasons[:3]] == [
        "3.txt", "4.py cannot be read", "5.py is larger than 1 MiB",
    ]  # fmt: skip
    assert reasons[3] == "a folder holds what it holds"
    assert isinstance(writer.write(Request(**{**vars(ASKED), "parent": kernel})), Declined)
