"""Makes namespaces and mounts of its own to become root there."""

import ctypes

ENDS, SAYS, NEEDS = "ok", "", "system call filter"
NEW_USER, NEW_MOUNT = 0x10000000, 0x00020000


def act(request):
    libc, broke = ctypes.CDLL(None, use_errno=True), []
    if libc.unshare(NEW_USER | NEW_MOUNT) == 0:
        broke.append("unshare")
    if libc.mount(b"none", b"tmp", b"tmpfs", 0, None) == 0:
        broke.append("mount")
    if libc.umount2(b"/proc", 2) == 0:
        broke.append("umount")
    if libc.syscall(56, NEW_USER | 17, None, None, None, None) > 0:
        broke.append("clone")
    return {"broke": broke}
