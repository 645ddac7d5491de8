"""The shipped cards: complete, consistent with each other, with the device tables and with the compiler."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import yaml

from kbgen.corpus.document import Bottleneck, Document, shipped
from kbgen.hardware_specs.spec import all_specs, find_spec

TRANSFORMS = {
    "fuse-elementwise", "fuse-row-program", "row-in-registers", "online-softmax", "welford",
    "split-reduction", "rows-per-program", "vector-width", "column-tiles", "cache-hints",
    "persistent-programs", "pipelined-loop", "warp-count", "pair-halves", "wide-offsets",
    "fold-norm-eval", "drop-identities", "integral-waves", "shrink-tile", "flat-grid", "recompute-cheap",
    "fp32-accumulate",
}  # fmt: skip
SECTIONS = ["When", "Why", "In Triton", "In CUDA and HIP", "How to see it worked"]
CORPUS = Path(__file__).parents[2] / "corpus"
METRICS = Path(__file__).parents[3] / "shared" / "data" / "metrics_nvidia.yaml"

DEVICES = {
    "H100 SXM5": "nvidia-h100-sxm5",
    "A100 SXM4 80GB": "nvidia-a100-sxm4-80gb",
    "RTX 4090": "nvidia-rtx-4090",
    "MI300X": "amd-mi300x",
}
FACTS = {
    "SMs": lambda spec: spec.unit_count,
    "CUs": lambda spec: spec.unit_count,
    "lanes": lambda spec: spec.warp_size,
    "GB/s": lambda spec: spec.dram_gb_s,
    "KB shared per SM": lambda spec: spec.shared_bytes_per_unit / 1024,
    "KB shared per block": lambda spec: spec.shared_bytes_per_block / 1024,
    "registers per SM": lambda spec: spec.registers_per_unit,
    "MB L2": lambda spec: spec.l2_bytes / 2**20,
    "TFLOPS fp32": lambda spec: spec.peak_tflops["fp32"],
    "TFLOPS fp64": lambda spec: spec.peak_tflops["fp64"],
    "TFLOPS bf16 tensor": lambda spec: spec.peak_tflops["tensor_bf16"],
    "TFLOPS tf32 tensor": lambda spec: spec.peak_tflops["tensor_tf32"],
}

cards = pytest.mark.parametrize("card", shipped(), ids=lambda card: card.id)


def blocks(card: Document, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", card.body, re.DOTALL)


def test_every_transform_of_the_writer_has_exactly_one_card() -> None:
    found = [card.transform for card in shipped() if card.transform]
    assert sorted(found) == sorted(TRANSFORMS)


def test_every_bottleneck_of_a_kernel_is_addressed() -> None:
    addressed = {name for card in shipped() for name in card.addresses}
    not_cured_in_a_kernel = {"sysmem_traffic", "occupancy_barriers", "icache"}
    assert set(get_args(Bottleneck)) - addressed == not_cured_in_a_kernel


def test_conflicts_exist_and_are_mutual() -> None:
    by_id = {card.id: card for card in shipped()}
    for card in shipped():
        for other in card.conflicts:
            assert other in by_id, f"{card.id} conflicts with an unknown card '{other}'"
            assert card.id in by_id[other].conflicts, f"{other} does not name {card.id}"


@cards
def test_card_has_its_sections_in_order(card: Document) -> None:
    assert re.findall(r"^## (.+)$", card.body, re.MULTILINE) == SECTIONS
    assert card.path == f"techniques/{card.id}.md"


@cards
def test_effect_is_stated_in_numbers(card: Document) -> None:
    assert re.search(r"\d", card.effect), card.effect
    assert len(card.addresses) == len(set(card.addresses)) > 0


@cards
def test_required_features_and_targets_exist_on_devices(card: Document) -> None:
    specs = [spec for spec in all_specs() if spec.vendor in card.vendors]
    for arch in set(card.archs) - {"any"}:
        of_arch = [spec for spec in specs if spec.arch == arch]
        assert of_arch, f"no device of {card.vendors} has target {arch}"
        for feature in card.requires:
            assert any(feature in spec.features for spec in of_arch), f"{arch} devices lack {feature}"


@cards
def test_device_numbers_agree_with_the_device_tables(card: Document) -> None:
    text = " ".join(card.body.split())
    for name, details in re.findall(rf"({'|'.join(DEVICES)}) \((\d[^)]*)\)", text):
        spec = find_spec(DEVICES[name])
        for detail in details.split(", "):
            number, unit = detail.split(" ", 1)
            assert float(number) == pytest.approx(FACTS[unit](spec), rel=1e-3), f"{name}: {detail}"


@cards
def test_metrics_named_exist(card: Document) -> None:
    if not METRICS.exists():
        pytest.skip("the metric list is not beside this checkout")
    known = set(re.findall(r"[a-z0-9]+__\w+", METRICS.read_text()))
    for metric in re.findall(r"\b(?:smsp|sm|l1tex|lts|dram|gpu|launch)__\w+", card.body):
        assert metric in known or metric.startswith("smsp__average_warps_issue_stalled_"), metric


@cards
def test_python_blocks_define_what_they_show(card: Document) -> None:
    for block in blocks(card, "python"):
        tree = ast.parse(block)
        assert all(isinstance(node, ast.FunctionDef) and ast.get_docstring(node) for node in tree.body)


def test_stream_k_segments_cover_every_iteration_once() -> None:
    card = next(card for card in shipped() if card.id == "stream-k")
    names: dict = {}
    exec(blocks(card, "python")[0], names)
    tiles, per_tile, programs = 140, 64, 132
    share = -(-tiles * per_tile // programs)
    done = [
        (tile, k)
        for program in range(programs)
        for tile, first, last in names["segments"](program, share, tiles * per_tile, per_tile)
        for k in range(first, last)
    ]
    assert sorted(done) == [(tile, k) for tile in range(tiles) for k in range(per_tile)]


def test_integral_waves_rule_fills_whole_waves() -> None:
    card = next(card for card in shipped() if card.id == "integral-waves")
    names: dict = {}
    exec(blocks(card, "python")[0], names)
    assert names["rows_per_program"](rows=264 * 8, wave=264, most=16) == 8
    assert names["rows_per_program"](rows=272, wave=264, most=2) == 2


def test_warp_count_rule_of_the_card() -> None:
    card = next(card for card in shipped() if card.id == "warp-count")
    names: dict = {}
    exec(blocks(card, "python")[0], names)
    assert names["warps_for"](block=4096, size=2, lanes=32) == 8
    assert names["warps_for"](block=4096, size=2, lanes=64) == 4
    assert names["warps_for"](block=64, size=2, lanes=32) == 1


def test_triton_blocks_compile_for_their_targets_without_spills(tmp_path: Path) -> None:
    found = [{"card": card.id, "code": block} for card in shipped() for block in blocks(card, "triton")]
    (tmp_path / "blocks.json").write_text(json.dumps(found))
    child = Path(__file__).with_name("compile_blocks.py")
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    environment["TRITON_CACHE_DIR"] = str(tmp_path / "cache")
    subprocess.run(
        [sys.executable, str(child), str(tmp_path / "blocks.json"), str(tmp_path / "results.json")],
        env=environment, check=True, timeout=300,
    )  # fmt: skip
    results = json.loads((tmp_path / "results.json").read_text())
    assert {row["card"] for row in results} == {item["card"] for item in found}
    problems = [f"{row['card']} for {row['target']}: {fault}" for row in results for fault in faults(row)]
    assert problems == []


def faults(row: dict) -> list[str]:
    """What is wrong with one compiled block."""
    if "error" in row:
        return [row["error"]]
    missing = [f"no '{text}' in the assembly" for text in row["expect"] if text not in row["assembly"]]
    return missing + ([f"{row['spills']} spilled"] if row["spills"] != 0 else [])


@cards
def test_header_repeats_no_key(card: Document) -> None:
    """YAML lets the last of two equal keys win in silence."""
    header = (CORPUS / card.path).read_text(encoding="utf-8").split("---")[1]
    keys = re.findall(r"^([a-z]+):", header, re.MULTILINE)
    assert keys == list(yaml.safe_load(header))
