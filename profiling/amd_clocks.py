"""Reads an AMD card's clocks, power, temperature, throttle reasons and partition through amdsmi.

Written after amdsmi 7.0's interface and tried on a stand-in for it: it never ran on a card.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

# amdsmi_get_violation_status (MI300 and later): what each says of why the card is slower than asked.
VIOLATIONS = {
    "active_prochot_thrm": "processor hot",
    "active_ppt_pwr": "package power cap",
    "active_socket_thrm": "socket temperature",
    "active_vr_thrm": "voltage regulator temperature",
    "active_hbm_thrm": "HBM temperature",
}


@contextmanager
def amdsmi() -> Iterator[Any]:
    """The initialised library, or None where package, library or driver is missing. Its import loads
    libamd_smi.so and fails in its own ways where that is absent."""
    try:
        import amdsmi as library

        library.amdsmi_init()
    except Exception:  # ImportError, OSError, KeyError and the library's own, by version
        yield None
        return
    try:
        yield library
    finally:
        library.amdsmi_shut_down()


def reading(library: Any, bdf: str | None) -> dict[str, Any]:
    """sm_mhz, memory_mhz, temperature_c, power_w, throttle (names), compute_partition, memory_partition:
    None (throttle: ()) where this card or driver does not say. `bdf` is torch's device 0, "0000:c1:00.0"."""
    handle = _handle(library, bdf)

    def ask(function: str, *arguments: Any) -> Any:
        with suppress(library.AmdSmiException, AttributeError):
            return getattr(library, function)(handle, *arguments)
        return None

    def number(record: Any, *fields: str) -> Any:
        """amdsmi gives "N/A" for what the card does not have."""
        values = [(record or {}).get(field) for field in fields]
        return next((value for value in values if isinstance(value, int | float) and value > 0), None)

    power = ask("amdsmi_get_power_info")
    broken = ask("amdsmi_get_violation_status") or {}
    kinds, sensors = library.AmdSmiClkType, library.AmdSmiTemperatureType
    return {
        "sm_mhz": number(ask("amdsmi_get_clock_info", kinds.GFX), "clk"),
        "memory_mhz": number(ask("amdsmi_get_clock_info", kinds.MEM), "clk"),
        "temperature_c": ask(
            "amdsmi_get_temp_metric", sensors.HOTSPOT, library.AmdSmiTemperatureMetric.CURRENT
        ),
        "power_w": number(power, "current_socket_power", "average_socket_power"),
        "throttle": tuple(name for field, name in VIOLATIONS.items() if broken.get(field) is True),
        "compute_partition": ask("amdsmi_get_gpu_compute_partition"),  # "SPX", "DPX", "CPX", ...
        "memory_partition": ask("amdsmi_get_gpu_memory_partition"),  # "NPS1", "NPS4"
    }


def _handle(library: Any, bdf: str | None) -> Any:
    """HIP_VISIBLE_DEVICES renumbers torch's devices but not amdsmi's: the bus address is the same in both."""
    handles = library.amdsmi_get_processor_handles()
    return next((h for h in handles if library.amdsmi_get_gpu_device_bdf(h).lower() == bdf), handles[0])
