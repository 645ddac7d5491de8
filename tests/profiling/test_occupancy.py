"""Occupancy against Nsight Compute's own rows, against LLVM's rule and against cases worked out by hand."""

import json
from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.hardware_specs.spec import DeviceSpec, all_specs, find_spec
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.occupancy import occupancy

MEASURED = Path(__file__).parent / "measured" / "h200"


def test_gb200_row_of_nsight_compute() -> None:
    """From the ncu details of a CUTLASS FP8 GEMM (microsoft/superbenchmark, cublaslt_ncu.log).

    Its seven barriers are not printed: seven is the only number that gives the limit of nine.
    """
    held = occupancy(find_spec("gb200"), 384, 168, 205_696, barriers_per_block=7)
    assert held.limits == {"warps": 5, "registers": 1, "shared": 1, "blocks": 32, "barriers": 9}
    assert (held.blocks_per_unit, held.active_warps, held.fraction) == (1, 12, 0.1875)
    assert held.limiter in {"registers", "shared"}


@pytest.mark.parametrize(
    ("device", "threads", "registers", "shared", "blocks", "limiter"),
    [
        ("h100", 256, 32, 0, 8, "warps"),  # 64 warp slots / 8
        ("h100", 256, 72, 0, 3, "registers"),  # 72 x 32 = 2304 a warp, 7 of 16384, x 4 = 28 warps / 8
        ("h100", 128, 32, 76 * 1024, 2, "shared"),  # 233 472 / 78 848 = 2.96
        ("h100", 32, 16, 0, 32, "blocks"),
        ("a100", 256, 255, 0, 1, "registers"),  # 256 rounded: 2 warps a sub-partition, 8 in all
        ("rtx4090", 256, 40, 0, 6, "warps"),  # 48 warp slots / 8
        ("rtx4090", 128, 32, 48 * 1024, 2, "shared"),  # 102 400 / 50 176
        ("rtx4090", 32, 16, 0, 24, "blocks"),
        ("v100", 128, 32, 24 * 1024 + 1, 3, "shared"),  # 24 832 after rounding to 256 bytes, of 98 304
        ("mi300x", 256, 64, 0, 8, "warps"),  # 512 / 64 = 8 waves a SIMD
        ("mi300x", 256, 100, 0, 4, "registers"),  # 104 after rounding, 4 waves a SIMD, 16 waves / 4
        ("mi300x", 256, 129, 0, 3, "registers"),  # 136: 3 waves a SIMD
        ("mi300x", 256, 32, 33 * 1024, 1, "shared"),  # 64 KiB of LDS
        ("mi355x", 256, 32, 40_000, 4, "shared"),  # 40 960 in steps of 1280, of 163 840
        ("mi250x", 1024, 128, 0, 1, "registers"),  # 4 waves a SIMD, 16 waves, one group of 16
        ("rx7900xtx", 256, 97, 0, 3, "registers"),  # 120 in steps of 24: 12 waves a SIMD, 24 waves / 8
        ("rx7900xtx", 256, 192, 0, 2, "registers"),  # 8 waves a SIMD
    ],
)
def test_worked_cases(
    device: str, threads: int, registers: int, shared: int, blocks: int, limiter: str
) -> None:
    held = occupancy(find_spec(device), threads, registers, shared)
    assert (held.blocks_per_unit, held.limiter) == (blocks, limiter)


# 256 threads of 64 registers, 16 KiB shared: blocks by warp slots, registers, shared memory, block slots
BLOCK_OF_256 = {
    "sm_70": (8, 4, 6, 32),  # 64 warps; 32 warps of 2048 registers; 96 KiB without a reserve
    "sm_75": (4, 4, 4, 16),  # 32 warps; 64 KiB
    "sm_80": (8, 4, 9, 32),  # 164 KiB in blocks of 17
    "sm_86": (6, 4, 5, 16),  # 48 warps; 100 KiB
    "sm_89": (6, 4, 5, 24),
    "sm_90": (8, 4, 13, 32),  # 228 KiB
    "sm_100": (8, 4, 13, 32),
    "sm_103": (8, 4, 13, 32),
    "sm_120": (6, 4, 5, 24),
    "gfx90a": (8, 8, 4, 32),  # 32 waves of 64; 512 registers a lane hold 8 waves a SIMD; 64 KiB of LDS
    "gfx942": (8, 8, 4, 32),
    "gfx950": (8, 8, 9, 32),  # 160 KiB in steps of 1280 bytes: 16 640 a block
    "gfx1100": (4, 5, 4, 32),  # 32 waves of 32; 72 of 1536 registers: 21 waves a SIMD, 42 / 8
}


@pytest.mark.parametrize("spec", all_specs(), ids=lambda spec: str(spec.id))
def test_every_device_by_hand(spec: DeviceSpec) -> None:
    held = occupancy(spec, 256, 64, 16 << 10)
    names = ("warps", "registers", "shared", "blocks")
    expected = dict(zip(names, BLOCK_OF_256[spec.arch], strict=True))
    assert {name: held.limits[name] for name in expected} == expected  # type: ignore[index]
    assert held.limits[held.limiter] == held.blocks_per_unit == min(expected.values())


@pytest.mark.parametrize(
    ("device", "registers", "waves_per_simd"),
    [
        ("mi300x", 64, 8),
        ("mi300x", 84, 5),
        ("mi300x", 100, 4),
        ("mi250x", 60, 8),
        ("rx7900xtx", 91, 16),
        ("rx7900xtx", 192, 8),
    ],
)
def test_amd_registers_as_llvm_counts_them(device: str, registers: int, waves_per_simd: int) -> None:
    """Pairs of `.vgpr_count` and "; Occupancy:" that LLVM printed for triton kernels of these targets."""
    spec = find_spec(device)
    held = occupancy(spec, spec.warp_size, registers, 0)
    assert held.limits["registers"] == waves_per_simd * spec.sub_partitions


def test_a_block_that_fits_nowhere() -> None:
    h100 = find_spec("h100")
    assert occupancy(h100, 128, 32, h100.shared_bytes_per_block).blocks_per_unit == 1
    assert not occupancy(h100, 128, 32, h100.shared_bytes_per_block + 1).fits
    assert occupancy(h100, 1024, 128, 0).limits["registers"] == 0


@given(
    spec=st.sampled_from(all_specs()),
    warps=st.integers(1, 16),
    registers=st.integers(1, 255),
    shared=st.integers(0, 65536),
    more=st.integers(0, 64),
)
def test_more_of_a_resource_never_raises_occupancy(
    spec: DeviceSpec, warps: int, registers: int, shared: int, more: int
) -> None:
    threads = warps * spec.warp_size
    held = occupancy(spec, threads, registers, shared)
    assert 0.0 <= held.fraction <= 1.0
    assert occupancy(spec, threads, registers + more, shared).blocks_per_unit <= held.blocks_per_unit
    assert occupancy(spec, threads, registers, shared + 1024 * more).blocks_per_unit <= held.blocks_per_unit
    assert held.blocks_per_unit == min(held.limits.values())


@pytest.mark.parametrize(
    ("device", "threads", "registers", "shared", "limits"),
    [
        ("t4", 256, 32, 0, {"warps": 4, "registers": 8, "shared": 16, "blocks": 16}),
        ("t4", 256, 80, 4096, {"warps": 4, "registers": 3, "blocks": 16}),
        ("h200", 256, 32, 32, {"warps": 8, "registers": 8, "blocks": 32}),
    ],
)
def test_rows_that_the_tool_printed(
    device: str, threads: int, registers: int, shared: int, limits: dict[str, int]
) -> None:
    """Block limits in reports of Nsight Compute: copy_blocked on a T4, k-mer counting on another CC 7.5, a
    row normalisation on an H200. Registers alone allow more than the slots do. Limits by shared memory that
    hang on the carve-out in force are left out."""
    held = occupancy(find_spec(device), threads, registers, shared)
    assert {name: held.limits[name] for name in limits} == limits  # type: ignore[index]


def test_kernels_that_ncu_counted_on_an_h200() -> None:
    """Our own specimens: what the tool says of each, but for shared memory, which hangs on the carve-out it
    chose, and for barriers, which it prints up to the block slots."""
    spec, launches = find_spec("h200"), read_profile(MEASURED / "raw.csv").launches
    compiled = json.loads((MEASURED / "level_b.json").read_text(encoding="utf-8"))
    assert len(launches) >= 37
    for launch in launches:
        shared, registers = launch.value("smem_block"), launch.value("regs")
        assert shared is not None
        assert registers is not None
        assert launch.block_threads is not None
        barriers = compiled[launch.kernel.removeprefix("specimen_")]["barriers"]
        asked = int(shared) - spec.shared_reserved_bytes  # the tool counts what the system takes
        held = occupancy(spec, prod(launch.block_threads), int(registers), asked, barriers)
        told = {"registers": "limit_regs", "warps": "limit_warps", "blocks": "limit_blocks"}
        assert {name: launch.value(key) for name, key in told.items()} == {
            name: held.limits[name] for name in ("registers", "warps", "blocks")
        }
        assert launch.value("limit_barriers") == min(held.limits["barriers"], spec.max_blocks_per_unit)
        assert launch.value("occupancy_theoretical") == pytest.approx(100 * held.fraction)


@given(
    spec=st.sampled_from(all_specs()),
    threads=st.integers(1, 1024),
    registers=st.integers(1, 255),
    shared=st.integers(0, 65536),
    barriers=st.integers(1, 16),
)
def test_the_limiter_is_the_least_and_what_it_allows_fits(
    spec: DeviceSpec, threads: int, registers: int, shared: int, barriers: int
) -> None:
    """Counted the other way round: the blocks that are said to fit take no more than the unit has."""
    held = occupancy(spec, threads, registers, shared, barriers)
    warps = -(-threads // spec.warp_size)
    assert held.limits[held.limiter] == min(held.limits.values())
    granule = spec.register_granularity
    taken = held.blocks_per_unit * warps * spec.warp_size * -(-registers // granule) * granule
    assert taken <= spec.registers_per_unit
    assert held.active_warps <= spec.max_warps_per_unit
    step = spec.shared_granularity_bytes
    block = -(-(shared + spec.shared_reserved_bytes) // step) * step
    assert held.blocks_per_unit * block <= spec.shared_bytes_per_unit
    if held.limiter == "shared" and held.fits:
        assert (held.blocks_per_unit + 1) * block > spec.shared_bytes_per_unit
    if held.limiter == "warps":
        assert (held.blocks_per_unit + 1) * warps > spec.max_warps_per_unit


@pytest.mark.parametrize(
    ("registers", "blocks"),
    [
        (64, 8),
        (65, 7),
        (72, 7),
        (73, 6),
        (128, 4),
        (129, 3),
        (168, 3),
        (169, 2),
        (256, 2),
        (257, 1),
        (512, 1),
    ],
)
def test_vector_registers_of_cdna_go_in_steps_of_eight(registers: int, blocks: int) -> None:
    """512 registers a lane of a SIMD, four SIMDs, groups of four waves: as many groups as waves of a SIMD."""
    assert occupancy(find_spec("mi300x"), 256, registers, 0).limits["registers"] == blocks


@pytest.mark.parametrize(
    ("lds", "groups"), [(1280, 128), (1281, 64), (32_000, 5), (33_280, 4), (160 * 1024, 1)]
)
def test_lds_of_gfx950_goes_in_blocks_of_1280_bytes(lds: int, groups: int) -> None:
    assert occupancy(find_spec("mi355x"), 64, 32, lds).limits["shared"] == groups
