"""Reads from Triton's IR which matrix products a kernel does, for kernels whose plan nobody knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..hardware_specs.spec import DeviceSpec
from .product_time import ProductWork

_DOT = re.compile(
    r"tt\.dot (?P<words>[^:\n]*) : tensor<(?:\d+x)*(?P<m>\d+)x(?P<k>\d+)x(?P<type>\w+)> \* "
    r"tensor<(?:\d+x)*\d+x(?P<n>\d+)x\w+>"
)
_PRECISION = re.compile(r"inputPrecision = (\w+)")
_RATES = {"bf16": "tensor_bf16", "f16": "tensor_fp16", "i8": "tensor_int8", "f64": "tensor_fp64"}
_BYTES = {"f64": 8.0, "f32": 4.0, "bf16": 2.0, "f16": 2.0}


@dataclass(frozen=True)
class Dot:
    """One `tl.dot`: an m x k tile times a k x n one, of elements such as "bf16"; `precision` is its input
    precision ("ieee", "tf32", "tf32x3")."""

    m: int
    n: int
    k: int
    element: str
    precision: str = "ieee"

    @property
    def flops(self) -> float:
        """Of one execution, multiply-adds counted twice."""
        return 2.0 * self.m * self.n * self.k

    @property
    def bytes(self) -> float:
        """Both factors."""
        return (self.m + self.n) * self.k * _BYTES.get(self.element, 1.0)

    def rate(self, spec: DeviceSpec) -> str:
        """The key of `peak_tflops` whose unit does it."""
        if self.element == "f32" and self.precision != "ieee" and "tensor_tf32" in spec.peak_tflops:
            return "tensor_tf32"
        name = _RATES.get(self.element, "tensor_fp8" if self.element.startswith("f8") else "tensor_fp32")
        return name if name in spec.peak_tflops else "fp32"


class Launched(Protocol):
    """What is needed of a compiled kernel: its products and how many programs run it."""

    @property
    def dots(self) -> Sequence[Dot]: ...
    @property
    def blocks(self) -> int: ...
    @property
    def launches(self) -> int: ...
    @property
    def num_stages(self) -> int: ...


def read_dots(ttir: str) -> tuple[Dot, ...]:
    """All products in the text of the IR, in its order."""
    return tuple(_dot(match) for match in _DOT.finditer(ttir))


def _dot(match: re.Match[str]) -> Dot:
    said = _PRECISION.search(match["words"])
    sizes: dict[str, Any] = {name: int(match[name]) for name in "mnk"}
    return Dot(**sizes, element=match["type"], precision=said[1] if said else "ieee")


def works(kernels: Sequence[Launched], flops: float, spec: DeviceSpec) -> tuple[ProductWork | None, ...]:
    """How the tiles of each kernel run, where a single one multiplies matrices and does so with all `flops`
    of the op: each program then takes its share of them in steps. Empty where that is not so."""
    multiplying = [kernel for kernel in kernels if kernel.dots]
    if len(multiplying) != 1:
        return ()
    return tuple(_work(kernel, flops, spec) if kernel.dots else None for kernel in kernels)


def _work(kernel: Launched, flops: float, spec: DeviceSpec) -> ProductWork:
    step = sum(dot.flops for dot in kernel.dots)
    steps = flops / (step * kernel.blocks * kernel.launches)
    read = sum(dot.bytes for dot in kernel.dots)
    return ProductWork(step, read, max(1, round(steps)), kernel.dots[0].rate(spec), kernel.num_stages)
