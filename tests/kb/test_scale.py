"""The measure of a large library measures what it says, and refuses a folder that is not its own."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from kbgen.kb import scale, scale_child, shipped
from kbgen.kb.choice import Choice
from kbgen.kb.page import Page
from kbgen.kb.scale import ScaleError, measure

TEXT = (
    "Warps wait for `smsp__warp_issue_stalled` and cp.async.bulk; many words of one corpus come again. " * 3
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus of one page, no model, and the searching process in this one."""
    page = Page(id="p", kind="howto", title="T", body=TEXT, origin="shipped")
    monkeypatch.setattr(shipped, "pages", lambda: (page,))
    monkeypatch.setattr(shipped, "corpus_hash", lambda: "small")
    monkeypatch.setattr(scale_child, "QUERIES", 12)
    for module in (scale, scale_child):
        monkeypatch.setattr(module, "choose", lambda: Choice(None, "none here"))

    def searched(folder: Path) -> Mapping[str, float | None]:
        found: dict[str, float | None] = json.loads(json.dumps(scale_child.main(folder)))
        return found

    monkeypatch.setattr(scale, "_searched", searched)


def test_a_small_library_is_measured(tmp_path: Path, small: None) -> None:
    found = measure(tmp_path / "library", 120)
    assert found.chunks == 120
    assert found.nearest_found == 1.0
    assert (found.embedder, found.embed_per_s, found.embed_all_hours, found.embed_query_p50_ms) == (None,) * 4
    assert found.memory_with_model_mb is None
    assert 0 < found.search_p50_ms <= found.search_p95_ms
    assert min(found.lexical_per_s, found.vectors_per_s, found.disk_mb, found.memory_mb) > 0


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ScaleError, match="is not empty; name a folder"):
        measure(tmp_path, 100)


def test_a_searching_process_that_dies_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ScaleError, match="the searching process failed"):
        scale._searched(tmp_path)
