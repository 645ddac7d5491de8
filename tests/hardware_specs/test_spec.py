"""Sheets read strictly, cite their sources, and give one device in vendor-neutral words."""

import dataclasses
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
import yaml

from kbgen.hardware_specs import spec as module
from kbgen.hardware_specs.spec import (
    InvalidSheet,
    all_specs,
    conflicts,
    features,
    find_spec,
    read_sheet,
    sources,
)

PROSE = {
    "schema",
    "id",
    "name",
    "compute_capability",
    "device_names",
    "aliases",
    "mma_shapes",
    "notes",
    "note",
}


def raw(vendor: str, name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(
        (files("kbgen.hardware_specs") / vendor / f"{name}.yaml").read_text()
    )
    return document


def walk(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for inner, item in value.items():
            yield from walk(item, inner)
    elif isinstance(value, list):
        for item in value:
            yield from walk(item, key)
    else:
        yield key, value


def all_raw() -> Iterator[dict[str, Any]]:
    for spec in all_specs():
        vendor, _, name = spec.id.partition("-")
        yield raw(vendor, name)


def test_all_25_sheets_validate() -> None:
    assert len(all_specs()) == 25
    assert len({spec.id for spec in all_specs()}) == 25


def test_every_source_key_is_explained() -> None:
    cited = {value for sheet in all_raw() for key, value in walk(sheet) if key == "sources"}
    cited |= {key for feature in features().values() for key in feature.sources}
    cited |= {key for conflict in conflicts() for reading in conflict.seen for key in reading.sources}
    assert cited <= set(sources())
    assert len(cited) > 40


def test_no_number_hides_in_prose() -> None:
    for sheet in all_raw():
        hidden = [
            (key, value) for key, value in walk(sheet) if isinstance(value, str) and re.match(r"\d", value)
        ]
        assert {key for key, _ in hidden} <= PROSE, (sheet["id"], hidden)


def test_conflicts_name_devices_that_exist() -> None:
    ids = {spec.id for spec in all_specs()}
    assert {device for conflict in conflicts() for device in conflict.devices} <= ids


def test_an_unknown_key_is_refused() -> None:
    sheet = raw("nvidia", "h100-sxm5")
    sheet["limits"]["max_shared_kb"] = 228
    with pytest.raises(
        InvalidSheet, match=r"h100\.yaml: limits\.max_shared_kb: Extra inputs are not permitted"
    ):
        read_sheet(sheet, origin="h100.yaml")


def test_a_number_in_quotes_is_refused() -> None:
    sheet = raw("amd", "mi300x")
    sheet["limits"]["vgpr_granularity"] = "16 or 8"
    with pytest.raises(InvalidSheet, match=r"limits\.vgpr_granularity: .* \(found '16 or 8'\)"):
        read_sheet(sheet, origin="mi300x.yaml")


def test_a_section_without_sources_is_refused() -> None:
    sheet = raw("nvidia", "l4")
    sheet["memory"]["sources"] = []
    with pytest.raises(InvalidSheet, match=r"memory\.sources"):
        read_sheet(sheet, origin="l4.yaml")


def test_a_spec_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        find_spec("h100").warp_size = 64  # type: ignore[misc]


def test_one_device_is_read_without_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = module._parse
    monkeypatch.setattr(module, "_parse", lambda file: parsed.append(file.name) or parse(file))
    for cached in (module._raw, module._load, module.features):
        cached.cache_clear()
    find_spec("nvidia-l4")
    assert parsed == ["l4.yaml", "features.yaml"]


def test_h100_in_neutral_words() -> None:
    h100 = find_spec("h100")
    assert (h100.unit_count, h100.unit_name, h100.warp_size) == (132, "SM", 32)
    assert (h100.shared_bytes_per_unit, h100.shared_bytes_per_block) == (233472, 232448)
    assert h100.triton_target == ("cuda", 90, 32)
    assert (h100.target, h100.arch) == ("sm_90a", "sm_90")
    assert h100.peak_tflops["tensor_bf16"] == 989.4
    assert "wgmma" in h100.features


def test_mi300x_in_neutral_words() -> None:
    mi300x = find_spec("mi300x")
    assert (mi300x.unit_count, mi300x.unit_name, mi300x.warp_size) == (304, "CU", 64)
    assert (mi300x.registers_per_unit, mi300x.shared_bytes_per_block) == (131072, 65536)
    assert mi300x.triton_target == ("hip", "gfx942", 64)
    assert mi300x.peak_tflops["tensor_bf16"] == 1307.4
    assert (mi300x.l2_bytes, mi300x.l2_partitions) == (32 * 2**20, 8)


def test_mi250x_is_one_of_its_two_devices() -> None:
    mi250x = find_spec("mi250x")
    assert (mi250x.unit_count, mi250x.l2_bytes, mi250x.memory_gb) == (110, 8 * 2**20, 64)
    assert mi250x.dram_gb_s == pytest.approx(1638.5)
    assert mi250x.peak_tflops["tensor_fp16"] == pytest.approx(191.5)


def test_b200_has_a_label_and_a_bandwidth_for_rooflines() -> None:
    assert find_spec("b200").dram_gb_s == 7672


def test_an_unread_unit_count_is_none() -> None:
    assert find_spec("b300").unit_count is None
