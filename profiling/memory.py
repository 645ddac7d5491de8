"""Tells how many bytes a device can still give, and writes byte counts for people."""

import os
import resource
from pathlib import Path

import torch


def available_bytes(device: str = "cpu") -> int:
    """Free bytes of a GPU; else of this machine, within the limits of its control group and this process."""
    if device.startswith("cuda"):
        return int(torch.cuda.mem_get_info(device)[0])
    return min(free for free in (_machine(), _control_group(), _address_space()) if free is not None)


def readable(count: float) -> str:
    """`17.2 GB`: decimal units, as vendors and file managers count."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def _machine() -> int:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _control_group() -> int | None:
    """Room under the cgroup v2 limit, None without one."""
    limit, used = _lines("/sys/fs/cgroup/memory.max"), _lines("/sys/fs/cgroup/memory.current")
    if not (limit and used) or limit[0] == "max":
        return None
    return max(0, int(limit[0]) - int(used[0]))


def _address_space() -> int | None:
    """Room under RLIMIT_AS (a sandbox sets it), None without one."""
    limit, pages = resource.getrlimit(resource.RLIMIT_AS)[0], _lines("/proc/self/statm")
    if limit == resource.RLIM_INFINITY or not pages:
        return None
    return max(0, limit - int(pages[0].split()[0]) * resource.getpagesize())


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:  # another system, or a kernel without this file
        return []
