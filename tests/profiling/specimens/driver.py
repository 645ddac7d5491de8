"""Builds the CUDA specimens with nvcc and launches them through the driver, on torch's tensors."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SOURCES = ("memory", "compute", "hopper")
_MAX_DYNAMIC_SHARED = 8  # cuda.h, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def build(folder: Path, arch: str) -> str:
    """A cubin and a PTX file of each source in `folder`; what ptxas says of their resources is returned."""
    compiler = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    number = arch.removeprefix("sm_") + ("a" if arch == "sm_90" else "")
    running = []
    for name in SOURCES:
        for kind, code in (("cubin", "sm"), ("ptx", "compute")):
            target = ["-gencode", f"arch=compute_{number},code={code}_{number}"]
            said = ["-Xptxas", "-v"] if kind == "cubin" else []
            line = [compiler, f"-{kind}", *target, *said, str(HERE / f"{name}.cu"), "-o"]
            place = str(folder / f"{name}.{kind}")
            running.append(
                subprocess.Popen([*line, place], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            )
    logs = []
    for process in running:
        log, _ = process.communicate(timeout=300)
        if process.returncode:
            raise RuntimeError(f"nvcc fails: {log}")
        logs.append(log)
    return "".join(logs)


def resources(log: str) -> dict[str, dict[str, int]]:
    """Kernel -> registers a thread, spilled bytes a thread, barriers, shared bytes, from ptxas' log."""
    found = {}
    for part in re.split(r"Compiling entry function '", log)[1:]:
        used = re.search(r"Used (\d+) registers(?:, used (\d+) barriers)?", part)
        shared = re.search(r"(\d+) bytes smem", part)
        name = part[: part.index("'")]
        own = re.search(
            rf"Function properties for {name}\s+\d+ bytes stack frame, (\d+) bytes spill stores, (\d+)", part
        )
        assert used is not None
        found[name] = {
            "registers": int(used[1]),
            "barriers": int(used[2] or 0),
            "spill_bytes": max(int(own[1]), int(own[2])) if own else 0,
            "shared_bytes": int(shared[1]) if shared else 0,
        }
    return found


class Module:
    """The kernels of the cubins, by name. Make it once torch has a context."""

    def __init__(self, cubins: Sequence[Path]) -> None:
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._modules = []
        for cubin in cubins:
            handle = ctypes.c_void_p()
            self._check(self._driver.cuModuleLoadData(ctypes.byref(handle), cubin.read_bytes()))
            self._modules.append(handle)

    def function(self, name: str) -> Any:
        """The CUfunction of `name`."""
        found = ctypes.c_void_p()
        for module in self._modules:
            if self._driver.cuModuleGetFunction(ctypes.byref(found), module, name.encode()) == 0:
                return found
        raise KeyError(name)

    def launch(
        self, name: str, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any], shared: int = 0
    ) -> None:
        """Tensors go as pointers, numbers as ctypes scalars; runs on torch's current stream."""
        import torch

        function = self.function(name)
        if shared > 48 << 10:
            self._check(self._driver.cuFuncSetAttribute(function, _MAX_DYNAMIC_SHARED, shared))
        values = [
            ctypes.c_void_p(one.data_ptr()) if isinstance(one, torch.Tensor) else one for one in arguments
        ]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        sizes = [*grid, *[1] * (3 - len(grid)), *block, *[1] * (3 - len(block)), shared]
        self._check(self._driver.cuLaunchKernel(function, *sizes, stream, pointers, None))

    def _check(self, code: int) -> None:
        if code:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"the CUDA driver says {code}: {(text.value or b'').decode()}")
