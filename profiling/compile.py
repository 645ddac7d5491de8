"""Compiles recorded launches for a card that is not here, and reads what the compilers say of the result.

ptxas ships with triton and tells registers, spills and barriers in its `-v` log, which triton prints to
standard output and only on a real compilation; AMD's metadata stands in the assembly itself.
"""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import triton
from triton import knobs

from .blamed import blamed, innermost
from .dots import Dot, read_dots
from .isa import IsaReading, read_amdgcn, read_ptx
from .launches import Launch, Variant


@dataclass(frozen=True)
class Compiled:
    """One kernel as compiled; registers per thread (AMD: vector and accumulation), shared bytes per block."""

    registers: int
    spill_bytes: int
    shared_bytes: int
    barriers: int
    threads_per_block: int
    blocks_per_cluster: int
    num_warps: int
    num_stages: int
    reading: IsaReading
    dots: tuple[Dot, ...]
    compile_s: float

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Compiled:
        """What `dataclasses.asdict` gave, through JSON or not."""
        dots = tuple(Dot(**dot) for dot in raw["dots"])
        return cls(**{**raw, "reading": IsaReading.from_json(raw["reading"]), "dots": dots})


@dataclass(frozen=True)
class Attempt:
    """A variant with its outcome: `compiled`, or the compiler's complaint in `error`."""

    variant: Variant
    compiled: Compiled | None
    error: str = ""


Known = Callable[[Variant], Compiled | None]
"""What was compiled before."""


def compile_all(
    launches: Sequence[Launch], shared_limit_bytes: int, known: Known = lambda variant: None, threads: int = 2
) -> list[list[Attempt]]:
    """For each launch its attempts: variants in order up to the first that fits the card without spilling."""
    with _real_compilation(), _output_per_thread() as output, ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda launch: _attempts(launch, shared_limit_bytes, known, output), launches))


def _attempts(
    launch: Launch, shared_limit_bytes: int, known: Known, output: _OutputPerThread
) -> list[Attempt]:
    tried = []
    for variant in launch.variants:
        seen = known(variant)
        tried.append(Attempt(variant, seen) if seen else _attempt(variant, output))
        compiled = tried[-1].compiled
        if compiled and not compiled.spill_bytes and compiled.shared_bytes <= shared_limit_bytes:
            break
    return tried


def _attempt(variant: Variant, output: _OutputPerThread) -> Attempt:
    request = variant.request
    output.clear()
    started = time.perf_counter()
    try:
        kernel = triton.compile(request.source, target=request.target, options=dict(request.options))
    except Exception as error:
        return Attempt(variant, None, _complaint(error, output.text(), request.source))
    compile_s = time.perf_counter() - started
    is_cuda = request.target.backend == "cuda"
    read = _read_nvidia(kernel, output.text() or _ptxas_log(kernel)) if is_cuda else _read_amd(kernel)
    metadata = kernel.metadata
    return Attempt(
        variant,
        Compiled(
            **read,
            shared_bytes=int(metadata.shared),
            threads_per_block=int(metadata.num_warps) * request.target.warp_size,
            blocks_per_cluster=int(getattr(metadata, "num_ctas", 1)),
            num_warps=int(metadata.num_warps),
            num_stages=int(metadata.num_stages),
            dots=read_dots(kernel.asm["ttir"]),
            compile_s=compile_s,
        ),
    )


def _read_nvidia(kernel: Any, log: str) -> dict[str, Any]:
    """ptxas' "Used 40 registers, used 1 barriers" and "8 bytes spill stores, 4 bytes spill loads"."""
    spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", log)
    used = re.search(r"Used (\d+) registers(?:, used (\d+) barriers)?", log)
    if spills is None or used is None:
        raise RuntimeError("ptxas wrote no resource usage; this version of it words its log in another way")
    return {
        "registers": int(used[1]),
        "spill_bytes": max(int(spills[1]), int(spills[2])),
        "barriers": int(used[2] or 0),
        "reading": read_ptx(kernel.asm["ptx"]),
    }


def _ptxas_log(kernel: Any) -> str:
    """The log of a ptxas run of our own, for versions of triton that do not print theirs."""
    target = re.search(r"\.target (sm_(\d+)\w*)", kernel.asm["ptx"])
    assert target is not None
    tool = knobs.nvidia.ptxas
    if int(target[2]) >= 100:
        tool = getattr(knobs.nvidia, "ptxas_blackwell", tool)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(kernel.asm["ptx"])
        command = [tool.path, "-v", f"--gpu-name={target[1]}", source, "-o", source.with_suffix(".o")]
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr


def _read_amd(kernel: Any) -> dict[str, Any]:
    """The kernel descriptor: `.vgpr_count` holds accumulation registers too; a spilled one is 4 bytes."""
    text = kernel.asm["amdgcn"]
    fields = ("vgpr_count", "vgpr_spill_count", "private_segment_fixed_size")
    found = {name: re.search(rf"\.{name}:\s+(\d+)", text) for name in fields}
    number = {name: int(match[1]) if match else 0 for name, match in found.items()}
    return {
        "registers": number["vgpr_count"],
        "spill_bytes": max(4 * number["vgpr_spill_count"], number["private_segment_fixed_size"]),
        "barriers": 0,
        "reading": read_amdgcn(text),
    }


def _complaint(error: BaseException, printed: str, source: Any) -> str:
    """What is wrong, and the line of the file that it is about."""
    code = getattr(getattr(source.fn, "fn", None), "__code__", None)
    place = blamed(error, printed, code.co_filename) if code else ""
    told = re.sub(r"ptxas /\S+\.ptx, ", "ptxas, ", first_complaint(innermost(error)))  # a passing file
    return f"{told} ({place})" if place else told


def first_complaint(error: BaseException) -> str:
    """The line of a compiler's message that says what is wrong, at most 300 characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"\berror\b|\bfatal\b|Error\(|Error:", line)]
    telling = [line for line in telling if not line.startswith("PTXAS error:")] or telling
    message = (telling or lines[-1:] or [""])[0]
    return f"{type(error).__name__}: {message}"[:300].rstrip(": ")


@contextlib.contextmanager
def _real_compilation() -> Iterator[None]:
    """A cached kernel has no log, so nothing is taken from the cache."""
    with knobs.nvidia.scope(), knobs.compilation.scope():
        knobs.nvidia.dump_ptxas_log = True
        knobs.compilation.always_compile = True
        yield


class _OutputPerThread(io.TextIOBase):
    """A standard output that keeps what each thread prints apart."""

    def __init__(self) -> None:
        self._local = threading.local()

    def write(self, text: str) -> int:
        self._local.parts = [*getattr(self._local, "parts", ()), text]
        return len(text)

    def text(self) -> str:
        return "".join(getattr(self._local, "parts", ()))

    def clear(self) -> None:
        self._local.parts = []


@contextlib.contextmanager
def _output_per_thread() -> Iterator[_OutputPerThread]:
    output, previous = _OutputPerThread(), sys.stdout
    sys.stdout = output
    try:
        yield output
    finally:
        sys.stdout = previous
