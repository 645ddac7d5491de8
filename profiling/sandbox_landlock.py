"""Lets a sandboxed child change files below one folder only, by the kernel's Landlock rules.

Reading stays free: a child needs Python, torch, a compiler, the op file. What is taken away is writing,
making, renaming and deleting anywhere but in the scratch folder and on the device nodes that a GPU needs;
making links, pipes and device nodes anywhere; TCP (from Landlock's version 4 on); signals and abstract
sockets that leave the sandbox (from version 6 on); and looking into the memory of processes outside it. Needs
no privilege, only `no_new_privs`; works where namespaces are forbidden.

Own code over three system calls, since the bindings on PyPI are young and this must run before any package
can be imported. Versions and bits: the kernel's userspace-api/landlock.
"""

from __future__ import annotations

import ctypes
import glob
import os
import struct

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_WRITE_FILE, _REMOVE_DIR, _REMOVE_FILE = 1 << 1, 1 << 4, 1 << 5
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO = 1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10
_MAKE_BLOCK, _MAKE_SYM, _REFER, _TRUNCATE = 1 << 11, 1 << 12, 1 << 13, 1 << 14
_WORK = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_NEVER = _MAKE_CHAR | _MAKE_SOCK | _MAKE_FIFO | _MAKE_BLOCK | _MAKE_SYM
_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_BELOW_PATH = 1
_OLDEST = 2  # the first version that lets files be renamed from one folder to another

DEVICES = (
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/nvidia*",
    "/dev/nvidia-caps/*",
    "/dev/nvidia-caps-imex-channels/*",
    "/dev/kfd",
    "/dev/dri/*",
)


def devices() -> list[str]:
    """The device nodes that a child may write to: the harmless ones and the GPUs."""
    found = (path for pattern in DEVICES for path in glob.glob(pattern))
    return [path for path in found if not os.path.isdir(path)]


def version(libc: ctypes.CDLL) -> int:
    """The version of Landlock that the kernel speaks; 0 where it has none or may not be asked."""
    return max(0, _call(libc, _CREATE, None, 0, 1))


def restrict(libc: ctypes.CDLL, scratch: str) -> bool:
    """Restrict this thread and all it starts; False, and nothing changed, where the kernel cannot."""
    spoken = version(libc)
    if spoken < _OLDEST:
        return False
    files = (_WORK | _NEVER) & ~(_TRUNCATE if spoken < 3 else 0)
    ruleset = _ruleset(libc, spoken, files)
    if ruleset < 0:
        return False
    try:
        if not _allow(libc, ruleset, scratch, _WORK & files):
            return False
        for place in ("/proc/self", *devices()):  # CUDA names its threads through /proc
            _allow(libc, ruleset, place, (_WRITE_FILE | _TRUNCATE) & files)
        return _call(libc, _RESTRICT, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _ruleset(libc: ctypes.CDLL, spoken: int, files: int) -> int:
    fields = [files]
    if spoken >= 4:
        fields.append(_BIND_TCP | _CONNECT_TCP)
    if spoken >= 6:
        fields.append(_ABSTRACT_SOCKETS | _SIGNALS)
    packed = struct.pack(f"{len(fields)}Q", *fields)
    return _call(libc, _CREATE, packed, len(packed), 0)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, access: int) -> bool:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # gone since it was listed
        return False
    try:
        return _call(libc, _ADD_RULE, ruleset, _BELOW_PATH, struct.pack("=Qi", access, place), 0) == 0
    finally:
        os.close(place)


def _call(libc: ctypes.CDLL, number: int, *args: bytes | int | None) -> int:
    widened = (ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args)
    return int(libc.syscall(ctypes.c_long(number), *widened))
