"""Reads how a card is set up: power limit, MIG or partition, ECC, top clocks, its link to the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .amd_clocks import amdsmi, reading
from .probe import amd_address, asking, nvml, torch_build, torch_handle


@dataclass(frozen=True)
class CardSettings:
    """None stands for what the card or its driver does not tell. `partition` is AMD's compute and memory
    partition ("SPX", "NPS1"); another than those two is a part of the card."""

    power_limit_w: float | None = None
    default_power_limit_w: float | None = None
    mig: bool | None = None
    ecc: bool | None = None
    top_sm_mhz: int | None = None
    top_memory_mhz: int | None = None
    link: str | None = None  # "PCIe 5 x16", as it runs now
    partition: tuple[str, str] | None = None


def read_settings() -> CardSettings | None:
    """Of the card that torch would run on; None where neither vendor's library answers."""
    build = torch_build()
    if build is not None and build.hip is not None:
        return _amd()
    with nvml() as library:
        return None if library is None else _nvidia(library)


def _nvidia(library: Any) -> CardSettings:
    ask = asking(library, torch_handle(library))
    limit, default = (
        ask(f"nvmlDeviceGet{name}") for name in ("EnforcedPowerLimit", "PowerManagementDefaultLimit")
    )
    mig, ecc = ask("nvmlDeviceGetMigMode"), ask("nvmlDeviceGetEccMode")
    generation, lanes = ask("nvmlDeviceGetCurrPcieLinkGeneration"), ask("nvmlDeviceGetCurrPcieLinkWidth")
    return CardSettings(
        power_limit_w=limit / 1000 if limit else None,
        default_power_limit_w=default / 1000 if default else None,
        mig=bool(mig[0]) if mig else None,
        ecc=bool(ecc[0]) if ecc else None,
        top_sm_mhz=ask("nvmlDeviceGetMaxClockInfo", library.NVML_CLOCK_SM),
        top_memory_mhz=ask("nvmlDeviceGetMaxClockInfo", library.NVML_CLOCK_MEM),
        link=f"PCIe {generation} x{lanes}" if generation and lanes else None,
    )


def _amd() -> CardSettings | None:
    with amdsmi() as library:
        if library is None:
            return None
        read = reading(library, amd_address())
    parts = (read["compute_partition"], read["memory_partition"])
    return CardSettings(partition=parts if all(parts) else None)
