"""KernelBench's own rule of correctness, reported beside the verdict and never part of it.

`torch.allclose(reference, output, atol=t, rtol=t)` on the inputs as shipped, with t = 1e-4 for fp32 and 1e-2
for fp16 and bf16 (and, in its first version, for everything). Source: KernelBench, src/eval.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

TOLERANCES = (1e-4, 1e-2)


def upstream(found: Sequence[torch.Tensor], eager: Sequence[torch.Tensor]) -> dict[str, bool]:
    """Per tolerance, whether the rule accepts these outputs; shapes and dtypes must be the reference's."""
    if len(found) != len(eager):
        return {f"{tolerance:g}": False for tolerance in TOLERANCES}
    return {
        f"{tolerance:g}": all(_close(one, other, tolerance) for one, other in zip(found, eager, strict=True))
        for tolerance in TOLERANCES
    }


def _close(found: torch.Tensor, right: torch.Tensor, tolerance: float) -> bool:
    if found.shape != right.shape:
        return False
    return torch.allclose(found.double(), right.double(), rtol=tolerance, atol=tolerance)
