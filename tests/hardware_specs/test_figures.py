"""Peaks and bandwidths are recomputed from units, clocks and rates: a sparse or mistyped figure fails."""

from collections.abc import Iterator

import pytest

from kbgen.hardware_specs.schema import Reading, Section
from kbgen.hardware_specs.sheet_amd import AmdSheet
from kbgen.hardware_specs.sheet_nvidia import NvidiaSheet
from kbgen.hardware_specs.spec import DeviceSpec, all_specs, conflicts, find_spec

TOLERANCE = 0.025

NOT_RECOMPUTABLE = {
    ("nvidia-b300", "peaks"): "neither the SM count nor the clock has been read from a device",
    ("nvidia-b300", "bandwidth"): "neither the bus width nor the memory clock is known",
    (
        "nvidia-gb200",
        "bandwidth",
    ): "the bus width has not been read; 7680 bit, as on B200, would give 7.67 TB/s",
}

SPECS = pytest.mark.parametrize("spec", all_specs(), ids=lambda spec: spec.id)


def numbers(section: Section) -> dict[str, float]:
    return section.model_dump(exclude={"sources", "note", "confidence"}, exclude_none=True)


def peaks(spec: DeviceSpec) -> Iterator[tuple[str, float, float | None]]:
    """(key, published TFLOPS, recomputed TFLOPS or None when units or clock are unknown)"""
    sheet = spec.sheet
    if isinstance(sheet, NvidiaSheet):
        units, rates, published = (
            sheet.compute_units.sm_count,
            sheet.flop_per_clock_per_sm,
            sheet.peak_dense_tflops,
        )
    else:
        assert isinstance(sheet, AmdSheet)
        units, rates, published = (
            sheet.compute_units.cu_count,
            sheet.flop_per_clock_per_cu,
            sheet.peak_dense_tflops,
        )
    per_clock = numbers(rates)
    for key, peak in numbers(published).items():
        mhz = clock_mhz(sheet, key)
        known = units is not None and mhz is not None
        yield key, peak, units * mhz * per_clock[key] / 1e6 if known else None


def clock_mhz(sheet: NvidiaSheet | AmdSheet, key: str) -> int | None:
    """Tensor peaks of some NVIDIA parts are published at a lower clock than the vector peaks."""
    if isinstance(sheet, AmdSheet):
        return sheet.clocks_mhz.peak_engine
    tensor = sheet.clocks_mhz.tensor_peak_assumed if key.startswith("tensor_") else None
    return tensor or sheet.clocks_mhz.boost


@SPECS
def test_every_peak_is_units_times_clock_times_rate(spec: DeviceSpec) -> None:
    assert list(peaks(spec))
    for key, published, recomputed in peaks(spec):
        if (spec.id, "peaks") in NOT_RECOMPUTABLE:
            assert recomputed is None, f"{key} can be recomputed now: take {spec.id} off the list"
        else:
            assert recomputed == pytest.approx(published, rel=TOLERANCE), key


@SPECS
def test_every_bandwidth_is_bus_times_rate(spec: DeviceSpec) -> None:
    sheet = spec.sheet
    if isinstance(sheet, AmdSheet):
        recomputed = sheet.memory.bus_bits * sheet.memory.rate_gbit_s_per_pin / 8
        assert recomputed == pytest.approx(sheet.memory.bandwidth_gb_s, rel=TOLERANCE)
        return
    assert isinstance(sheet, NvidiaSheet)
    bus_bits, mhz = sheet.memory.bus_bits, sheet.memory.clock_mhz
    if (spec.id, "bandwidth") in NOT_RECOMPUTABLE:
        assert bus_bits is None, f"the bandwidth can be recomputed now: take {spec.id} off the list"
    else:
        assert bus_bits is not None
        assert mhz is not None
        assert mhz * 2 * bus_bits / 8 / 1e3 == pytest.approx(spec.dram_gb_s, rel=TOLERANCE)


def test_the_list_of_exceptions_names_devices_that_exist() -> None:
    assert {device for device, _ in NOT_RECOMPUTABLE} <= {spec.id for spec in all_specs()}


def is_sparse(reading: Reading) -> bool:
    """A sparse figure halved ("... sparse / 8 / 2") is a dense one."""
    where = reading.where or ""
    return "sparse" in where and not where.split(";")[0].endswith("/ 2")


def test_figures_known_to_be_sparse_are_nowhere() -> None:
    refuted = 0
    for conflict in conflicts():
        section, _, key = conflict.field.partition(".")
        sparse = [reading.value for reading in conflict.seen if is_sparse(reading)]
        if section != "peak_dense_tflops" or not sparse:
            continue
        for device in conflict.devices:
            sheet = find_spec(device).sheet
            assert isinstance(sheet, NvidiaSheet | AmdSheet)
            assert numbers(sheet.peak_dense_tflops)[key] not in sparse
            refuted += len(sparse)
    assert refuted >= 5


def test_blackwell_ultra_peaks_stay_below_twice_the_dense_ones_of_b200() -> None:
    """B300 cannot be recomputed; its sparse columns would be twice B200's dense ones or more."""
    ultra, plain = find_spec("b300").peak_tflops, find_spec("b200").peak_tflops
    assert {key for key in ultra if ultra[key] >= 2 * plain[key]} == set()


@SPECS
def test_rates_double_as_formats_halve(spec: DeviceSpec) -> None:
    """Tensor rates of fp16 and bf16 agree; fp8 is once or twice them: dense on every part."""
    rates = spec.peak_tflops
    if "tensor_bf16" in rates and "tensor_fp16" in rates:
        assert rates["tensor_bf16"] == rates["tensor_fp16"]
    if "tensor_fp8" in rates:
        assert rates["tensor_fp8"] / rates["tensor_fp16"] == pytest.approx(2, rel=TOLERANCE)


@SPECS
def test_counts_agree_with_each_other(spec: DeviceSpec) -> None:
    sheet = spec.sheet
    assert spec.max_warps_per_unit % spec.sub_partitions == 0
    assert spec.registers_per_unit % (spec.sub_partitions * spec.warp_size) == 0
    if isinstance(sheet, NvidiaSheet):
        assert sheet.limits.max_threads_per_sm == sheet.limits.max_warps_per_sm * sheet.limits.warp_size
        assert sheet.limits.shared_carveouts_kib[-1] == sheet.limits.max_shared_kib_per_sm
        major, minor = sheet.compute_capability.split(".")
        assert spec.arch == f"sm_{major}{minor}"
    else:
        assert isinstance(sheet, AmdSheet)
        units, limits = sheet.compute_units, sheet.limits
        assert spec.registers_per_unit * 4 == limits.vgpr_file_kib_per_cu * 1024
        assert limits.max_waves_per_cu == limits.max_waves_per_simd * units.simd_per_cu
        assert units.cu_count == (units.xcd_count or 1) * (units.cu_per_xcd or units.cu_count)
