"""Reading pages: every fault is told in one sentence that names the page, the fault and the cure."""

import subprocess
import sys
from pathlib import Path

import pytest

from kbgen.corpus.document import CorpusError, parse, read, shipped

HEADER = """\
id: a-card
title: A card
kind: technique
addresses: [dram_bandwidth]
families: [any]
vendors: [nvidia]
archs: [sm_90]
effect: 2x
cost: none
risk: none
sources:
  - {title: T, url: "https://example.org/a", section: S, version: "1"}
"""


def page(header: str = HEADER, body: str = "## When\nNow.") -> str:
    return f"---\n{header}---\n{body}\n"


def test_page_is_split_into_header_and_body() -> None:
    card = parse(page(), "techniques/a-card.md")
    assert (card.id, card.archs, card.transform, card.licence) == ("a-card", ("sm_90",), None, "Apache-2.0")
    assert card.body == "## When\nNow."
    assert card.sources[0].section == "S"


def test_document_is_hashable_and_frozen() -> None:
    card = parse(page(), "x.md")
    assert hash(card) == hash(parse(page(), "x.md"))
    with pytest.raises(AttributeError):
        card.id = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# no header", "no YAML header"),
        (page(body=""), "no body"),
        (page(HEADER + "colour: red\n"), "colour"),
        (page(HEADER.replace("id: a-card\n", "")), "'id'"),
        (page(HEADER.replace("a-card", "A Card")), "'A Card'"),
        (page(HEADER.replace("dram_bandwidth", "dram")), "addresses.0"),
        (page(HEADER.replace("sm_90", "hopper")), "archs.0"),
        (page(HEADER.replace("https://", "http://")), "sources.0.url"),
        (page(HEADER.replace('version: "1"', "version: 1")), "sources.0.version"),
        (page(HEADER.replace("effect: 2x", "effect: a: b")), "not valid YAML"),
        (page(HEADER.replace("effect: 2x\n", "")), "needs 'effect'"),
        (page(HEADER.replace("effect: 2x", "effect: much faster")), "told in numbers"),
        (page(HEADER.replace("[dram_bandwidth]", "[]")), "needs 'addresses'"),
        (page(HEADER.replace("[dram_bandwidth]", "[spills, spills]")), "addresses repeats"),
        (page("- just\n- a list\n"), "header"),
    ],
)
def test_faults_are_one_sentence_with_the_page_and_the_field(text: str, told: str) -> None:
    with pytest.raises(CorpusError) as caught:
        parse(text, "techniques/bad.md")
    message = str(caught.value)
    assert message.startswith("techniques/bad.md: ")
    assert told in message
    assert message.endswith(".")
    assert "\n" not in message


def test_only_a_technique_needs_an_effect() -> None:
    plain = HEADER.replace("kind: technique", "kind: howto").replace(
        "effect: 2x\ncost: none\nrisk: none\n", ""
    )
    assert parse(page(plain), "howto/a.md").effect == ""


def test_missing_file_and_wrong_encoding_are_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read"):
        read(tmp_path / "absent.md")
    (tmp_path / "latin.md").write_bytes(b"---\nid: \xe9\n---\n")
    with pytest.raises(CorpusError, match="not UTF-8"):
        read(tmp_path / "latin.md")


def test_shipped_pages_are_cached_and_ordered() -> None:
    ids = [card.id for card in shipped()]
    assert ids == sorted(ids)
    assert len(ids) >= 25
    assert shipped() is shipped()


def test_reading_the_corpus_loads_nothing_heavy() -> None:
    code = (
        "import sys; from kbgen.corpus.document import shipped; shipped();"
        "print([m for m in ('torch', 'triton', 'chromadb', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
