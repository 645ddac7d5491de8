"""Which card a run is for: the live one, or a target that is not here, never the one taken for the other."""

from __future__ import annotations

import dataclasses
import json

import pytest

from kbgen.hardware_specs.spec import UnknownDevice, find_spec
from kbgen.profiling.device import DeviceError, check_facts, detect
from kbgen.profiling.probe import (
    ClockState,
    LiveFacts,
    NoCardError,
    SystemProbe,
    throttle_reasons,
    torch_build,
)

H100 = LiveFacts(
    name="NVIDIA H100 80GB HBM3",
    vendor="nvidia",
    arch="sm_90",
    unit_count=132,
    memory_bytes=85_029_158_912,
    l2_bytes=52_428_800,
    driver="570.86.15",
    runtime="cuda 12.8",
)
H200 = dataclasses.replace(H100, name="NVIDIA H200", memory_bytes=150_000_000_000)
CLOCKS = ClockState(1980, 2619, 41, 120.0, ())


class Replayed:
    """A probe that answers with what one machine once said."""

    def __init__(self, facts: LiveFacts | None, clocks: ClockState | None = CLOCKS) -> None:
        self._facts, self._clocks = facts, clocks

    def facts(self) -> LiveFacts:
        if self._facts is None:
            raise NoCardError("no card in this test")
        return self._facts

    def clocks(self) -> ClockState | None:
        return self._clocks


def test_auto_takes_the_live_card() -> None:
    device = detect("auto", Replayed(H100))
    assert device.live
    assert device.spec.id == "nvidia-h100-sxm5"
    assert (device.driver, device.clocks, device.warnings) == ("570.86.15", CLOCKS, ())


def test_auto_without_a_card_names_the_option() -> None:
    with pytest.raises(DeviceError, match=r"no card in this test.*--gpu h100"):
        detect("auto", Replayed(None))


def test_auto_on_an_unknown_card_says_its_name() -> None:
    unknown = dataclasses.replace(H100, name="NVIDIA X9000")
    with pytest.raises(DeviceError, match=r"'NVIDIA X9000' \(sm_90\)"):
        detect("auto", Replayed(unknown))


@pytest.mark.parametrize("asked", ["h100", "H100 SXM5", "NVIDIA H100 80GB HBM3", "sm_90", "SM_90a"])
def test_a_name_of_the_live_card_is_live(asked: str) -> None:
    assert detect(asked, Replayed(H100)).live


@pytest.mark.parametrize("asked", ["rtx4090", "mi300x", "h200", "h100-pcie"])
def test_another_name_is_a_target_only(asked: str) -> None:
    device = detect(asked, Replayed(H100))
    assert not device.live
    assert device.spec.id == find_spec(asked).id
    assert "the card here is NVIDIA H100" in device.reason
    assert device.driver is None
    assert device.clocks is None


def test_an_architecture_means_the_card_that_is_here() -> None:
    """sm_90 alone names the H100 sheet; with an H200 in the machine it must not."""
    device = detect("sm_90", Replayed(H200))
    assert (device.live, device.spec.id) == (True, "nvidia-h200-sxm")


def test_an_unknown_name_is_an_error_even_with_a_card() -> None:
    with pytest.raises(UnknownDevice):
        detect("h1000", Replayed(H100))


def test_a_slice_of_a_card_is_warned_about() -> None:
    mig = dataclasses.replace(H100, unit_count=16, memory_bytes=10 << 30)
    warnings = check_facts(mig, find_spec("h100"))
    assert len(warnings) == 2
    assert "16 units" in warnings[0]
    assert "11 GB" in warnings[1]


def test_the_json_keeps_its_promised_keys() -> None:
    document = json.loads(json.dumps(detect("h100", Replayed(None)).to_json()))
    assert document["asked"] == "h100"
    assert document["used"] == "nvidia-h100-sxm5"
    assert document["live"] is False


def test_throttle_bits_are_named_and_idle_is_not_one() -> None:
    assert throttle_reasons(0x1) == ()
    assert throttle_reasons(0x4 | 0x40) == ("software power cap", "hardware thermal slowdown")


def test_the_torch_build_is_read_without_importing_it() -> None:
    import torch

    build = torch_build()
    assert build is not None
    assert (build.version, build.cuda, build.hip) == (
        torch.__version__,
        torch.version.cuda,
        torch.version.hip,
    )


def test_the_real_probe_gives_facts_or_a_reason() -> None:
    """On a machine without a card it must say why; on one with a card it must agree with torch."""
    import torch

    if torch.cuda.is_available():
        assert SystemProbe().facts().name == torch.cuda.get_device_name(0)
    else:
        with pytest.raises(NoCardError, match="torch"):
            SystemProbe().facts()
