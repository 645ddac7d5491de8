"""The shipped cards: complete, consistent with each other, with the device tables and with the compiler."""

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from kbgen.corpus.document import Bottleneck, Document, shipped
from kbgen.hardware_specs.spec import all_specs, features, find_spec

SECTIONS = ["When", "Why", "In Triton", "In CUDA and HIP", "How to see it worked"]
CORPUS = Path(__file__).parents[2] / "corpus"
RULES = Path(__file__).parents[2] / "profiling" / "rules.yaml"
ONE_VENDOR = {"amd": {"wgmma_wait", "tma_underfed", "occupancy_barriers"}}  # no such unit there
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

CARDS = tuple(page for page in shipped() if page.path.startswith("techniques/"))
cards = pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)


def blocks(card: Document, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", card.body, re.DOTALL)


def test_every_transform_of_the_writer_has_exactly_one_card() -> None:
    from kbgen.generator.writers.synth.transforms.inherent import INHERENT
    from kbgen.generator.writers.synth.transforms.registry import MEND, TRANSFORMS

    found = [card.transform for card in CARDS if card.transform]
    assert sorted(found) == sorted({*TRANSFORMS, MEND[0], *INHERENT})


def test_every_bottleneck_class_is_addressed_by_two_cards_for_each_vendor_that_has_it() -> None:
    classes = yaml.safe_load(RULES.read_text(encoding="utf-8"))["classes"]
    assert set(classes) | {"unclassified"} == set(get_args(Bottleneck))
    for vendor in ("nvidia", "amd"):
        addressed = Counter(name for card in CARDS if vendor in card.vendors for name in card.addresses)
        lacking = {name for name in get_args(Bottleneck) if addressed[name] < 2}
        assert lacking <= ONE_VENDOR.get(vendor, set()), vendor


def test_there_are_a_hundred_cards() -> None:
    assert len(CARDS) >= 100


def test_conflicts_exist_and_are_mutual() -> None:
    by_id = {card.id: card for card in CARDS}
    for card in CARDS:
        for other in card.conflicts:
            assert other in by_id, f"{card.id} conflicts with an unknown card '{other}'"
            assert card.id in by_id[other].conflicts, f"{other} does not name {card.id}"


def test_techniques_and_nothing_else_lie_in_their_folder() -> None:
    assert {page.id for page in shipped() if page.kind == "technique"} == {card.id for card in CARDS}


@cards
def test_card_has_its_sections_in_order(card: Document) -> None:
    assert re.findall(r"^## (.+)$", card.body, re.MULTILINE) == SECTIONS
    assert card.path == f"techniques/{card.id}.md"


@cards
def test_required_features_and_targets_exist_on_devices(card: Document) -> None:
    specs = [spec for spec in all_specs() if spec.vendor in card.vendors]
    assert set(card.requires) <= set(features())
    for vendor in card.vendors:
        of_vendor = [spec for spec in specs if spec.vendor == vendor]
        assert any(set(card.requires) <= spec.features for spec in of_vendor), f"no {vendor} device has all"
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


def rule(card_id: str, name: str) -> Any:
    """The function `name` that the first Python block of a card defines."""
    card = next(card for card in CARDS if card.id == card_id)
    names: dict[str, Any] = {}
    exec(blocks(card, "python")[0], names)
    return names[name]


def test_stream_k_segments_cover_every_iteration_once() -> None:
    segments = rule("stream-k", "segments")
    tiles, per_tile, programs = 140, 64, 132
    share = -(-tiles * per_tile // programs)
    done = [
        (tile, k)
        for program in range(programs)
        for tile, first, last in segments(program, share, tiles * per_tile, per_tile)
        for k in range(first, last)
    ]
    assert sorted(done) == [(tile, k) for tile in range(tiles) for k in range(per_tile)]


@pytest.mark.parametrize(
    ("card_id", "name", "arguments", "expected"),
    [
        ("integral-waves", "rows_per_program", (264 * 8, 264, 16), 8),  # rows, wave, most
        ("integral-waves", "rows_per_program", (272, 264, 2), 2),
        ("warp-count", "warps_for", (4096, 2, 32), 8),  # block, size, lanes
        ("warp-count", "warps_for", (4096, 2, 64), 4),
        ("warp-count", "warps_for", (64, 2, 32), 1),
        ("tma-ring-depth", "ring_stages", (227, 128, 128, 64, 2), 7),  # KB, tile, bytes an element, epilogue
        ("tma-ring-depth", "ring_stages", (227, 128, 128, 64, 2, 32), 6),
        ("lds-budget", "groups_per_cu", (64, 128, 128, 64, 2, 1), 2),  # KiB, tile, bytes an element, buffers
        ("lds-budget", "groups_per_cu", (160, 128, 128, 64, 2, 2), 2),
        ("block-size-slots", "occupancy", (2, 48, 16), 2 / 3),  # warps, warp slots, block slots
        ("block-size-slots", "occupancy", (3, 48, 16), 1.0),
        ("bytes-in-flight", "in_flight_kb", (256, 8, 1, 4), 8.192),  # threads, blocks, loads, bytes a load
        ("gemm-tile-choice", "wave_efficiency", (4352, 4352, 128, 256, 132), 0.8758),  # product, tile, SMs
    ],
)
def test_rules_of_cards_give_the_figures_of_their_text(
    card_id: str, name: str, arguments: tuple[int, ...], expected: float
) -> None:
    assert rule(card_id, name)(*arguments) == pytest.approx(expected, rel=1e-3)


def test_triton_blocks_compile_for_their_targets_without_spills(tmp_path: Path) -> None:
    found = [{"card": card.id, "code": block} for card in CARDS for block in blocks(card, "triton")]
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
