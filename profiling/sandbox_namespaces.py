"""Gives a sandboxed child a network, process table, mounts and IPC of its own, where the kernel allows it."""

from __future__ import annotations

import ctypes
import os
import struct

from .sandbox_landlock import devices

_CLONE_NEWNS, _CLONE_NEWIPC, _CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
_CLONE_NEWPID, _CLONE_NEWNET = 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_SYS_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE = 442, -100, 0x8000
_RDONLY, _NOSUID, _NODEV = 1, 2, 4
_KERNEL_SWITCHES = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi")


def possible(libc: ctypes.CDLL) -> bool:
    """Whether `enter` would work, tried in a process of its own.

    Ubuntu's AppArmor lets anyone have namespaces and nobody act in them; a process that has gone in cannot
    come back and, being no known user there, could not write a file.
    """
    if (trial := os.fork()) == 0:
        os._exit(0 if enter(libc) else 1)
    return os.waitpid(trial, 0)[1] == 0


def enter(libc: ctypes.CDLL) -> bool:
    """Leave the host's network, mounts, IPC and, for children, process table; False where forbidden."""
    uid, gid = os.getuid(), os.getgid()
    everything = _CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWPID | _CLONE_NEWNET | _CLONE_NEWIPC
    if libc.unshare(everything) != 0:
        return False
    try:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    except OSError:
        return False  # the namespaces hold, but this process cannot act inside them
    return True


def seal(libc: ctypes.CDLL, scratch: str) -> bool:
    """Make everything but the scratch folder read-only, and every device but those a GPU needs unusable."""
    if libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None) != 0 or not _bind(libc, scratch):
        return False
    usable = [device for device in devices() if _bind(libc, device)]
    sealed = _set(libc, "/", _AT_RECURSIVE, _RDONLY | _NOSUID | _NODEV, 0) and _set(
        libc, scratch, 0, 0, _RDONLY
    )
    for device in usable:
        _set(libc, device, 0, 0, _NODEV)
    os.chdir(scratch)  # the working folder still points below the new mount
    return sealed


def own_process_table(libc: ctypes.CDLL) -> bool:
    """Show this process namespace under /proc, from its first process; refused where /proc is masked."""
    if libc.mount(b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, None) != 0:
        return False
    for path in filter(os.path.exists, _KERNEL_SWITCHES):  # root owns them, with or without capabilities
        if _bind(libc, path):
            _set(libc, path, 0, _RDONLY, 0)
    return True


def _write(path: str, text: str) -> None:
    with open(path, "w") as handle:
        handle.write(text)


def _bind(libc: ctypes.CDLL, path: str) -> bool:
    """Make a path a mount of its own, so that it can be treated apart from what is around it."""
    place = os.fsencode(path)
    return bool(libc.mount(place, place, None, _MS_BIND | _MS_REC, None) == 0)


def _set(libc: ctypes.CDLL, path: str, flags: int, add: int, clear: int) -> bool:
    """mount_setattr(2), for which the C library has no function yet on older systems."""
    attributes = struct.pack("QQQQ", add, clear, 0, 0)
    result = libc.syscall(
        ctypes.c_long(_SYS_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(path),
        ctypes.c_uint(flags),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    return bool(result == 0)
