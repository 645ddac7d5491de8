"""Sums of bytes are largest where they are three times as long as at full size."""

from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("brief_judgements")

OPS = Path(__file__).parent / "ops"


def test_products_of_bytes_pass_what_float32_counts_to(tmp_path: Path) -> None:
    text = (OPS / "int8_product.py").read_text(encoding="utf-8").replace("8, 600, 16", "8, 400, 16")
    file = tmp_path / "op.py"
    file.write_text(text, encoding="utf-8")
    found = [one for one in plan(settings(load_op(file), "as-is", 0), 0) if "three times along K" in one.name]
    assert [one.family for one in found] == ["extreme integers", "opposed ends"]
    a, b = (torch.as_tensor(one).long() for one in found[-1].inputs)
    assert int((a @ b).abs().max()) > 1 << 24


def test_none_of_floats_and_of_words(tmp_path: Path) -> None:
    for name in ("matmul", "bits"):
        assert not [one for one in settings(load_op(OPS / f"{name}.py"), "as-is", 0) if "three" in one.name]
