"""One page per compiler target, whose tables are what the device sheets say today."""

import re

import pytest

from kbgen.corpus.document import Document, shipped
from kbgen.hardware_specs.spec import DeviceSpec, all_specs, features
from kbgen.profiling.occupancy import occupancy

PAGES = [page for page in shipped() if page.kind == "architecture"]
PEAKS = {  # column -> what a sheet may call it, best first
    "fp32": ("fp32",),
    "fp64": ("fp64",),
    "tf32": ("tensor_tf32",),
    "fp16/bf16 matrix": ("tensor_bf16", "tensor_fp16"),
    "fp8": ("tensor_fp8",),
    "fp4": ("tensor_fp4",),
    "int8": ("tensor_int8",),
}

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)


def devices_of(page: Document) -> list[DeviceSpec]:
    return [spec for spec in all_specs() if spec.arch == page.archs[0]]


def test_every_target_of_the_device_sheets_has_one_page_and_no_other() -> None:
    assert sorted(arch for page in PAGES for arch in page.archs) == sorted({s.arch for s in all_specs()})
    assert all(len(page.archs) == 1 for page in PAGES)


@pages
def test_page_is_for_the_vendor_of_its_target(page: Document) -> None:
    assert page.vendors == (devices_of(page)[0].vendor,)


@pages
@pytest.mark.parametrize("written", ["limits", "peaks", "shares", "warps", "tiles"])
def test_tables_are_what_the_device_sheets_give(page: Document, written: str) -> None:
    table = TABLES[written](devices_of(page))
    assert table in page.body, f"{page.path} should hold:\n{table}"


@pages
def test_features_are_those_of_the_target(page: Document) -> None:
    text = page.body.split("## Features\n")[1].split("\n## ")[0]
    has, lacks = (set(re.findall(r"`(\w+)`", part)) for part in text.split("Elsewhere"))
    (arch,), vendor = page.archs, page.vendors[0]
    of_vendor = {spec.arch for spec in all_specs() if spec.vendor == vendor}
    known = {name: of_vendor.intersection(feature.targets) for name, feature in features().items()}
    assert has == {name for name, targets in known.items() if arch in targets}
    assert lacks == {name for name, targets in known.items() if targets and arch not in targets}


@pages
def test_page_warns_and_says_where_to_begin(page: Document) -> None:
    for heading in ("## Limits", "## Devices", "## Traps", "## First moves for a kernel"):
        assert page.body.count(heading + "\n") == 1


def limits(specs: list[DeviceSpec]) -> str:
    """What one SM or CU holds; the devices of a target must agree in all of it."""
    (rows,) = {limit_rows(spec) for spec in specs}
    return table(("limit", "value"), rows)


def limit_rows(spec: DeviceSpec) -> tuple[tuple[str, str], ...]:
    unit, warp, shared = spec.unit_name, "warp", "shared memory"
    if spec.vendor == "amd":
        warp, shared = "wave", "LDS"
    per_lane = spec.registers_per_unit // spec.warp_size // spec.sub_partitions
    rows = [
        (f"lanes of a {warp}", f"{spec.warp_size}"),
        ("threads per block", f"{spec.max_threads_per_block:,}"),
        (f"resident {warp}s per {unit}", f"{spec.max_warps_per_unit}"),
        (f"resident threads per {unit}", f"{spec.max_warps_per_unit * spec.warp_size:,}"),
        (f"resident blocks per {unit}", f"{spec.max_blocks_per_unit}"),
        (f"schedulers (sub-partitions, SIMDs) per {unit}", f"{spec.sub_partitions}"),
        (f"32-bit vector registers per {unit}", f"{spec.registers_per_unit:,}"),
        ("registers per lane of one scheduler", f"{per_lane:,}"),
        ("registers per thread, most", f"{spec.max_registers_per_thread}"),
        ("registers per thread come in steps of", f"{spec.register_granularity}"),
        (f"{shared} per {unit}", f"{spec.shared_bytes_per_unit / 1024:g} KiB"),
        (f"{shared} per block, most", f"{spec.shared_bytes_per_block / 1024:g} KiB"),
        (f"{shared} taken by the system from each block", f"{spec.shared_reserved_bytes:,} bytes"),
        (f"{shared} comes in steps of", f"{spec.shared_granularity_bytes:,} bytes"),
    ]
    if spec.barriers_per_unit is not None:
        rows.append((f"block barriers per {unit}", f"{spec.barriers_per_unit}"))
    return tuple(rows)


def peaks(specs: list[DeviceSpec]) -> str:
    """Peaks of the devices: dense, TFLOP/s (TOP/s for int8), a multiply-add is two."""
    columns = {name: [peak(spec, name) for spec in specs] for name in PEAKS}
    columns = {name: column for name, column in columns.items() if any(column)}
    rows = [
        (
            spec.name,
            f"{spec.unit_count or 'unknown'}",
            f"{spec.clock_mhz or 'unknown'}",
            f"{spec.dram_gb_s:g}",
            f"{spec.l2_bytes / 2**20:g}",
            *(f"{column[row]:g}" if column[row] else "-" for column in columns.values()),
        )
        for row, spec in enumerate(specs)
    ]
    return table(("device", f"{specs[0].unit_name}s", "MHz", "GB/s", "L2 MiB", *columns), rows)


def shares(specs: list[DeviceSpec]) -> str:
    """DRAM bytes that fall to one unit in a clock, and the intensity at which arithmetic is the limit."""
    unit = specs[0].unit_name
    rows = [
        (
            spec.name,
            f"{spec.dram_gb_s * 1e3 / spec.unit_count / spec.clock_mhz:.1f}",
            f"{spec.peak_tflops['fp32'] * 1e3 / spec.dram_gb_s:.0f}",
            f"{peak(spec, 'fp16/bf16 matrix') * 1e3 / spec.dram_gb_s:.0f}",
        )
        for spec in specs
        if spec.unit_count and spec.clock_mhz
    ]
    head = (
        "device",
        f"DRAM bytes per {unit} and clock",
        "ridge fp32, flop/byte",
        "ridge 16-bit matrix, flop/byte",
    )
    return table(head, rows) if rows else ""


def warps(specs: list[DeviceSpec]) -> str:
    """Resident warps by registers per thread, in blocks of four warps without shared memory."""
    spec, name = specs[0], "wave" if specs[0].vendor == "amd" else "warp"
    rows = []
    for registers in (32, 40, 48, 64, 80, 96, 128, 168, 192, 255, 256, 512):
        if registers <= spec.max_registers_per_thread:
            fit = occupancy(spec, 4 * spec.warp_size, registers, 0)
            rows.append((f"{registers}", f"{fit.active_warps}", f"{100 * fit.fraction:.0f} %"))
    return table(("registers per thread", f"resident {name}s per {spec.unit_name}", "occupancy"), rows)


def tiles(specs: list[DeviceSpec]) -> str:
    """How many stages of a matrix product's operand tiles one block can hold; 16-bit elements."""
    spec, rows = specs[0], []
    for m, n, k in (
        (64, 64, 32),
        (128, 64, 64),
        (128, 128, 32),
        (128, 128, 64),
        (128, 256, 64),
        (256, 256, 64),
    ):
        stage = 2 * k * (m + n)
        rows.append((f"{m} x {n} x {k}", f"{stage // 1024} KiB", f"{spec.shared_bytes_per_block // stage}"))
    return table(("tile M x N x K, 16 bit", "bytes of one stage", "stages that fit one block"), rows)


def peak(spec: DeviceSpec, column: str) -> float:
    return next((spec.peak_tflops[key] for key in PEAKS[column] if key in spec.peak_tflops), 0.0)


def table(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...] | list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


TABLES = {"limits": limits, "peaks": peaks, "shares": shares, "warps": warps, "tiles": tiles}
