"""The child of `doctor.py`: compiles a trivial kernel for cards that are not here, or runs it in the
interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import triton
import triton.language as tl

from .sandbox_child import serve

_TARGETS = (("cuda", 90, 32), ("hip", "gfx942", 64))
_LENGTH = 100


@triton.jit  # type: ignore[untyped-decorator]
def doubled(source, target, length, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """target = 2 * source, over `length` fp32 elements."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    tl.store(target + index, 2 * tl.load(source + index, mask=inside), mask=inside)


def handle(request: Mapping[str, Any]) -> dict[str, Any]:
    """`compile`: bytes of machine code per target; `interpret`: the largest error, which must be 0."""
    return _compiled() if request["task"] == "compile" else _interpreted()


def _compiled() -> dict[str, Any]:
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = {"source": "*fp32", "target": "*fp32", "length": "i32", "BLOCK": "constexpr"}
    sizes = {}
    for backend, arch, warp_size in _TARGETS:
        source = ASTSource(doubled, signature, constexprs={"BLOCK": 128})
        kernel = triton.compile(source, target=GPUTarget(backend, arch, warp_size))
        binary = kernel.asm["cubin" if backend == "cuda" else "hsaco"]
        sizes[f"sm_{arch}" if backend == "cuda" else str(arch)] = len(binary)
    return sizes


def _interpreted() -> dict[str, Any]:
    import torch

    source, target = torch.arange(_LENGTH, dtype=torch.float32), torch.zeros(_LENGTH)
    doubled[(triton.cdiv(_LENGTH, 32),)](source, target, _LENGTH, BLOCK=32)
    return {"error": float((target - 2 * source).abs().max())}


if __name__ == "__main__":
    serve(handle)
