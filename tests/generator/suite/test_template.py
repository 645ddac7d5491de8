"""One library is indexed for a suite, and each task changes a copy of its own."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import pytest

from kbgen.generator.suite import template as module
from kbgen.generator.suite.template import copy_of


class Shelf:
    """A library that counts how often it was indexed, in a file of its own."""

    indexed = 0

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, folder: Path) -> Shelf:
        folder.mkdir(parents=True)
        return cls(folder)

    def index(self, watch: object) -> None:
        Shelf.indexed += 1
        (self.folder / "index").write_text("whole")

    def __enter__(self) -> Shelf:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert kind is None


def test_it_is_made_once_and_every_copy_is_a_task_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Library", Shelf)
    monkeypatch.setattr(Shelf, "indexed", 0)
    (tmp_path / "template.draft").mkdir()  # what a task that was ended in the middle leaves
    for name in ("first", "second"):
        copy_of(tmp_path / "template", tmp_path / name)
        assert (tmp_path / name / "index").read_text() == "whole"
        (tmp_path / name / "index").write_text("changed by its task")
    assert Shelf.indexed == 1
    assert (tmp_path / "template" / "index").read_text() == "whole"
