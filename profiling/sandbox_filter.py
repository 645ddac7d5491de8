"""Filters a sandboxed child's system calls: what no kernel file needs is refused, a new process asked about.

Refused are the calls that reach into other processes, change mounts or namespaces, reach a network or a
socket of someone else's, leave links or pipes among the files that the parent reads, or exist for
administrators alone; everything else passes, since CUDA, ROCm and LLVM are free in what they use (CUDA 13
binds a Unix socket of its own, which therefore may be made; connecting one may not). With a listener, making
a process (and, where the child shares its process table with others, sending a signal) waits until the guard
has answered.

Own code over the kernel's interface (seccomp(2), x86-64 and aarch64): the bindings on PyPI need the
libseccomp system library, and know nothing of listeners. Syscall numbers are those of the kernel's uapi
headers.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Sequence

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # AUDIT_ARCH_*, column below
_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "connect": (42, 203),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fork": (57, None),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "link": (86, None),
    "linkat": (265, 37),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "seccomp": (317, 277),
    "semget": (64, 190),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmget": (29, 194),
    "socket": (41, 198),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vfork": (58, None),
    "vhangup": (153, 58),
}
SIGNALS = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
_FORKS = ("fork", "vfork")
_ABSENT = ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register")  # callers know another way
_BY_ARGUMENT = ("clone", "prctl", "prlimit64", "seccomp", "socket", "pidfd_send_signal")

_LOAD, _AND, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16  # in struct seccomp_data, little-endian
_ALLOW, _ASK, _FAIL = 0x7FFF0000, 0x7FC00000, 0x00050000
_X32_BIT = 0x40000000
_NEW_NAMESPACE, _CLONE_THREAD = 0x7E020080, 0x00010000
_PR_SET_DUMPABLE = 4
_AF_UNIX, _SOCK_TYPE_MASK, _SOCK_DGRAM = 1, 0xF, 2
_SET_MODE_FILTER, _SPECTRE_ALLOWED, _NEW_LISTENER = 1, 4, 8

_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, value


def number(name: str) -> int | None:
    """The number of a system call on this machine; None where there is none."""
    architecture = _ARCHITECTURES.get(os.uname().machine)
    return None if architecture is None else _NUMBERS[name][architecture[1]]


def install(libc: ctypes.CDLL, ask_signals: bool) -> tuple[bool, int | None]:
    """Filter this thread and all it starts: whether it worked, and the listener's descriptor if there is one.

    Needs no privilege, only `no_new_privs`. The kernel allows one listener; inside another sandbox that has
    one, the filter is raised without it.
    """
    if number("seccomp") is None:
        return False, None
    if _kernel() >= (5, 5):  # the first that lets a listener say: go on
        listener = _load(libc, _program(_ASK, ask_signals), _SPECTRE_ALLOWED | _NEW_LISTENER)
        if listener >= 0:
            return True, listener
    return _load(libc, _program(_ALLOW, ask_signals=False), _SPECTRE_ALLOWED) == 0, None


def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in os.uname().release.split(".")[:2])


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _load(libc: ctypes.CDLL, program: Sequence[_Instruction], flags: int) -> int:
    packed = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
    loaded = _Program(len(program), packed)
    call = ctypes.c_long(number("seccomp") or 0)
    return int(libc.syscall(call, _SET_MODE_FILTER, flags, ctypes.byref(loaded)))


def _program(fork: int, ask_signals: bool) -> list[_Instruction]:
    """`fork` is what happens to a call that makes a process: it is asked about, or allowed."""
    architecture, _ = _ARCHITECTURES[os.uname().machine]
    program = [(_LOAD, 0, 0, _ARCHITECTURE_AT), (_JUMP_EQUAL, 1, 0, architecture), _give(errno.ENOSYS)]
    program += [(_LOAD, 0, 0, _NUMBER_AT), (_JUMP_AT_LEAST, 0, 1, _X32_BIT), _give(errno.ENOSYS)]
    program += _when("clone", [_argument(0), *_if_any_bit(_NEW_NAMESPACE, _give(errno.EPERM))], fork)
    for name in _FORKS:
        program += _when(name, [], fork)
    for name in SIGNALS if ask_signals else ():
        program += _when(name, [], _ASK)
    if ask_signals:
        program += _when("pidfd_send_signal", [], _FAIL | errno.EPERM)
    program += _when("prctl", [_argument(0), *_if_equal(_PR_SET_DUMPABLE, _give(errno.EPERM))], _ALLOW)
    own = [_argument(0), *_if_equal(0, (_RETURN, 0, 0, _ALLOW))]
    program += _when("prlimit64", own, _FAIL | errno.EPERM)
    program += _when("socket", _unless_unix_stream(), _ALLOW)
    for name in _ABSENT:
        program += _when(name, [], _FAIL | errno.ENOSYS)
    for name in _NUMBERS.keys() - {*_BY_ARGUMENT, *_FORKS, *SIGNALS, *_ABSENT}:
        program += _when(name, [], _FAIL | errno.EPERM)
    return [*program, (_RETURN, 0, 0, _ALLOW)]


def _give(error: int) -> _Instruction:
    return _RETURN, 0, 0, _FAIL | error


def _argument(place: int) -> _Instruction:
    """Its lower half: all that these calls look at."""
    return _LOAD, 0, 0, _FIRST_ARGUMENT_AT + 8 * place


def _unless_unix_stream() -> list[_Instruction]:
    """Refuse every other family, and datagrams, which reach a listener without connecting."""
    refuse = _give(errno.EACCES)
    family = [_argument(0), (_JUMP_EQUAL, 1, 0, _AF_UNIX), refuse]
    return [*family, _argument(1), (_AND, 0, 0, _SOCK_TYPE_MASK), *_if_equal(_SOCK_DGRAM, refuse)]


def _if_equal(value: int, then: _Instruction) -> list[_Instruction]:
    return [(_JUMP_EQUAL, 0, 1, value), then]


def _if_any_bit(bits: int, then: _Instruction) -> list[_Instruction]:
    return [(_JUMP_ANY_BIT, 0, 1, bits), then]


def _when(name: str, body: list[_Instruction], otherwise: int) -> list[_Instruction]:
    """For the call `name`: its body, then `otherwise`; nothing where this architecture lacks the call."""
    if (value := number(name)) is None:
        return []
    if name == "clone":
        body = [*body, *_if_any_bit(_CLONE_THREAD, (_RETURN, 0, 0, _ALLOW))]
    body = [*body, (_RETURN, 0, 0, otherwise)]
    return [(_JUMP_EQUAL, 0, len(body), value), *body]
