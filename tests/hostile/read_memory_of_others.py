"""Looks into the memory of other processes through /proc, process_vm_readv and ptrace."""

import ctypes
import os

ENDS, SAYS = "ok", ""
PTRACE_ATTACH = 16


def act(request):
    libc, broke = ctypes.CDLL(None, use_errno=True), []
    for pid in {request["victim"], request["parent"], os.getppid()}:
        for name in ("mem", "environ", "maps"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    broke.append(f"/proc/{pid}/{name}: {file.read(8)!r}")
            except OSError:
                continue
        if libc.ptrace(PTRACE_ATTACH, pid, None, None) == 0:
            broke.append(f"ptrace {pid}")
        held = ctypes.create_string_buffer(8)
        vector = (ctypes.c_size_t * 2)(ctypes.addressof(held), 8)
        if libc.process_vm_readv(pid, vector, 1, vector, 1, 0) >= 0:
            broke.append(f"process_vm_readv {pid}")
    return {"broke": broke}
