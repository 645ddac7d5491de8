"""Reads what the card in this machine says of itself: name, limits, driver, clocks, throttle reasons."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

from .. import KbgenError
from .amd_clocks import amdsmi, reading

# nvml.h, nvmlClocksEventReasons: the bits that mean "slower than asked". GpuIdle (0x1) is not one of them.
_THROTTLE_BITS = {
    0x002: "application clocks setting",
    0x004: "software power cap",
    0x008: "hardware slowdown",
    0x010: "sync boost",
    0x020: "software thermal slowdown",
    0x040: "hardware thermal slowdown",
    0x080: "hardware power brake",
    0x100: "display clock setting",
}


class NoCardError(KbgenError):
    """No card that this process could run on; the sentence says what was looked for and what to do."""


@dataclass(frozen=True)
class LiveFacts:
    """What the driver and torch report of one card; these values win over the specification table."""

    name: str
    vendor: str
    arch: str  # "sm_90" or "gfx942"
    unit_count: int
    memory_bytes: int
    l2_bytes: int | None
    driver: str | None
    runtime: str  # "cuda 13.0" or "hip 7.0", of the torch build
    attributes: Mapping[str, int] = field(default_factory=dict, hash=False)  # see _ATTRIBUTES


@dataclass(frozen=True)
class ClockState:
    """One reading of the card's clocks; `throttle` names why it ran slower than asked, empty when it did
    not."""

    sm_mhz: int | None
    memory_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    throttle: tuple[str, ...]


_ATTRIBUTES = {
    "warp_size": "warp_size",
    "max_threads_per_unit": "max_threads_per_multi_processor",
    "registers_per_unit": "regs_per_multiprocessor",
    "shared_bytes_per_unit": "shared_memory_per_multiprocessor",
    "shared_bytes_per_block": "shared_memory_per_block_optin",
}
"""Our names for what torch's device properties hold; a version of torch that lacks one leaves it out."""


class Probe(Protocol):
    """The seam to the machine: the real one below, a replayed one in tests."""

    def facts(self) -> LiveFacts:
        """Raises NoCardError."""

    def clocks(self) -> ClockState | None:
        """None where the vendor's library gives no reading."""


@dataclass(frozen=True)
class TorchBuild:
    """What the installed torch was built for, read without importing it."""

    version: str
    cuda: str | None
    hip: str | None

    @property
    def kind(self) -> str:
        return f"cuda {self.cuda}" if self.cuda else f"hip {self.hip}" if self.hip else "cpu"


def hides_all(build: TorchBuild) -> str:
    """The variable that leaves torch no card, "" where none does: where it is set, no driver need be asked,
    and a driver that nothing holds awake takes seconds for each card to answer."""
    names = ("CUDA_VISIBLE_DEVICES",) if build.cuda else ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
    return next((name for name in names if os.environ.get(name) == ""), "")


def torch_build() -> TorchBuild | None:
    """None when torch is not installed. Reads torch/version.py alone: importing torch costs over a second."""
    package = importlib.util.find_spec("torch")
    if package is None or package.origin is None:
        return None
    place = Path(package.origin).with_name("version.py")
    loader = importlib.util.spec_from_file_location("_kbgen_torch_version", place)
    if loader is None or loader.loader is None:
        return None
    module = importlib.util.module_from_spec(loader)
    loader.loader.exec_module(module)
    return TorchBuild(module.__version__, module.cuda, module.hip)


def installed(distribution: str) -> str | None:
    """The installed version of a distribution, or None."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


class SystemProbe:
    """The card that torch would run on, asked through NVML (nvidia-ml-py) and torch."""

    def facts(self) -> LiveFacts:
        build = torch_build()
        if build is None:
            raise NoCardError(
                "torch is not installed, so no card can be used; install the project's requirements"
            )
        if build.kind == "cpu":
            raise NoCardError(_cpu_build_sentence(build))
        if hidden := hides_all(build):
            raise NoCardError(f"{hidden} is empty, which hides every card from torch; unset it to use one")
        import torch

        if not torch.cuda.is_available():
            raise NoCardError(
                f"torch {build.version} ({build.kind}) finds no usable card and {nvml_sentence()}; "
                "check the driver, or the card's visibility in this container"
            )
        found: Any = torch.cuda.get_device_properties(0)
        hip = build.hip is not None
        return LiveFacts(
            name=found.name,
            vendor="amd" if hip else "nvidia",
            arch=found.gcnArchName.split(":")[0] if hip else f"sm_{found.major}{found.minor}",
            unit_count=found.multi_processor_count,
            memory_bytes=found.total_memory,
            l2_bytes=getattr(found, "L2_cache_size", None),
            driver=_amd_driver() if hip else nvml_driver(),
            runtime=build.kind,
            attributes=_attributes(found, hip),
        )

    def clocks(self) -> ClockState | None:
        build = torch_build()
        if build is not None and build.hip is not None:
            return _amd_clocks()
        if build is None or build.cuda is None:
            return None
        with nvml() as library:
            return None if library is None else _read_clocks(library)


def _attributes(properties: Any, hip: bool) -> dict[str, int]:
    """Limits as torch gives them; the highest clocks (MHz) and the bus width (bit) as NVML does."""
    found = {name: getattr(properties, theirs, None) for name, theirs in _ATTRIBUTES.items()}
    if not hip:
        with nvml() as library:
            if library is not None:
                ask = asking(library, torch_handle(library))
                found["clock_mhz"] = ask("nvmlDeviceGetMaxClockInfo", library.NVML_CLOCK_SM)
                found["memory_clock_mhz"] = ask("nvmlDeviceGetMaxClockInfo", library.NVML_CLOCK_MEM)
                found["bus_bits"] = ask("nvmlDeviceGetMemoryBusWidth")
    return {name: int(value) for name, value in found.items() if value}


@contextmanager
def nvml() -> Iterator[Any]:
    """The initialised NVML module, or None where there is no driver or no package."""
    try:
        import pynvml
    except ImportError:
        yield None
        return
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        yield None
        return
    try:
        yield pynvml
    finally:
        pynvml.nvmlShutdown()


def nvml_names() -> tuple[str, ...]:
    """The names of the NVIDIA cards that the driver shows, seen by torch or not."""
    with nvml() as library:
        if library is None:
            return ()
        handles = (library.nvmlDeviceGetHandleByIndex(i) for i in range(library.nvmlDeviceGetCount()))
        return tuple(library.nvmlDeviceGetName(handle) for handle in handles)


def nvml_arch() -> str | None:
    """The compiler target of the driver's first NVIDIA card ("sm_90"), whether or not torch can use it."""
    with nvml() as library:
        if library is None or not library.nvmlDeviceGetCount():
            return None
        major, minor = library.nvmlDeviceGetCudaComputeCapability(library.nvmlDeviceGetHandleByIndex(0))
        return f"sm_{major}{minor}"


def nvml_driver() -> str | None:
    """The NVIDIA driver's version, or None without one."""
    with nvml() as library:
        return None if library is None else str(library.nvmlSystemGetDriverVersion())


def nvml_sentence() -> str:
    """What NVML sees, as a clause."""
    names = nvml_names()
    return f"NVML shows {', '.join(names)}" if names else "NVML shows no NVIDIA card"


def throttle_reasons(bits: int) -> tuple[str, ...]:
    """The names of the set bits that mean "slower than asked"."""
    return tuple(name for bit, name in _THROTTLE_BITS.items() if bits & bit)


def _cpu_build_sentence(build: TorchBuild) -> str:
    names = nvml_names()
    if names:
        return (
            f"the driver shows {names[0]}, but torch {build.version} is a CPU build that cannot run on it; "
            "install a CUDA build of torch"
        )
    return f"NVML shows no NVIDIA card and torch {build.version} is a CPU build"


def asking(library: Any, handle: Any) -> Callable[..., Any]:
    """A call of NVML's functions on one card: None where the card or the driver does not answer."""

    def ask(function: str, *arguments: Any) -> Any:
        with suppress(library.NVMLError, AttributeError):
            return getattr(library, function)(handle, *arguments)
        return None

    return ask


def _read_clocks(library: Any) -> ClockState:
    ask = asking(library, torch_handle(library))
    bits = ask("nvmlDeviceGetCurrentClocksEventReasons")
    power_mw = ask("nvmlDeviceGetPowerUsage")
    return ClockState(
        sm_mhz=ask("nvmlDeviceGetClockInfo", library.NVML_CLOCK_SM),
        memory_mhz=ask("nvmlDeviceGetClockInfo", library.NVML_CLOCK_MEM),
        temperature_c=ask("nvmlDeviceGetTemperature", library.NVML_TEMPERATURE_GPU),
        power_w=None if power_mw is None else power_mw / 1000,
        throttle=() if bits is None else throttle_reasons(bits),
    )


def torch_handle(library: Any) -> Any:
    """NVML's handle of torch's device 0: the two count differently under CUDA_VISIBLE_DEVICES, the UUID does
    not."""
    import torch

    uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    with suppress(library.NVMLError):
        return library.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}")
    return library.nvmlDeviceGetHandleByIndex(0)


def amd_address() -> str:
    """The bus address of torch's device 0, "0000:c1:00.0": amdsmi numbers cards in its own way."""
    import torch

    found: Any = torch.cuda.get_device_properties(0)
    return f"{found.pci_domain_id:04x}:{found.pci_bus_id:02x}:{found.pci_device_id:02x}.0"


def _amd_clocks() -> ClockState | None:
    with amdsmi() as library:
        if library is None:
            return None
        read = reading(library, amd_address())
    return ClockState(**{field.name: read[field.name] for field in fields(ClockState)})


def _amd_driver() -> str | None:
    with suppress(OSError):
        return Path("/sys/module/amdgpu/version").read_text().strip()
    return None
