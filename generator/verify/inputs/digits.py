"""Tells whether a reference keeps its digits in a call: where it loses them, nothing may be asked."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.measures import difference
from ..reference.oracle import Reference
from .extremes import is_finite
from .families import floats


def keeps_digits(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], most: float
) -> bool:
    """Whether its answer in the op's own dtype is finite and off by `most` from that in float64."""
    own, exact = reference.tried(inputs, state), reference.tried_exactly(inputs, state)
    if own is None or exact is None or not all(map(is_finite, own.outputs)):
        return False
    pairs = zip(own.outputs, exact.outputs, strict=True)
    return all(not one.is_floating_point() or difference(one, right).worst <= most for one, right in pairs)


def keeps_most_digits(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    """Likewise by some roundings of the coarsest type among its inputs."""
    coarsest = max((torch.finfo(one.dtype).eps for one in inputs if floats(one)), default=0.0)
    return keeps_digits(reference, inputs, state, min(_ROUNDINGS * coarsest, _MOST))


_ROUNDINGS, _MOST = 2.0**10, 2.0**-6
"""What the reference may be off by: so many of its own dtype, and no more than that."""
