"""Asks for kernel services that have been used to break out: bpf, keyrings, io_uring, userfaultfd, perf."""

import ctypes
import errno
import platform

ENDS, SAYS, NEEDS = "ok", "", "system call filter"
CALLS = {
    "x86_64": {"bpf": 321, "keyctl": 250, "io_uring_setup": 425, "userfaultfd": 323, "perf_event_open": 298},
    "aarch64": {"bpf": 280, "keyctl": 219, "io_uring_setup": 425, "userfaultfd": 282, "perf_event_open": 241},
}


def act(request):
    libc, broke = ctypes.CDLL(None, use_errno=True), []
    for name, number in CALLS[platform.machine()].items():
        libc.syscall(number, 0, 0, 0, 0, 0)
        if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            broke.append(name)
        ctypes.set_errno(0)
    return {"broke": broke}
