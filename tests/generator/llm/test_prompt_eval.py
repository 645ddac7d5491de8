"""Prompts are measured as they are: too long is told, and a citation that does not stand there is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.generator.prompt_eval import NoOpsError, measure, misquoted
from kbgen.generator.prompts.prompt import Item, Part, compose
from kbgen.generator.prompts.quoting import quoted
from kbgen.kb.library import Library

OP = """import torch

rows = 16


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(rows, 4096)]
"""


def test_a_citation_must_stand_there_once_and_whole() -> None:
    known = {"p1": "Wide loads.", "p2": "More <passage> warps."}
    items = tuple(Item(quoted("passage", text, {"id": name}), (name,)) for name, text in known.items())
    prompt = compose("draft", "system", [Part("advice", "Advice", items)], "closing", 1000)
    assert prompt.passages == ("p1", "p2")
    assert misquoted(prompt, known) == ()
    assert misquoted(prompt, {**known, "p1": "Wide loads"}) == ("p1",)
    assert misquoted(replace(prompt, passages=("p1", "p2", "p3")), {**known, "p3": "Wide"}) == ("p3",)
    assert misquoted(replace(prompt, passages=("p1",)), known) == ("p2",), "shown and not cited"
    assert misquoted(replace(prompt, user=prompt.user * 2), known) == ("p1", "p2"), "shown twice"


def test_every_op_file_gets_its_row(
    tmp_path: Path, fresh_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_EMBEDDER", "hashing")
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "softmax.py").write_text(OP)
    (tmp_path / "ops" / "broken.py").write_text(OP.replace("class Model", "class Other"))
    with Library.open(fresh_library) as library:
        found = measure([tmp_path / "ops"], "h100", library, budget=12_000)
        tight = measure([tmp_path / "ops" / "softmax.py"], "h100", library, budget=1000)
    told = found.to_json()
    assert (told["prompts"], told["over"], told["faults"], told["misquoted"]) == (1, 0, 1, 0)
    broken, softmax = found.rows
    assert "class Model" in broken.fault
    assert softmax.passages > 5
    assert softmax.tokens is not None
    assert softmax.room is not None
    assert 5000 < softmax.room < softmax.tokens <= 12_000
    assert found.right
    assert tight.to_json()["over"] == 1
    assert not tight.right
    assert tight.rows[0].room is not None
    assert tight.rows[0].room < 0
    with pytest.raises(NoOpsError, match="holds no op file"):
        measure([tmp_path], "h100", library, budget=12_000)
