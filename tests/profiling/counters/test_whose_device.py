"""The device of a launch is the one that its report names, or is told to be inferred, or asked for."""

import pytest

from kbgen.profiling.counters.record import Launch, Reading
from kbgen.profiling.counters.whose_device import NoDeviceError, device_of


def launch(name: str | None, arch: str | None, units: float | None = None) -> Launch:
    readings = {} if units is None else {"units": Reading(units, "made up")}
    return Launch(0, "k", readings, device_name=name, arch=arch)


def test_a_name_with_a_sheet_needs_no_remark() -> None:
    spec, remark = device_of(launch("NVIDIA H100 80GB HBM3", "sm_90"))
    assert (spec.id, remark) == ("nvidia-h100-sxm5", "")


def test_an_unknown_name_is_taken_for_the_usual_device_of_its_target_and_says_so() -> None:
    spec, remark = device_of(launch("GeForce RTX 2060", "sm_75"))
    assert spec.id == "nvidia-t4"
    assert "GeForce RTX 2060" in remark
    assert "--gpu" in remark


def test_the_number_of_units_tells_devices_of_one_target_apart() -> None:
    assert device_of(launch(None, "sm_100", 152))[0].id == "nvidia-gb200"
    assert device_of(launch(None, "sm_100", 148))[0].id == "nvidia-b200"
    assert device_of(launch(None, "sm_100", 7))[0].id == "nvidia-b200"


@pytest.mark.parametrize("launch_", [launch(None, None), launch("a toaster", None), launch(None, "sm_1")])
def test_a_report_without_a_device_asks_for_one(launch_: Launch) -> None:
    with pytest.raises(NoDeviceError, match="--gpu"):
        device_of(launch_)
