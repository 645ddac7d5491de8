"""The kernels of known cause: each is told in the manifest, launched as it is declared, and compiles."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

from kbgen.profiling.rules import rule_book

HERE = Path(__file__).parent / "specimens"
MANIFEST = yaml.safe_load((HERE / "manifest.yaml").read_text())
CUDA = "".join((HERE / f"{name}.cu").read_text() for name in ("memory", "compute", "hopper"))
PARAMETERS = {
    name: [one.strip() for one in listed.split(",")]
    for name, listed in re.findall(
        r"SPECIMEN (?:__launch_bounds__\([^)]*\) )?specimen_(\w+)\(([^)]*)\)", CUDA
    )
}
SCALARS = {"int": "c_int", "long long": "c_long"}  # ctypes' c_longlong is c_long where both have 64 bits


@pytest.fixture(scope="module")
def shelf() -> Iterator[ModuleType]:
    """The table of launches, with a card of 132 units that is not here and tensors that take no memory."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(HERE))
        made = importlib.import_module("shelf")
        patch.setattr(made, "DEVICE", "cpu")
        patch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor)
        card = SimpleNamespace(multi_processor_count=132)
        patch.setattr(torch.cuda, "get_device_properties", lambda index: card)
        with FakeTensorMode(allow_non_fake_inputs=True):
            yield made
        for name in ("shelf", "driver", "tiles"):
            sys.modules.pop(name, None)


class Recorded:
    """Takes the launches of CUDA kernels and starts none."""

    def __init__(self) -> None:
        self.launches: list[tuple[Any, ...]] = []

    def launch(self, *asked: Any) -> None:
        self.launches.append(asked)


def test_every_expectation_is_a_class_of_the_rules() -> None:
    known = set(rule_book().classes)
    for name, told in MANIFEST.items():
        named = {told["expected"], *told["also"], *([told["level_b"]] if told["level_b"] else [])}
        assert named <= known, name
        assert told["expected"] not in told["also"], name
        assert told["why"], name


def test_manifest_and_kernels_are_the_same_set() -> None:
    triton = re.findall(r"^def specimen_(\w+)\(", (HERE / "tiles.py").read_text(), re.MULTILINE)
    assert set(MANIFEST) == {*PARAMETERS, *triton}
    assert {name for name, told in MANIFEST.items() if told["language"] == "cuda"} == set(PARAMETERS)
    assert len({told["expected"] for told in MANIFEST.values()}) >= 24


@pytest.mark.parametrize("name", [name for name in MANIFEST if name in PARAMETERS])
def test_a_cuda_kernel_is_launched_with_the_arguments_it_declares(shelf: ModuleType, name: str) -> None:
    import torch

    module = Recorded()
    specimen = shelf.Shelf(module).make(name)
    specimen.launch()
    ((kernel, grid, block, arguments, _),) = module.launches
    assert kernel == f"specimen_{name}"
    assert (specimen.grid, specimen.threads) == (grid, torch.Size(block).numel())
    assert specimen.threads <= 1024
    declared = ["pointer" if "*" in one else one.rsplit(" ", 1)[0] for one in PARAMETERS[name]]
    assert len(arguments) == len(declared)
    for given, kind in zip(arguments, declared, strict=True):
        is_tensor = isinstance(given, torch.Tensor)
        assert is_tensor if kind == "pointer" else type(given).__name__ == SCALARS[kind]


def test_work_is_declared_for_every_specimen(shelf: ModuleType) -> None:
    for name in MANIFEST:
        specimen = shelf.Shelf(Recorded()).make(name)
        assert specimen.name == name
        assert specimen.bytes_min > 0
        assert specimen.flops >= 0


def test_the_resources_in_ptxas_log_are_read(shelf: ModuleType) -> None:
    log = (
        "ptxas info    : Compiling entry function 'specimen_spills' for 'sm_90'\n"
        "ptxas info    : Function properties for specimen_spills\n"
        "    424 bytes stack frame, 1408 bytes spill stores, 1680 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem\n"
        "ptxas info    : Compiling entry function 'specimen_fp64' for 'sm_90'\n"
        "ptxas info    : Function properties for specimen_fp64\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 26 registers, used 0 barriers\n"
    )
    found = importlib.import_module("driver").resources(log)
    assert found["specimen_spills"] == {
        "registers": 32, "barriers": 1, "spill_bytes": 1680, "shared_bytes": 4096,
    }  # fmt: skip
    assert found["specimen_fp64"] == {"registers": 26, "barriers": 0, "spill_bytes": 0, "shared_bytes": 0}


def test_the_cuda_kernels_compile(shelf: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The smaller source alone: the other takes ptxas four seconds."""
    if not shutil.which("nvcc"):
        pytest.skip("nvcc is not on PATH")
    driver = importlib.import_module("driver")
    monkeypatch.setattr(driver, "SOURCES", ("memory",))
    found = driver.resources(driver.build(tmp_path, "sm_90"))
    assert found["specimen_occupancy_registers"]["registers"] > 200
    assert {one["spill_bytes"] for one in found.values()} == {0}
    assert (tmp_path / "memory.cubin").exists()
