"""What the card says of itself, asked of stand-ins for the vendors' libraries."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from kbgen.profiling import amd_clocks, probe, settings
from kbgen.profiling.probe import ClockState, TorchBuild
from kbgen.profiling.settings import CardSettings

CUDA, HIP = TorchBuild("2.11.0", "13.0", None), TorchBuild("2.11.0", None, "7.0")


class NVMLError(Exception):
    """As the library raises it for what a card does not support."""


class Nvml:
    """An NVML that answers what it was given, and refuses everything else as a card would."""

    NVMLError = NVMLError
    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = "sm", "memory", "temperature"

    def __init__(self, **answers: Any) -> None:
        self._answers = {"nvmlDeviceGetHandleByUUID": "card", "nvmlDeviceGetHandleByIndex": "card", **answers}

    def __getattr__(self, name: str) -> Any:
        def ask(*arguments: Any) -> Any:
            answer = self._answers.get(name)
            answer = answer.get(arguments[-1]) if isinstance(answer, dict) else answer
            if answer is None:
                raise NVMLError(name)
            return answer

        return ask


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts libraries and a build of torch into place of this machine's."""

    def there(library: Any, build: TorchBuild = CUDA) -> None:
        @contextmanager
        def given() -> Iterator[Any]:
            yield library

        for room in (probe, settings):
            monkeypatch.setattr(room, "amdsmi" if build.hip else "nvml", given)
            monkeypatch.setattr(room, "torch_build", lambda: build)
            monkeypatch.setattr(room, "torch_handle", lambda library: "card")
            monkeypatch.setattr(room, "amd_address", lambda: "0000:c1:00.0")

    return there


def test_clocks_are_read_and_what_the_card_does_not_tell_is_none(machine: Any) -> None:
    machine(
        Nvml(nvmlDeviceGetClockInfo={"sm": 1980}, nvmlDeviceGetPowerUsage=80_500,
             nvmlDeviceGetCurrentClocksEventReasons=0x4)
    )  # fmt: skip
    assert probe.SystemProbe().clocks() == ClockState(1980, None, None, 80.5, ("software power cap",))


def test_without_a_driver_nothing_is_read(machine: Any) -> None:
    machine(None)
    assert probe.SystemProbe().clocks() is None
    assert probe.nvml_arch() is None
    assert settings.read_settings() is None


def test_the_architecture_is_known_without_a_torch_that_could_use_it(machine: Any) -> None:
    machine(Nvml(nvmlDeviceGetCount=1, nvmlDeviceGetCudaComputeCapability=(9, 0)))
    assert probe.nvml_arch() == "sm_90"


def test_attributes_hold_what_torch_and_nvml_give(machine: Any) -> None:
    machine(Nvml(nvmlDeviceGetMaxClockInfo={"sm": 1980, "memory": 3201}, nvmlDeviceGetMemoryBusWidth=6144))
    properties = SimpleNamespace(warp_size=32, regs_per_multiprocessor=65536)
    assert probe._attributes(properties, hip=False) == {
        "warp_size": 32, "registers_per_unit": 65536, "clock_mhz": 1980, "memory_clock_mhz": 3201,
        "bus_bits": 6144,
    }  # fmt: skip
    assert probe._attributes(properties, hip=True) == {"warp_size": 32, "registers_per_unit": 65536}


def test_settings_tell_slices_limits_and_the_link(machine: Any) -> None:
    machine(
        Nvml(
            nvmlDeviceGetEnforcedPowerLimit=500_000, nvmlDeviceGetPowerManagementDefaultLimit=700_000,
            nvmlDeviceGetMigMode=(1, 1), nvmlDeviceGetMaxClockInfo={"sm": 1980},
            nvmlDeviceGetCurrPcieLinkGeneration=5, nvmlDeviceGetCurrPcieLinkWidth=16,
        )
    )  # fmt: skip
    assert settings.read_settings() == CardSettings(500.0, 700.0, True, None, 1980, None, "PCIe 5 x16", None)


class Amdsmi:
    """The part of amdsmi 7 that is asked, for one card that knows no violations."""

    class AmdSmiException(Exception):  # noqa: N818 - the library's name
        pass

    AmdSmiClkType = SimpleNamespace(GFX="gfx", MEM="mem")
    AmdSmiTemperatureType = SimpleNamespace(HOTSPOT="hotspot")
    AmdSmiTemperatureMetric = SimpleNamespace(CURRENT="current")

    def amdsmi_get_processor_handles(self) -> list[str]:
        return ["first", "second"]

    def amdsmi_get_gpu_device_bdf(self, handle: str) -> str:
        return {"first": "0000:01:00.0", "second": "0000:C1:00.0"}[handle]

    def amdsmi_get_clock_info(self, handle: str, kind: str) -> dict[str, Any]:
        assert handle == "second"
        return {"clk": 2100 if kind == "gfx" else "N/A"}

    def amdsmi_get_power_info(self, handle: str) -> dict[str, Any]:
        return {"current_socket_power": 650, "average_socket_power": "N/A"}

    def amdsmi_get_temp_metric(self, *arguments: Any) -> int:
        raise self.AmdSmiException

    def amdsmi_get_violation_status(self, handle: str) -> dict[str, Any]:
        return {"active_ppt_pwr": True, "active_prochot_thrm": "N/A"}

    def amdsmi_get_gpu_compute_partition(self, handle: str) -> str:
        return "CPX"

    def amdsmi_get_gpu_memory_partition(self, handle: str) -> str:
        return "NPS4"


def test_an_amd_card_is_found_by_its_bus_address(machine: Any) -> None:
    machine(Amdsmi(), HIP)
    assert probe.SystemProbe().clocks() == ClockState(2100, None, None, 650, ("package power cap",))
    assert settings.read_settings() == CardSettings(partition=("CPX", "NPS4"))


def test_a_machine_without_amds_library_has_no_reading(machine: Any) -> None:
    machine(None, HIP)
    assert probe.SystemProbe().clocks() is None
    assert settings.read_settings() is None
    with amd_clocks.amdsmi() as library:  # the real one, which is not installed here or finds no card
        assert library is None or library.amdsmi_get_processor_handles()


@pytest.mark.parametrize(
    ("build", "name"),
    [(CUDA, "CUDA_VISIBLE_DEVICES"), (HIP, "HIP_VISIBLE_DEVICES"), (HIP, "ROCR_VISIBLE_DEVICES")],
)
def test_where_every_card_is_hidden_no_driver_is_asked(
    machine: Any, monkeypatch: pytest.MonkeyPatch, build: TorchBuild, name: str
) -> None:
    machine(None, build)
    monkeypatch.setenv(name, "")
    monkeypatch.setitem(sys.modules, "torch", None)  # importing it, let alone asking it, would fail
    with pytest.raises(probe.NoCardError, match=f"{name} is empty, which hides every card"):
        probe.SystemProbe().facts()
