"""The specimens with their data and sizes: what to launch, and what one launch computes and moves.

Sizes suit a card with 132 units and an L2 of 60 MB; unit counts are read from the card.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tiles
import torch
from driver import Module

_MIB = 1 << 20
DEVICE = "cuda"
_TRITON_OPTIONS = {
    "matmul_ieee": {"num_warps": 8, "num_stages": 3}, "matmul_bf16": {"num_warps": 8, "num_stages": 4},
    "matmul_tail": {"num_warps": 8, "num_stages": 3}, "product_chain": {"num_warps": 4},
}  # fmt: skip


@dataclass(frozen=True)
class Specimen:
    """One kernel, ready: `launch()` enqueues it once. `bytes_min` reads every input and writes every output
    once; `kind` is the peak that bounds its arithmetic."""

    name: str
    launch: Callable[[], Any]
    grid: tuple[int, ...]
    threads: int
    shared_dynamic: int
    flops: float
    bytes_min: float
    kind: str = "fp32"


class Shelf:
    """Makes specimens on the live card, one at a time: their data is freed with them."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._units = torch.cuda.get_device_properties(0).multi_processor_count

    def make(self, name: str) -> Specimen:
        return getattr(self, f"_{name}")()  # type: ignore[no-any-return]

    def _cuda(
        self, name: str, grid: Any, block: Any, arguments: list[Any],
        *, flops: float = 0.0, bytes_min: float = 0.0, shared: int = 0, kind: str = "fp32",
    ) -> Specimen:  # fmt: skip
        grid, block = (value if isinstance(value, tuple) else (value,) for value in (grid, block))
        threads = math.prod(block)

        def launch() -> None:
            self._module.launch(f"specimen_{name}", grid, block, arguments, shared)

        return Specimen(name, launch, grid, threads, shared, flops, bytes_min, kind)

    def _triton(
        self, name: str, grid: int, arguments: list[Any], constants: dict[str, int],
        *, flops: float = 0.0, bytes_min: float = 0.0, kind: str = "fp32",
    ) -> Specimen:  # fmt: skip
        options = _TRITON_OPTIONS.get(name, {"num_warps": 8 if constants.get("BLOCK", 0) >= 1024 else 4})
        kernel = getattr(tiles, f"specimen_{name}")

        def launch() -> Any:
            return kernel[(grid,)](*arguments, **constants, **options)

        return Specimen(name, launch, (grid,), options["num_warps"] * 32, 0, flops, bytes_min, kind)

    # ---- memory

    def _copy_coalesced(self) -> Specimen:
        x = _floats(64 * _MIB)
        return self._triton(
            "copy_coalesced", x.numel() // 1024, [x, torch.empty_like(x), x.numel()], {"BLOCK": 1024},
            bytes_min=8.0 * x.numel(),
        )  # fmt: skip

    def _read_all(self) -> Specimen:
        programs, steps = 8 * 1024, 8
        x = _floats(programs * steps * 4096)
        return self._triton(
            "read_all", programs, [x, _floats(programs), steps], {"BLOCK": 4096},
            flops=x.numel(), bytes_min=4.0 * x.numel(),
        )  # fmt: skip

    def _scale_narrow(self) -> Specimen:
        x = _floats(128 * _MIB).half()
        return self._cuda(
            "scale_narrow", x.numel() // 256, 256, [x, torch.empty_like(x), ctypes.c_longlong(x.numel())],
            flops=x.numel(), bytes_min=4.0 * x.numel(),
        )  # fmt: skip

    def _copy_strided(self) -> Specimen:
        n = 24 * _MIB
        x = _floats(8 * n)
        return self._cuda("copy_strided", n // 256, 256, [x, _floats(n), ctypes.c_int(n)], bytes_min=8.0 * n)

    def _transposed(self, name: str) -> Specimen:
        width = 8192
        x = _floats(width * width)
        tile = (width // 32, width // 32)
        return self._cuda(
            name, tile, (32, 8), [x, torch.empty_like(x), ctypes.c_int(width)], bytes_min=8.0 * width * width
        )

    def _transpose_naive(self) -> Specimen:
        return self._transposed("transpose_naive")

    def _transpose_conflict(self) -> Specimen:
        return self._transposed("transpose_conflict")

    def _transpose_padded(self) -> Specimen:
        return self._transposed("transpose_padded")

    def _rereading(self, name: str, mib: int) -> Specimen:
        x, blocks, steps = _floats(mib * _MIB // 4), 8 * self._units, 320
        arguments = [x, _floats(1), ctypes.c_int(x.numel() // 4), ctypes.c_int(steps)]
        return self._cuda(
            name, blocks, 256, arguments, flops=blocks * 256.0 * steps * 4, bytes_min=4.0 * x.numel()
        )

    def _l2_reread(self) -> Specimen:
        return self._rereading("l2_reread", 16)

    def _l2_halves(self) -> Specimen:
        return self._rereading("l2_halves", 44)

    def _l2_rewrite(self) -> Specimen:
        y, blocks, steps = _floats(4 * _MIB), 8 * self._units, 320
        arguments = [y, ctypes.c_int(y.numel() // 4), ctypes.c_int(steps)]
        return self._cuda("l2_rewrite", blocks, 256, arguments, bytes_min=4.0 * y.numel())

    def _chasing(self, name: str, blocks: int, threads: int, steps: int, shared: int = 0) -> Specimen:
        lines = _MIB
        chain = torch.randperm(lines, device=DEVICE, dtype=torch.int32)
        following = torch.empty_like(chain)
        following[chain.long()] = chain.roll(-1)
        table = following[:, None].expand(lines, 32).contiguous()
        out = _floats(blocks * threads)
        given = [table, _floats(200 * 256), out] if name == "occupancy_registers" else [table, out]
        return self._cuda(
            name, blocks, threads, [*given, ctypes.c_int(lines), ctypes.c_int(steps)],
            shared=shared, bytes_min=float(blocks * threads // 32 * steps * 128),
        )  # fmt: skip

    def _pointer_chase(self) -> Specimen:
        return self._chasing("pointer_chase", 8 * self._units, 256, 64)

    def _occupancy_registers(self) -> Specimen:
        return self._chasing("occupancy_registers", 6 * self._units, 256, 64)

    def _occupancy_shared(self) -> Specimen:
        return self._chasing("occupancy_shared", 6 * self._units, 256, 64, shared=200 << 10)

    def _occupancy_blocks(self) -> Specimen:
        return self._chasing("occupancy_blocks", 6 * 32 * self._units, 32, 64)

    def _occupancy_barriers(self) -> Specimen:
        return self._chasing("occupancy_barriers", 6 * 4 * self._units, 128, 64)

    def _bytes_one_by_one(self) -> Specimen:
        n = 64 * _MIB
        x = torch.randint(0, 255, (n,), dtype=torch.uint8, device=DEVICE)
        return self._cuda(
            "bytes_one_by_one", n // 16 // 256, 256, [x, torch.empty_like(x), ctypes.c_int(n)],
            bytes_min=2.0 * n,
        )  # fmt: skip

    def _byte_table(self) -> Specimen:
        table = torch.randint(0, 255, (8192,), dtype=torch.uint8, device=DEVICE)
        y = torch.empty(4 * self._units * 2048, dtype=torch.int32, device=DEVICE)
        return self._cuda(
            "byte_table", y.numel() // 256, 256, [table, y, ctypes.c_int(32)], bytes_min=4.0 * y.numel()
        )

    def _byte_fill(self) -> Specimen:
        table = torch.empty(256 << 10, dtype=torch.uint8, device=DEVICE)
        blocks = 4 * 8 * self._units
        return self._cuda("byte_fill", blocks, 256, [table, ctypes.c_int(16)], bytes_min=float(table.numel()))

    def _host_memory(self) -> Specimen:
        n = 2 * _MIB
        host = torch.zeros(4 * n).pin_memory()
        return self._cuda(
            "host_memory", n // 256, 256, [host, _floats(4 * n), ctypes.c_int(n)], bytes_min=32.0 * n
        )

    # ---- shared memory, pipes, control flow

    def _steps(
        self, name: str, waves: int, threads: int, steps: int, per_step: float = 0.0, kind: str = "fp32",
        out: torch.dtype = torch.float32, working: int | None = None,
    ) -> Specimen:  # fmt: skip
        """Kernels of the form (y, steps) in whole waves of full units; `working` threads of a block do
        `per_step` flops in each step and write one value."""
        blocks, working = waves * self._units * (2048 // threads), working or threads
        y = torch.empty(blocks * working, dtype=out, device=DEVICE)
        return self._cuda(
            name, blocks, threads, [y, ctypes.c_int(steps)],
            flops=per_step * steps * blocks * working, bytes_min=float(y.numel() * y.itemsize), kind=kind,
        )  # fmt: skip

    def _shared_chain(self) -> Specimen:
        return self._steps("shared_chain", 4, 1024, 512, working=128)

    def _shared_atomics(self) -> Specimen:
        threads, blocks, steps = 256, 16 * self._units, 32
        x = torch.randint(0, 1 << 30, (blocks * threads,), dtype=torch.int32, device=DEVICE)
        y = torch.empty(2 * blocks, dtype=torch.int32, device=DEVICE)
        return self._cuda(
            "shared_atomics", blocks, threads, [x, y, ctypes.c_int(steps)], bytes_min=4.0 * x.numel()
        )

    def _fp32_multiply_add(self) -> Specimen:
        return self._steps("fp32_multiply_add", 4, 256, 512, 16)

    def _fp64(self) -> Specimen:
        return self._steps("fp64", 4, 256, 256, 16, "fp64", torch.float64)

    def _integer_logic(self) -> Specimen:
        return self._steps("integer_logic", 4, 256, 512, out=torch.int32)

    def _issue_slots(self) -> Specimen:
        return self._steps("issue_slots", 4, 1024, 512, 18)

    def _special_functions(self) -> Specimen:
        blocks, steps = 16 * self._units, 32
        x = _floats(blocks * 1024)
        return self._triton(
            "special_functions", blocks, [x, torch.empty_like(x), steps], {"BLOCK": 1024},
            bytes_min=8.0 * x.numel(),
        )  # fmt: skip

    def _dependency_chain(self) -> Specimen:
        return self._steps("dependency_chain", 6, 1024, 4096, 2, working=64)

    def _divergence(self) -> Specimen:
        threads, blocks = 256, 32 * self._units
        rounds = torch.full((blocks * threads,), 2, dtype=torch.int32, device=DEVICE)
        rounds[::8] = 256
        return self._cuda(
            "divergence", blocks, threads, [rounds, _floats(rounds.numel())], bytes_min=8.0 * rounds.numel()
        )

    def _spills(self) -> Specimen:
        blocks, steps = 8 * self._units, 8
        n = blocks * 1024
        return self._cuda(
            "spills", blocks, 1024, [_floats(64 * n), _floats(n), ctypes.c_int(n), ctypes.c_int(steps)],
            flops=2.0 * 64 * (steps + 1) * n, bytes_min=4.0 * 65 * n,
        )  # fmt: skip

    def _barrier(self) -> Specimen:
        return self._steps("barrier", 4, 1024, 128)

    def _global_atomics(self) -> Specimen:
        x = _floats(_MIB)
        return self._cuda("global_atomics", x.numel() // 256, 256, [x, _floats(1)], bytes_min=4.0 * x.numel())

    def _straight_line_code(self) -> Specimen:
        return self._steps("straight_line_code", 1, 256, 4, 2 * 4096)

    # ---- the launch

    def _launch_bound(self) -> Specimen:
        x = _floats(1000)
        return self._triton(
            "launch_bound", 4, [x, torch.empty_like(x), 1000], {"BLOCK": 256}, flops=1000, bytes_min=8000.0
        )

    def _tiny_grid(self) -> Specimen:
        x = _floats(16 * 128 * 8192)
        return self._triton(
            "tiny_grid", 16, [x, _floats(16), 128], {"BLOCK": 8192},
            flops=x.numel(), bytes_min=4.0 * x.numel(),
        )  # fmt: skip

    def _tail(self) -> Specimen:
        blocks, steps = 2 * self._units + 36, 32768
        arguments = [_floats(blocks * 128), ctypes.c_int(steps)]
        return self._cuda(
            "tail", blocks, 128, arguments,
            shared=100 << 10, flops=2.0 * steps * blocks * 128, bytes_min=4.0 * blocks * 128,
        )  # fmt: skip

    def _ragged(self) -> Specimen:
        blocks, steps = 16 * self._units, 512
        arguments = [_floats(blocks * 128), ctypes.c_int(steps)]
        return self._cuda(
            "ragged", blocks, 128, arguments,
            flops=2.0 * steps * (15 + 64) / 16 * blocks * 128, bytes_min=4.0 * blocks * 128,
        )  # fmt: skip

    # ---- matrix products

    def _matmul(self, name: str, m: int, n: int, k: int, tile: tuple[int, int, int], dtype: Any) -> Specimen:
        a, b = (torch.randn(shape, device=DEVICE).to(dtype) for shape in ((m, k), (k, n)))
        c = torch.empty(m, n, dtype=dtype, device=DEVICE)
        constants = {"BM": tile[0], "BN": tile[1], "BK": tile[2]}
        return self._triton(
            name, m // tile[0] * (n // tile[1]), [a, b, c, m, n, k], constants,
            flops=2.0 * m * n * k, bytes_min=float((m * k + k * n + m * n) * a.itemsize),
            kind="tensor_bf16" if dtype == torch.bfloat16 else "fp32",
        )  # fmt: skip

    def _matmul_ieee(self) -> Specimen:
        return self._matmul("matmul_ieee", 4096, 4096, 2048, (128, 64, 16), torch.float32)

    def _matmul_bf16(self) -> Specimen:
        return self._matmul("matmul_bf16", 8192, 8192, 8192, (128, 256, 64), torch.bfloat16)

    def _matmul_tail(self) -> Specimen:
        return self._matmul("matmul_tail", 9 * 128, 16 * 256, 4096, (128, 256, 64), torch.bfloat16)

    def _wgmma_chain(self) -> Specimen:
        blocks, steps = 8 * self._units, 1024
        return self._cuda(
            "wgmma_chain", blocks, 128, [_floats(blocks * 128), ctypes.c_int(steps)],
            shared=100 << 10, flops=2.0 * 64 * 8 * 16 * steps * blocks, bytes_min=4.0 * blocks * 128,
            kind="tensor_bf16",
        )  # fmt: skip

    def _wgmma_groups(self) -> Specimen:
        blocks, steps = 4 * self._units, 1024
        return self._cuda(
            "wgmma_groups", blocks, 128, [_floats(blocks * 128), ctypes.c_int(steps)],
            shared=200 << 10, flops=2.0 * 64 * 64 * 32 * steps * blocks, bytes_min=4.0 * blocks * 128,
            kind="tensor_bf16",
        )  # fmt: skip

    def _bulk_one_stage(self) -> Specimen:
        blocks, steps = self._units, 256
        x = _floats(blocks * steps * 1024)
        return self._cuda(
            "bulk_one_stage", blocks, 128, [x, _floats(blocks * 128), ctypes.c_int(steps)],
            shared=200 << 10, flops=float(x.numel()), bytes_min=4.0 * x.numel(),
        )  # fmt: skip

    def _product_chain(self) -> Specimen:
        size, steps, programs = 64, 512, 16 * self._units
        a, b = ((torch.randn(size, size, device=DEVICE) / 8).bfloat16() for _ in range(2))
        c = torch.empty(programs, size, size, dtype=torch.bfloat16, device=DEVICE)
        return self._triton(
            "product_chain", programs, [a, b, c, steps], {"SIZE": size},
            flops=2.0 * size**3 * steps * programs, bytes_min=float(2 * c.numel()), kind="tensor_bf16",
        )  # fmt: skip


def _floats(count: int) -> torch.Tensor:
    return torch.randn(count, device=DEVICE)
