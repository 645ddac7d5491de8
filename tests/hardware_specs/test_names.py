"""A device answers to its id, to what people type and to what drivers print."""

import pytest

from kbgen.hardware_specs.names import REPRESENTATIVE, plain
from kbgen.hardware_specs.spec import UnknownDevice, all_specs, find_spec


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("h100", "nvidia-h100-sxm5"),
        ("H100 PCIe", "nvidia-h100-pcie"),
        ("h100-pcie", "nvidia-h100-pcie"),
        ("H100_NVL", "nvidia-h100-nvl"),
        ("h200", "nvidia-h200-sxm"),
        ("b200", "nvidia-b200"),
        ("a100", "nvidia-a100-sxm4-80gb"),
        ("a100-40gb", "nvidia-a100-sxm4-40gb"),
        ("rtx4090", "nvidia-rtx-4090"),
        ("rtx 4090", "nvidia-rtx-4090"),
        ("4090", "nvidia-rtx-4090"),
        ("mi300x", "amd-mi300x"),
        ("MI250X", "amd-mi250x"),
        ("7900 XTX", "amd-rx7900xtx"),
        ("sm_90", "nvidia-h100-sxm5"),
        ("sm90", "nvidia-h100-sxm5"),
        ("SM_90a", "nvidia-h100-sxm5"),
        ("sm_120", "nvidia-rtx-5090"),
        ("gfx942", "amd-mi300x"),
        ("gfx942:sramecc+:xnack-", "amd-mi300x"),
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-sxm5"),
        ("NVIDIA A100 80GB PCIe", "nvidia-a100-pcie-80gb"),
        ("NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm4-80gb"),
        ("NVIDIA GeForce RTX 4090", "nvidia-rtx-4090"),
        ("NVIDIA L40S", "nvidia-l40s"),
        ("Tesla T4", "nvidia-t4"),
        ("AMD Instinct MI300X", "amd-mi300x"),
        ("AMD Radeon RX 7900 XTX", "amd-rx7900xtx"),
    ],
)
def test_a_name_means_its_device(name: str, device: str) -> None:
    assert find_spec(name).id == device


def test_every_device_answers_to_all_its_names() -> None:
    for spec in all_specs():
        for name in (spec.id, spec.name, *spec.aliases, *spec.device_names):
            assert find_spec(name) is spec, name


def test_no_two_devices_share_a_name() -> None:
    owners: dict[str, str] = {}
    for spec in all_specs():
        for name in (spec.id, spec.name, *spec.aliases, *spec.device_names):
            assert owners.setdefault(plain(name), spec.id) == spec.id, name


def test_a_target_has_one_representative_of_that_target() -> None:
    assert {spec.arch for spec in all_specs()} == set(REPRESENTATIVE)
    for target, device in REPRESENTATIVE.items():
        assert find_spec(device).arch == target
        assert find_spec(target).id == device


@pytest.mark.parametrize(
    ("typo", "nearest"),
    [
        ("h10o", "h100"),
        ("rtx4900", "rtx-4090"),
        ("mi30x", "mi300x"),
        ("sm_91", "sm_90"),
        ("gfx940", "gfx942"),
    ],
)
def test_a_typo_gets_the_nearest_names(typo: str, nearest: str) -> None:
    with pytest.raises(UnknownDevice, match=f'no device is called "{typo}"; nearest: .*{nearest}'):
        find_spec(typo)


@pytest.mark.parametrize(
    "name", ["NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA A10G", "H100 80GB HBM3 MIG 1g.10gb", ""]
)
def test_a_relative_is_not_taken_for_the_device(name: str) -> None:
    with pytest.raises(UnknownDevice):
        find_spec(name)
