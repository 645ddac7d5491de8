"""The honest kernel of a lower class, which the room for declared classes is measured with."""

from pathlib import Path

import pytest
import torch
from torch import nn

from kbgen.generator.verify.calibration import CLASSES, measure
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


@pytest.mark.parametrize(
    ("precision", "least", "most"), [("tf32", 2e-4, 1e-3), ("fp16", 1e-4, 5e-4), ("bf16", 1e-3, 4e-3)]
)
def test_rounded_products_are_as_wrong_as_their_class(precision: str, least: float, most: float) -> None:
    torch.manual_seed(0)
    reference, x = Reference(nn.Linear(128, 128), "as-is"), torch.randn(64, 128)
    state = reference.model.state_dict()
    right = reference.oracle([x], state).outputs[0]
    found = reference.rounded([x], state, precision).outputs[0]
    assert least < float((found - right).norm() / right.norm()) < most


def test_an_op_without_products_needs_no_room_and_its_impostors_are_far() -> None:
    rows = list(measure(load_op(OPS / "rowsum.py")))
    assert [row.precision for row in rows] == list(CLASSES)
    assert all(row.needed == 0 for row in rows)
    assert all(row.weakest > 0.1 for row in rows)
