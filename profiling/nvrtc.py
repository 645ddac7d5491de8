"""Compiles CUDA C++ for a target with NVIDIA's run-time compiler, which needs no card and no driver.

It comes with CUDA builds of torch, with the `nvidia-cuda-nvrtc` wheel (the extra `cuda`) and with the CUDA
toolkit; CUDA's headers come with triton. Its C interface is documented in NVIDIA's NVRTC guide.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .. import KbgenError

FILE = "candidate.cu"
_SUCCESS, _BAD_OPTION, _FAILED = 0, 5, 6
CURE = "pip install 'kbgen[cuda]'"


class NvrtcError(KbgenError):
    """The compiler is not here, or does not know the target."""


@dataclass(frozen=True)
class Compilation:
    """What came of one source: its PTX, or "" where it does not compile; the compiler's log with what ptxas
    says of registers; `lowered` are the names that the kernels asked for have in the PTX."""

    ptx: str
    log: str
    lowered: dict[str, str]
    version: str


def find_library() -> Path | None:
    """The newest libnvrtc among installed packages, else the toolkit's."""
    found = [
        path
        for folder in map(Path, dict.fromkeys(sys.path))
        for path in folder.glob("nvidia/*/lib/libnvrtc.so*")
        if "alt" not in path.name
    ]
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    found += [path for home in homes if home for path in Path(home).glob("lib64/libnvrtc.so*")]
    return max(found, key=lambda path: (path.parent.parent.name, path.name)) if found else None


def header_folders() -> list[Path]:
    """Where CUDA's headers are: triton brings them, and packages of CUDA's may."""
    triton = find_spec("triton")
    homes = (
        [Path(triton.origin).parent / "backends" / "nvidia" / "include"] if triton and triton.origin else []
    )
    packages = [
        one for folder in map(Path, dict.fromkeys(sys.path)) for one in folder.glob("nvidia/*/include")
    ]
    return [folder for folder in (*homes, *packages) if (folder / "cuda_fp16.h").is_file()]


def compile_cuda(text: str, target: str, kernels: Sequence[str] = ()) -> Compilation:
    """Compile device code for `target`, such as sm_90a; `kernels` are names or `name<args>`. NvrtcError where
    nothing can be said of the text."""
    library = find_library()
    if library is None:
        raise NvrtcError(f"NVRTC, which compiles CUDA C++, is not installed; {CURE}.")
    for part in sorted(library.parent.glob("libnvrtc-builtins.so*")):
        ctypes.CDLL(str(part), ctypes.RTLD_GLOBAL)  # which it looks for by name alone
    rtc = ctypes.CDLL(str(library))
    numbers = (ctypes.c_int(), ctypes.c_int())
    rtc.nvrtcVersion(*map(ctypes.byref, numbers))
    version = f"{numbers[0].value}.{numbers[1].value}"
    program = ctypes.c_void_p()
    rtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), FILE.encode(), 0, None, None)
    try:
        for name in kernels:
            rtc.nvrtcAddNameExpression(program, name.encode())
        options = [
            f"--gpu-architecture={target}", "--std=c++17", "--ptxas-options=-v",
            *(f"-I{folder}" for folder in header_folders()),
        ]  # fmt: skip
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        status = rtc.nvrtcCompileProgram(program, len(options), given)
        log = _text(rtc, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program)
        if status == _BAD_OPTION:
            raise NvrtcError(f"NVRTC {version} does not compile for {target}; another release of it may.")
        if status == _FAILED:
            return Compilation("", log, {}, version)
        if status != _SUCCESS:
            raise NvrtcError(f"NVRTC {version} ended with status {status} on this source.")
        ptx = _text(rtc, "nvrtcGetPTXSize", "nvrtcGetPTX", program)
        return Compilation(ptx, log, {name: _lowered(rtc, program, name) for name in kernels}, version)
    finally:
        rtc.nvrtcDestroyProgram(ctypes.byref(program))


def _text(rtc: ctypes.CDLL, size: str, get: str, program: ctypes.c_void_p) -> str:
    count = ctypes.c_size_t()
    getattr(rtc, size)(program, ctypes.byref(count))
    held = ctypes.create_string_buffer(max(1, count.value))
    getattr(rtc, get)(program, held)
    return held.value.decode(errors="replace")


def _lowered(rtc: ctypes.CDLL, program: ctypes.c_void_p, name: str) -> str:
    found = ctypes.c_char_p()
    rtc.nvrtcGetLoweredName(program, name.encode(), ctypes.byref(found))
    return (found.value or b"").decode()
