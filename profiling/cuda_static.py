"""Static evidence of a candidate in CUDA C++: what its kernels would take on the target card.

    report = inspect_cuda(Path("relu_cuda.py"), find_spec("h100"), scratch)
    report.kernels[0].registers, report.rejections, report.unchecked

The device code is compiled offline. Launches stand in host code that is not run, so grids, block sizes and
shared memory asked for at launch are not known; where a kernel states `__launch_bounds__`, its occupancy is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..hardware_specs.spec import DeviceSpec
from .cuda_source import CudaText, calls, cuda_texts
from .isa import read_ptx
from .nvrtc import FILE
from .occupancy import Occupancy, occupancy
from .sandbox import NO_CARD, Limits, run_child

_LIMITS = Limits(wall_s=90.0, cpu_s=90, memory_bytes=8 << 30, file_bytes=64 << 20, processes=4)
_ERROR = re.compile(rf"^{re.escape(FILE)}\((\d+)\): (?:catastrophic )?error:? *(.*)$", re.MULTILINE)
_ABSENT = re.compile(r'cannot open source file "([^"]+)"')
_ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+([\w$]+)", re.MULTILINE)
_PRELUDE = """typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long uint64_t; typedef unsigned long uintptr_t; typedef long intptr_t;
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define M_PI 3.14159265358979323846
"""
"""What nvcc finds in the host's own headers, which a machine without a compiler lacks."""

_LINES = _PRELUDE.count("\n")


@dataclass(frozen=True)
class CudaKernel:
    """One kernel as compiled. `shared_bytes` are those that its text declares, `most_threads` its launch
    bounds, `occupancy` that of a block so large; both None where it states none."""

    name: str
    registers: int
    spill_bytes: int
    shared_bytes: int
    most_threads: int | None
    occupancy: Occupancy | None
    load_bits: Mapping[int, int]
    store_bits: Mapping[int, int]
    instructions: Mapping[str, int]


@dataclass(frozen=True)
class CudaReport:
    """`rejections` are sentences against the candidate, `unknown` says why nothing could be compiled at all,
    `unchecked` what of it the compile says nothing about."""

    target: str
    kernels: tuple[CudaKernel, ...] = ()
    rejections: tuple[str, ...] = ()
    spills: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    unknown: str = ""
    compiler: str = ""


class _OtherWordsError(Exception):
    """The log says nothing of registers where it is expected to."""


def inspect_cuda(source: str, spec: DeviceSpec, scratch: Path) -> CudaReport:
    """Compile the device code of a candidate's text for `spec`; never raises for what stands there."""
    if spec.vendor != "nvidia":
        said = f"it is CUDA C++, which {spec.name} cannot run"
        return CudaReport(spec.target, rejections=(said,))
    texts, found = cuda_texts(source), calls(source)
    if len(texts) < len({call.line for call in found}) or not texts:
        said = "its CUDA source is not a string that stands in the file, so it was not compiled"
        return CudaReport(spec.target, unknown=said)
    kernels, rejections, unchecked, compiler = [], [], [], ""
    for text in texts:
        if text.torch_types:
            said = (
                "its device code uses torch's own C++ types, which need torch's headers; it was not compiled"
            )
            return CudaReport(spec.target, unknown=said)
        if not text.expressions:
            unchecked += [f"{name} is a template of which no launch is seen" for name in text.open_kernels]
            continue
        reply = _compiled(text, spec, scratch)
        if "unknown" in reply:
            return CudaReport(spec.target, unknown=reply["unknown"])
        compiler = f"NVRTC {reply['version']}"
        lacking = (*text.lacking, *_ABSENT.findall(reply["log"]))
        if not reply["ptx"] and lacking:
            said = f"its device code does not compile without {', '.join(lacking)}, which is not here"
            return CudaReport(spec.target, unknown=said)
        if not reply["ptx"]:
            rejections.append(_complaint(reply["log"], text, source, spec))
            continue
        try:
            kernels += list(_kernels(reply, spec))
        except _OtherWordsError:
            said = f"{compiler} words what kernels take of the card in a way that is not known here"
            return CudaReport(spec.target, unknown=said, compiler=compiler)
        unchecked += list(_unchecked(text))
    if not kernels and not rejections:
        return CudaReport(spec.target, unknown="it holds no kernel that could be compiled by itself")
    rejections += [said for kernel in kernels for said in _objections(kernel, spec)]
    spills = tuple(
        f"{one.name} spills {one.spill_bytes} bytes a thread at {one.registers} registers"
        for one in kernels
        if one.spill_bytes
    )
    open_ = tuple(dict.fromkeys(unchecked))
    return CudaReport(spec.target, tuple(kernels), tuple(rejections), spills, open_, compiler=compiler)


def _compiled(text: CudaText, spec: DeviceSpec, scratch: Path) -> dict[str, Any]:
    request = {"text": _PRELUDE + text.text, "target": spec.target, "kernels": list(text.expressions)}
    outcome = run_child("kbgen.profiling.cuda_child", request, scratch=scratch, limits=_LIMITS, env=NO_CARD)
    return outcome.reply or {"unknown": f"compiling it ended badly: {outcome.detail}"}


def _complaint(log: str, text: CudaText, source: str, spec: DeviceSpec) -> str:
    """The first error, with the line of the candidate's file that it is about."""
    found = _ERROR.search(log)
    if found is None:
        telling = [line.strip() for line in log.splitlines() if "error" in line] or ["no reason is given"]
        return f"it does not compile for {spec.target}: {telling[0][:300]}"
    line = text.line + int(found[1]) - 1 - _LINES
    lines = source.splitlines()
    shown = lines[line - 1].strip()[:100] if 0 < line <= len(lines) else ""
    where = f" (line {line}: `{shown}`)" if shown else ""
    return f"it does not compile for {spec.target}: {found[2].strip()[:300]}{where}"


def _kernels(reply: Mapping[str, Any], spec: DeviceSpec) -> Iterator[CudaKernel]:
    names = {lowered: name for name, lowered in reply["lowered"].items()}
    ptx = reply["ptx"]
    starts = [(str(found[1]), found.start()) for found in _ENTRY.finditer(ptx)]
    ends = [*(start for _, start in starts[1:]), len(ptx)]
    for (entry, start), end in zip(starts, ends, strict=True):
        yield _kernel(names.get(entry, entry), entry, ptx[start:end], reply["log"], spec)


def _kernel(name: str, entry: str, ptx: str, log: str, spec: DeviceSpec) -> CudaKernel:
    said = log.partition(f"Compiling entry function '{entry}'")[2].partition("Compiling entry function")[0]
    used = re.search(r"Used (\d+) registers(?:, used (\d+) barriers)?", said)
    spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
    if used is None or spills is None:
        raise _OtherWordsError
    shared = re.search(r"(\d+) bytes smem", said)
    bounds = re.search(r"\.maxntid\s+([\d, ]+)", ptx)
    threads = math.prod(int(count) for count in bounds[1].split(",")) if bounds else None
    registers, shared_bytes = int(used[1]), int(shared[1]) if shared else 0
    held = occupancy(spec, threads, registers, shared_bytes, int(used[2] or 0) or 1) if threads else None
    reading = read_ptx(ptx)
    return CudaKernel(
        name, registers, max(int(spills[1]), int(spills[2])), shared_bytes, threads, held,
        reading.load_bits, reading.store_bits, reading.instructions,
    )  # fmt: skip


def _objections(kernel: CudaKernel, spec: DeviceSpec) -> Iterator[str]:
    if kernel.most_threads and kernel.most_threads > spec.max_threads_per_block:
        yield (
            f"{kernel.name} asks for {kernel.most_threads} threads a block; {spec.name} has "
            f"{spec.max_threads_per_block}"
        )
    if kernel.shared_bytes > spec.shared_bytes_per_block:
        yield (
            f"{kernel.name} asks for {kernel.shared_bytes} bytes of shared memory a block; {spec.name} has "
            f"{spec.shared_bytes_per_block}"
        )
    elif kernel.occupancy is not None and not kernel.occupancy.fits:
        yield f"{kernel.name} fits on no {spec.unit_name}: {kernel.occupancy.limiter} allow no block"


def _unchecked(text: CudaText) -> Iterator[str]:
    yield "the C++ around the kernels, their grids and blocks: host code is not compiled here"
    if text.dynamic_shared:
        yield "shared memory that a launch asks for"
    yield from (f"{name} is a template of which no launch is seen" for name in text.open_kernels)
