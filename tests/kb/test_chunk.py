"""Passages: no fence or table is cut, nothing is lost, ids follow the content."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.kb.blocks import Block, estimated_tokens, lift_fences, split
from kbgen.kb.chunk import WHOLE_TOKENS, WINDOW_TOKENS, chunk, sections

WORD = st.from_regex(r"[a-z]{2,9}", fullmatch=True)
SENTENCE = st.lists(WORD, min_size=3, max_size=12).map(lambda words: " ".join(words).capitalize() + ".")
PROSE = st.lists(SENTENCE, min_size=1, max_size=25).map(" ".join)
CODE_LINE = st.one_of(WORD, st.just(""), st.just("# not a heading"), WORD.map(lambda w: f"| {w} | pipe |"))


@st.composite
def fences(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(["```", "~~~", "````"]))
    return "\n".join([mark + "cuda", *draw(st.lists(CODE_LINE, max_size=60)), "x;", mark])


@st.composite
def tables(draw: st.DrawFn) -> str:
    rows = draw(st.lists(st.tuples(WORD, WORD), min_size=1, max_size=40))
    return "\n".join(["| a | b |", "|---|:-:|", *(f"| {left} | {right} |" for left, right in rows)])


HEADING = st.tuples(st.integers(1, 4), WORD).map(lambda pair: "#" * pair[0] + " " + pair[1])
PAGE = st.lists(st.one_of(PROSE, fences(), tables(), HEADING), min_size=1, max_size=14)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@given(PAGE)
def test_every_fence_and_table_stands_whole_in_one_passage(blocks: list[str]) -> None:
    texts = [passage.text for passage in chunk("d", "T", "\n\n".join(blocks))]
    for block in blocks:
        if block.startswith(("```", "~~~", "| a")):
            assert any(block in text for text in texts)


@given(PAGE)
def test_nothing_is_lost_and_the_order_stays(blocks: list[str]) -> None:
    body = "\n\n".join(block for block in blocks if not block.startswith("#"))
    kept = [
        word for _, found in sections("\n\n".join(blocks)) for block in found for word in words(block.text)
    ]
    assert kept == words(body)


@given(PAGE)
def test_prose_keeps_to_the_window(blocks: list[str]) -> None:
    for passage in chunk("d", "T", "\n\n".join(blocks)):
        if "```" not in passage.text and "~~~" not in passage.text and "|" not in passage.text:
            assert estimated_tokens(passage.text) <= WINDOW_TOKENS


@given(st.lists(CODE_LINE, min_size=30, max_size=200))
def test_parts_of_an_oversize_fence_are_fences_that_add_up(lines: list[str]) -> None:
    code = "\n".join(lines)
    parts = split(Block("fence", f"```cuda\n{code}\n```"), 40)
    assert all(part.startswith("```cuda\n") and part.endswith("\n```") for part in parts)
    inner = [line for part in parts for line in part.split("\n")[1:-1]]
    assert [line for line in inner if line] == [line for line in lines if line]


def test_parts_of_an_oversize_table_repeat_the_header() -> None:
    rows = "\n".join(f"| key{i} | value {i} |" for i in range(200))
    parts = split(Block("table", f"| a | b |\n|---|---|\n{rows}"), 100)
    assert len(parts) > 3
    assert all(part.startswith("| a | b |\n|---|---|\n| key") for part in parts)
    assert sum(part.count("| key") for part in parts) == 200


def test_one_giant_line_is_cut_into_bounded_passages() -> None:
    line = "".join(f"{i:06}" for i in range(30_000))
    passages = chunk("d", "T", line)
    assert "".join(passage.text for passage in passages) == line
    assert all(estimated_tokens(passage.text) <= WHOLE_TOKENS for passage in passages)


def test_a_comment_in_code_is_no_heading() -> None:
    found = list(sections("# Real\n\n~~~sh\n# comment\nls\n~~~\n\nafter"))
    assert [path for path, _ in found] == [("Real",)]


def test_a_fence_left_open_runs_to_the_end_and_is_closed() -> None:
    text, fences_found = lift_fences("before\n```c\nint x;\n# y")
    assert fences_found == ["```c\nint x;\n# y\n```"]
    assert "int" not in text


def test_a_longer_fence_may_hold_a_shorter_one() -> None:
    _, found = lift_fences("````md\n```c\nint x;\n```\n````")
    assert found == ["````md\n```c\nint x;\n```\n````"]


def test_section_paths_hold_every_heading_above() -> None:
    passages = chunk("d", "Guide", "# Guide\n\n## A/B\n\n### C\n\ntext\n\n## D\n\nmore")
    assert [passage.section for passage in passages] == ["Guide > A/B > C", "Guide > D"]


def test_a_table_without_outer_pipes_is_a_table() -> None:
    ((_, blocks),) = sections("lead in\na | b\n--- | ---\n1 | 2\n\nafter")
    assert [block.kind for block in blocks] == ["prose", "table", "prose"]


@pytest.mark.parametrize("change", ["doc", "section", "text"])
def test_an_id_changes_with_document_section_and_text_only(change: str) -> None:
    one = chunk("d", "T", "## S\n\nsome text")[0]
    same = chunk("d", "T", "## S\n\nsome text\n\n## Later\n\nadded")[0]
    other = chunk(
        "e" if change == "doc" else "d",
        "T",
        ("## R" if change == "section" else "## S") + "\n\nsome " + ("word" if change == "text" else "text"),
    )[0]
    assert one.id == same.id != other.id


def test_questions_lead_to_the_first_passage_and_are_none_without_one() -> None:
    first, second, question = chunk("d", "T", "## A\n\nanswer\n\n## B\n\nmore", ("why is it slow?",))
    assert (first.leads_to, second.leads_to) == ("", "")
    assert (question.text, question.section, question.leads_to) == ("why is it slow?", "T", first.id)
    assert chunk("d", "T", "", ("why is it slow?",)) == ()
