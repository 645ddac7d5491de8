"""Collects counters on the card in this machine, with the profiler of its vendor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..probe import ClockState, NoCardError, Probe, SystemProbe, nvml_arch
from .ncu import Request, collect_ncu
from .record import CounterReport
from .refusals import CountersRefused, Refusal
from .rocprof import collect_rocprof
from .subject import WARM_UPS, subject_line

if TYPE_CHECKING:  # loading it would load torch
    from ..op import Op

MOST_LAUNCHES = 20
_NO_RANGES = Refusal(
    "a range on an AMD card",
    "rocprofv3 is not asked for ranges",
    "pass over what comes before by number (--skip, --count)",
)


def collect_command(
    command: Sequence[str],
    *,
    kernel: str | None = None,
    full: bool = True,
    skip: int = 0,
    count: int = MOST_LAUNCHES,
    ranged: bool = False,
    nvtx: str | None = None,
    scratch: Path,
    timeout_s: float = 600.0,
    probe: Probe | None = None,
) -> CounterReport:
    """Counters of any program's launches whose kernel matches the regular expression `kernel`, after `skip`
    of them, at most `count`; of an NVIDIA card only those between cudaProfilerStart and Stop (`ranged`) or in
    an NVTX range (`nvtx`). CountersRefused says why there are none and what to do."""
    probe = probe or SystemProbe()
    vendor, arch = _card(probe)
    before = probe.clocks()
    if vendor == "amd":
        if ranged or nvtx:
            raise CountersRefused(_NO_RANGES)
        report = collect_rocprof(
            command, arch=arch, kernel=kernel, full=full, skip=skip, count=count, scratch=scratch,
            timeout_s=timeout_s,
        )  # fmt: skip
    else:
        request = Request(kernel, full, skip, count, ranged, nvtx, timeout_s)
        report = collect_ncu(command, request, arch=arch, scratch=scratch)
    return _with_clocks(report, before, probe.clocks())


def collect_op(
    op: Op,
    candidate: Path | None = None,
    *,
    mode: str = "as-is",
    full: bool = True,
    seed: int = 0,
    scratch: Path,
    timeout_s: float = 600.0,
    probe: Probe | None = None,
) -> CounterReport:
    """Counters of one warm forward call of the op's `Model`, or of the candidate's `ModelNew`."""
    probe = probe or SystemProbe()
    vendor, arch = _card(probe)
    before = probe.clocks()
    command = subject_line(op, candidate, mode=mode, seed=seed, scratch=scratch)
    if vendor == "amd":
        # no range there: the warm-up calls are skipped by number, kernel by kernel
        report = collect_rocprof(
            command, arch=arch, full=full, skip=WARM_UPS, count=1, scratch=scratch, timeout_s=timeout_s
        )
    else:
        request = Request(full=full, ranged=True, timeout_s=timeout_s)
        report = collect_ncu(command, request, arch=arch, scratch=scratch)
    return _with_clocks(report, before, probe.clocks())


def _with_clocks(report: CounterReport, before: ClockState | None, after: ClockState | None) -> CounterReport:
    """The clocks found before and after as notes; a card that was held back is flagged on every launch."""
    states = [(when, state) for when, state in (("before", before), ("after", after)) if state]
    notes = tuple(f"{when} the run: {_told(state)}" for when, state in states)
    held = dict.fromkeys(reason for _, state in states for reason in state.throttle)
    flags = (f"the card was held back ({', '.join(held)}): its times are longer than usual",) if held else ()
    launches = tuple(replace(launch, flags=(*launch.flags, *flags)) for launch in report.launches)
    return replace(report, launches=launches, notes=(*report.notes, *notes))


def _told(state: ClockState) -> str:
    """Such as "SM 1980 MHz, memory 3201 MHz, 37 C, 80 W", without what was not read."""
    read = (
        ("SM {} MHz", state.sm_mhz), ("memory {} MHz", state.memory_mhz), ("{} C", state.temperature_c),
        ("{:.0f} W", state.power_w),
    )  # fmt: skip
    return ", ".join(form.format(value) for form, value in read if value is not None) or "no reading"


def _card(probe: Probe) -> tuple[str, str | None]:
    """Vendor and compiler target of the card here; NVML's word counts where torch cannot use the card."""
    try:
        facts = probe.facts()
    except NoCardError as error:
        arch = nvml_arch()
        if arch is None:
            raise CountersRefused(
                Refusal(
                    str(error),
                    "there is no card here to count on",
                    "profile on the machine that has it and bring the report: kbgen advise report.ncu-rep",
                )
            ) from None
        return "nvidia", arch
    return facts.vendor, facts.arch
