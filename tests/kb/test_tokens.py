"""Hardware identifiers are found whole, by parts and by pairs; inflections and spellings of a word meet."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.kb.tokens import stem, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("smsp__warp_issue_stalled_long_scoreboard", "smsp__warp_issue_stalled_long_scoreboard"),
        ("smsp__warp_issue_stalled_long_scoreboard", "long_scoreboard"),
        ("smsp__warp_issue_stalled_long_scoreboard", "scoreboard"),
        ("use cp.async.bulk.tensor here", "cp.async.bulk.tensor"),
        ("use cp.async.bulk.tensor here", "bulk_tensor"),
        ("ds_read_b128.", "b128"),
        ("shared::cluster", "shared_cluster"),
        ("__shfl_xor_sync", "shfl_xor_sync"),
    ],
)
def test_an_identifier_gives_the_word(text: str, expected: str) -> None:
    assert expected in tokens(text)


@pytest.mark.parametrize(
    "words",
    [
        ("spill", "spills", "spilled", "spilling"),
        ("coalesced", "coalescing", "coalesce"),
        ("vectorise", "vectorize", "vectorised", "vectorization"),
        ("fuse", "fused", "fusing", "fusion"),
        ("register", "registers"),
    ],
)
def test_inflections_meet(words: tuple[str, ...]) -> None:
    longer = {stem(word) for word in words if len(word) > 4}
    assert len(longer) == 1


@pytest.mark.parametrize(("one", "other"), [("tile", "till"), ("class", "clan"), ("b128", "b64")])
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert tokens(one) != tokens(other)


@given(st.lists(st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True), min_size=2, max_size=6))
def test_every_identifier_gives_itself_its_parts_and_its_pairs(parts: list[str]) -> None:
    found = tokens("_".join(parts))
    assert "_".join(parts) in found
    assert {stem(part) for part in parts} <= set(found)
    assert {f"{a}_{b}" for a, b in pairwise(parts)} <= set(found)


@given(st.text())
def test_any_text_gives_lower_case_words_without_seams_at_the_ends(text: str) -> None:
    assert all(word and word == word.lower() and word.strip("_.:") == word for word in tokens(text))
