"""Pages of advice stand alone, carry hostile names as text, need no counters, and repeat to the letter."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.report import advice_files, advice_markdown, advice_page
from kbgen.generator.report.advice_files import PageError, writer

HOSTILE = "</section><script>alert('$x^2$ | `a`')</script>"


def kernel(name: str, **changes: Any) -> dict[str, Any]:
    """A made-up kernel of an advise document: its numbers come from no run."""
    step = {
        "technique": "wide-loads", "title": "Wide <loads>", "for": "dram_bandwidth",
        "evidence": "...",
        "why": "addresses dram_bandwidth", "at_most": 1.25, "at_most_how": "DRAM needs 80.0 % of the time",
        "card_effect": "2 times", "cost": "none", "risk": "none", "check": "Bytes fall.",
        "conflicts": ["other"],
        "citations": [
            {"title": "A guide", "source": "https://x.test/a", "section": "2", "version": "1"},
            {"title": "Mine", "source": "javascript:alert(1)", "section": "", "version": ""},
        ],
        "outcomes": [{"told": "norm on sm_90: 2 helped"}],
    }  # fmt: skip
    return {
        "name": name, "library": None, "family": "norm", "launches": 3, "share": 0.75, "time_us": 120.0,
        "median_us": 40.0, "worst_us": 41.0, "level": "A", 
        "withheld": [{"technique": "t", "reason": "r & r"}],
        "device": {"id": "x", "name": "H100 SXM5 80GB", "arch": "sm_90", "dram_gb_s": 3350.0},
        "bottlenecks": [
            {"class": "l2_bandwidth", "confidence": "high", "evidence": "l2_bandwidth (high): a=1 [> 0]"}
        ],
        "roofline": {"intensity": 0.5, "ridge": 20.0, "attainable_us": 30.0, "time_us": 40.0},
        "launch": {
            "readings": {
                "dram_pct": {"value": 80.0, "unit": "%", "source": "d"},
                "stall_long_scoreboard": {"value": 0.5, "unit": "ratio", "source": "s"},
            },
            "flags": ["a <flag>"], "remarks": [],
        },
        "advice": [step],
        **changes,
    }  # fmt: skip


def document(*kernels: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "subject": HOSTILE, "tool": "ncu", "tool_version": "2025.3", "notes": ["<note>"], "note": "",
        "launches": 3, "level": "A", "kernels": list(kernels) or [kernel(HOSTILE)], **changes,
    }  # fmt: skip


class Reader(HTMLParser):
    """Collects the elements and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.leads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.leads += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]


def test_a_page_needs_no_script_and_no_network() -> None:
    read = Reader(advice_page.render(document()))
    assert not {"script", "link", "img", "iframe", "object"} & set(read.tags)
    assert all(lead.startswith(("#", "https://x.test/")) for lead in read.leads)
    assert "svg" in read.tags


def test_hostile_names_are_text() -> None:
    page = advice_page.render(document())
    assert "<script" not in page
    assert "&lt;script&gt;alert(" in page
    assert page.count("<section") == page.count("</section>") == 1


def test_a_page_is_the_same_every_time_and_its_figures_share_no_ids() -> None:
    page = advice_page.render(document(kernel("a"), kernel("b")))
    assert page == advice_page.render(document(kernel("a"), kernel("b")))
    figures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(figures) == 3  # the roofline and one of each kernel
    clips = [set(re.findall(r'<clipPath id="([^"]+)"', figure)) for figure in figures]
    assert not clips[1] & clips[2]


def test_a_kernel_without_counters_has_a_page_without_figures() -> None:
    bare = kernel("op", launch=None, launches=None, time_us=None, share=None, roofline=None, level="D")
    page = advice_page.render(document(bare, tool=None, tool_version=None, launches=0))
    assert "svg" not in Reader(page).tags
    assert "Wide &lt;loads&gt;, at most 1.25x" in page


def test_a_report_with_no_kernels_is_still_a_page() -> None:
    assert "<table" not in advice_page.render({**document(), "kernels": []})


def test_markdown_keeps_hostile_names_in_their_cells() -> None:
    text = advice_markdown.render(document())
    rows = [line for line in text.splitlines() if line.startswith("| 1 |")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 9
    assert "[A guide, 2 (1)](https://x.test/a)" in text
    assert "(javascript:" not in text
    assert "- To check: Bytes fall." in text


def test_the_suffix_chooses_the_page(tmp_path: Path) -> None:
    for name, begins in (("a.md", "# Advice"), ("a.html", "<!doctype html>")):
        write = writer(tmp_path / name)
        assert write is not None
        assert write(document()).read_text().startswith(begins)
    assert writer(None) is None


def test_a_page_that_cannot_be_made_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PageError, match=r"FILE\.html or FILE\.md"):
        writer(tmp_path / "advice.pdf")
    monkeypatch.setattr(advice_files, "installed", lambda name: None)
    with pytest.raises(PageError, match=r"kbgen\[report\]"):
        writer(tmp_path / "advice.html")
