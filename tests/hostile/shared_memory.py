"""Leaves memory behind that belongs to no process: System V segments and queues."""

import ctypes

ENDS, SAYS, NEEDS = "ok", "", "system call filter"


def act(request):
    libc, broke = ctypes.CDLL(None, use_errno=True), []
    if libc.shmget(0, 1 << 20, 0o1600) >= 0:
        broke.append("shmget")
    if libc.msgget(0, 0o1600) >= 0:
        broke.append("msgget")
    return {"broke": broke}
