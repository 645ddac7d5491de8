"""A real model, tiny and of random weights, behind a real OpenAI-compatible server: the loop ends honestly.

`transformers serve` needs fastapi and accelerate, which kbgen does not; without them the test is skipped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kbgen.generator.beam import Beam, Seams
from kbgen.generator.job import Asking
from kbgen.generator.prompts.briefing import Briefing
from kbgen.generator.writers.llm.settings import Endpoint
from kbgen.generator.writers.llm.writer import LLMWriter
from kbgen.generator.writers.writer import Request

pytestmark = [
    pytest.mark.skipif(
        not all(map(find_spec, ("fastapi", "accelerate", "uvicorn", "transformers", "typer"))),
        reason="transformers serve and what it needs is not installed",
    ),
    pytest.mark.filterwarnings("ignore"),  # of libraries that are not ours
]
ANSWER_TOKENS = 48


def make_model(folder: Path) -> None:
    """A Llama of 16 hidden features that speaks in bytes; its template shows it the head of each message."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = ["<s>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    plain = Tokenizer(models.BPE(vocab={word: place for place, word in enumerate(words)}, merges=[]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, bos_token="<s>", eos_token="</s>")
    tokenizer.chat_template = "{% for one in messages %}{{ one['content'][:100] }}{% endfor %}"
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=16, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=2048, bos_token_id=0,
        eos_token_id=1,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """`transformers serve` with that model, on a port of its own choice."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    from transformers.cli.serve import Serve

    make_model(tmp_path / "model")
    model = str(tmp_path / "model")
    serving = Serve(force_model=model, device="cpu", host="127.0.0.1", port=0, non_blocking=True)
    try:
        until = time.monotonic() + 300
        while not getattr(serving.server, "servers", None):
            assert time.monotonic() < until, "the server never listened"
            time.sleep(0.05)
        port = serving.server.servers[0].sockets[0].getsockname()[1]
        yield Endpoint(
            "openai", model, f"http://127.0.0.1:{port}/v1", "none", answer_tokens=ANSWER_TOKENS,
            price_in=1.0, price_out=1.0,
        )  # fmt: skip
    finally:
        serving.kill_server()


def test_a_model_that_knows_nothing_ends_in_no_kernel_and_within_its_budget(
    server: Endpoint, briefing: Briefing, tmp_path: Path
) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("nothing of what it said could be compiled")

    spec: Any = SimpleNamespace()
    traced: Any = SimpleNamespace(flops=1)
    asked = Request(cast(Any, SimpleNamespace(name="double")), traced, (), spec, briefing=briefing)
    seams = Seams(*cast(tuple[Callable[..., Any], ...], (never,) * 4), None, floor_us=1.0)  # type: ignore[call-arg]

    def climb(resume: bool) -> Any:
        writer = LLMWriter(server, Asking(drafts=2, max_tokens=100_000), tmp_path / "out")
        assert writer.journal is not None
        writer.journal.begin({"op": "double"}, resume=resume)
        found = Beam(writer, asked, seams, deadline=1e18, most=4, say=lambda text: None).climb()
        return found

    found = climb(resume=False)
    assert found.accepted == ()
    assert "could not be used, twice" in found.declined
    assert [one["kind"] for one in found.spent["asked"]] == ["draft", "form", "draft", "form"]
    assert 0 < found.spent["output_tokens"] <= 4 * ANSWER_TOKENS
    assert found.spent["input_tokens"] > 0
    assert found.spent["cost"] > 0
    page = (tmp_path / "out" / "journal" / "transcript.md").read_bytes()
    server_is_not_asked = climb(resume=True)
    assert server_is_not_asked.spent == found.spent
    assert (tmp_path / "out" / "journal" / "transcript.md").read_bytes() == page
