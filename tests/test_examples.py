"""The shipped examples: each loads, is traced at full size and has small, odd and wide shapes that run."""

import ast
from pathlib import Path

import pytest
import torch

from kbgen.profiling.op import load_op
from kbgen.profiling.trace import trace

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))

EXPECTED = {  # family, dtypes, bytes each call must move
    "add_rmsnorm": ("norm", ("bfloat16",), 4 * 8192 * 4096 * 2 + 4096 * 2),
    "geglu": ("pointwise", ("bfloat16",), 3 * 4096 * 24576 * 2),
    "groupnorm_silu": ("norm", ("float16",), 2 * 8 * 320 * 128 * 128 * 2 + 2 * 320 * 2),
    "layernorm_gelu": ("norm", ("float16",), 2 * 64 * 197 * 1024 * 2 + 2 * 1024 * 2),
    "log_softmax_llama3": ("softmax", ("bfloat16", "float32"), 4096 * 128256 * (2 + 4)),
    "rmsnorm": ("norm", ("bfloat16",), 2 * 8192 * 4096 * 2 + 4096 * 2),
    "rope": ("rope", ("bfloat16",), 2 * 4 * 32 * 2048 * 128 * 2 + 2 * 2048 * 128 * 2),
    "softmax_gpt2": ("softmax", ("float32",), 2 * 4096 * 50257 * 4),
    "swiglu": ("pointwise", ("bfloat16",), 3 * 8192 * 14336 * 2),
}


def test_every_example_is_expected_here() -> None:
    assert {path.stem for path in EXAMPLES} == set(EXPECTED)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    op = load_op(path)
    traced = trace(op)
    assert (traced.family, traced.dtypes, traced.bytes_min) == EXPECTED[path.stem]
    found = op.shape_sets()
    assert [each.name for each in found] == ["small", "odd", "wide"]
    assert all(each.fits for each in found)
    for each in found:
        model, inputs = op.with_overrides(each.overrides).instantiate(seed=1)
        with torch.no_grad():
            outputs = model(*inputs)
        for output, spec in zip(torch.utils._pytree.tree_leaves(outputs), traced.outputs, strict=True):
            assert output.isfinite().all()
            assert str(output.dtype) == f"torch.{spec.dtype}"
            assert output.dim() == len(spec.shape)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_says_where_its_sizes_come_from(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
    assert "Sizes: " in docstring
