"""Static evidence: what a candidate's kernels would take on the target card, read from its compilers.

    report = inspect(Path("rmsnorm_optimized.py"), op, find_spec("h100"), scratch)
    report.ok, report.kernels[0].registers, report.kernels[0].load_bits

No card, no driver: a child process runs `ModelNew.forward` at full size on fake tensors and compiles every
kernel it launched for the target.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..hardware_specs.spec import DeviceSpec
from .compile_cache import CompileCache, key_of
from .dots import Dot
from .occupancy import Occupancy, occupancy
from .sandbox import NO_CARD, Limits, expect, run_child

if TYPE_CHECKING:  # loading it would load torch, which the child alone needs
    from .op import Op

_CHILD = "kbgen.profiling.static_child"
_LIMITS = Limits(wall_s=120.0, cpu_s=240, memory_bytes=16 << 30)
_COMMON = 8  # kernels that these limits are for


@dataclass(frozen=True)
class KernelReport:
    """One kernel at one grid; counts of instructions are static (a loop body counts once).

    `registers` per thread, `shared_bytes` per block, `load_bits` and `store_bits` streaming global accesses
    by bits per lane, `outside_bits` those outside of the innermost loops (see `isa.py`), `waves` = blocks /
    blocks that the whole card holds at once (`None` when its unit count is unknown). `config` is the
    autotuner's, the first of its list that fits the card; empty for a kernel without one. `dots` are the
    matrix products in its code.
    """

    name: str
    arch: str
    grid: tuple[int, int, int]
    num_warps: int
    num_stages: int
    registers: int
    spill_bytes: int
    shared_bytes: int
    load_bits: dict[int, int]
    store_bits: dict[int, int]
    instructions: dict[str, int]
    occupancy: Occupancy
    waves: float | None
    compile_s: float
    launches: int = 1
    config: str = ""
    outside_bits: dict[int, int] = field(default_factory=dict)
    dots: tuple[Dot, ...] = ()

    @property
    def blocks(self) -> int:
        return math.prod(self.grid)


@dataclass(frozen=True)
class StaticReport:
    """The kernels in launch order; each rejection is a sentence that names its kernel."""

    arch: str
    kernels: tuple[KernelReport, ...]
    rejections: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.rejections


def expect_inspecting(scratch: Path) -> None:
    """Let the process that compiles be ready when the first candidate is."""
    expect(_CHILD, scratch=scratch, env=NO_CARD)


def inspect(
    candidate_path: Path, op: Op, spec: DeviceSpec, scratch: Path, cache: CompileCache | None = None
) -> StaticReport:
    """Compile the launches of `candidate_path` for `spec`; never raises for what the candidate does.

    Rejected are kernels that do not compile, spill registers, ask for more shared memory than a block may
    have, or fit on no unit; and a candidate whose forward does not run, in which case there are no kernels.
    A `cache` answers for what it has seen and keeps what is new; of its kernels only new ones are compiled.
    """
    request = {
        "candidate": str(candidate_path.resolve()),
        "op": str(op.path),
        "source": op.source,
        "overrides": dict(op.overrides),
        "card": _card(spec),
    }
    text = candidate_path.read_text(encoding="utf-8")
    key = key_of(request, text) if cache else ""
    reply = cache.get(key) if cache else None
    if reply is None:
        request["known"] = dict(cache.kernels) if cache else {}
        limits = limits_for(text.count("@triton.jit"))
        outcome = run_child(_CHILD, request, scratch=scratch, limits=limits, env=NO_CARD, warm=True)
        if outcome.reply is None:
            return StaticReport(spec.arch, (), (f"compiling {candidate_path.name} failed: {outcome.detail}",))
        reply = outcome.reply
        if cache and all(kernel["compiled"] for kernel in reply.get("kernels", [{"compiled": None}])):
            cache.put(key, reply)
    if "error" in reply:
        return StaticReport(spec.arch, (), (reply["error"],))
    if cache:
        cache.kernels |= {k["key"]: k["compiled"] for k in reply["kernels"] if k["compiled"] and k["key"]}
    return _report(reply["kernels"], spec)


def limits_for(kernels: int) -> Limits:
    """Each kernel beyond the first few may take ten seconds more: a network has dozens."""
    more = 10 * max(0, kernels - _COMMON)
    return replace(_LIMITS, wall_s=_LIMITS.wall_s + more, cpu_s=(_LIMITS.cpu_s or 0) + more)


def _card(spec: DeviceSpec) -> dict[str, Any]:
    backend, arch, warp_size = spec.triton_target
    return {
        "name": spec.device_names[0],
        "backend": backend,
        "arch": arch,
        "warp_size": warp_size,
        "unit_count": spec.unit_count or 1,
        "shared_bytes_per_block": spec.shared_bytes_per_block,
        "registers_per_unit": spec.registers_per_unit,
        "max_threads_per_unit": spec.max_warps_per_unit * spec.warp_size,
        "l2_bytes": spec.l2_bytes,
        "memory_bytes": int(spec.memory_gb * 1e9),
    }


def _report(raw_kernels: list[dict[str, Any]], spec: DeviceSpec) -> StaticReport:
    kernels, rejections = [], []
    for raw in raw_kernels:
        if raw["compiled"] is None:
            rejections.append(f"{raw['name']} does not compile for {spec.arch}: {raw['error']}")
            continue
        kernel = _kernel(raw, raw["compiled"], spec)
        kernels.append(kernel)
        rejections += _objections(kernel, spec)
    return StaticReport(spec.arch, tuple(kernels), tuple(rejections))


def _kernel(raw: Mapping[str, Any], compiled: Mapping[str, Any], spec: DeviceSpec) -> KernelReport:
    held = occupancy(
        spec,
        compiled["threads_per_block"],
        compiled["registers"],
        compiled["shared_bytes"],
        compiled["barriers"] or 1,
    )
    reading = compiled["reading"]
    kernel = KernelReport(
        name=raw["name"],
        arch=spec.arch,
        grid=tuple(raw["grid"]),
        num_warps=compiled["num_warps"],
        num_stages=compiled["num_stages"],
        registers=compiled["registers"],
        spill_bytes=compiled["spill_bytes"],
        shared_bytes=compiled["shared_bytes"],
        load_bits=_by_width(reading["load_bits"]),
        store_bits=_by_width(reading["store_bits"]),
        instructions=reading["instructions"],
        occupancy=held,
        waves=None,
        compile_s=compiled["compile_s"],
        launches=raw["launches"],
        config=raw["config"],
        outside_bits=_by_width(reading["outside_bits"]),
        dots=tuple(Dot(**dot) for dot in compiled["dots"]),
    )
    return replace(kernel, waves=_waves(kernel.blocks * compiled["blocks_per_cluster"], held, spec))


def _by_width(counts: Mapping[str, int]) -> dict[int, int]:
    """JSON's string keys as bits, widest first."""
    return {bits: counts[str(bits)] for bits in sorted(map(int, counts), reverse=True)}


def _waves(blocks: int, held: Occupancy, spec: DeviceSpec) -> float | None:
    if spec.unit_count is None or not held.fits:
        return None
    return blocks / (spec.unit_count * held.blocks_per_unit)


def _objections(kernel: KernelReport, spec: DeviceSpec) -> list[str]:
    if kernel.shared_bytes > spec.shared_bytes_per_block:
        return [
            f"{kernel.name} asks for {kernel.shared_bytes} bytes of shared memory a block, {spec.name} has "
            f"{spec.shared_bytes_per_block}; use a smaller tile or fewer stages"
        ]
    if kernel.spill_bytes:
        return [
            f"{kernel.name} spills {kernel.spill_bytes} bytes a thread at {kernel.registers} registers and "
            f"{kernel.num_warps} warps; use a smaller tile or more warps"
        ]
    if not kernel.occupancy.fits:
        return [f"{kernel.name} fits on no {spec.unit_name}: {kernel.occupancy.limiter} allow no block"]
    return []
