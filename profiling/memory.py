"""Tells how many bytes a device can still give, and writes byte counts for people."""

import os
from pathlib import Path

import torch


def available_bytes(device: str = "cpu") -> int:
    """Free bytes of a GPU, or of this machine's memory with the limits of its control group."""
    if device.startswith("cuda"):
        return int(torch.cuda.mem_get_info(device)[0])
    return min(free for free in (_machine_bytes(), _control_group_bytes()) if free is not None)


def readable(count: float) -> str:
    """`17.2 GB`: decimal units, as vendors and file managers count."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def _machine_bytes() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # not Linux: the total is the best known bound
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _control_group_bytes() -> int | None:
    """Room under the cgroup v2 limit, None without one."""
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text().strip()
    except OSError:
        return None
    return None if limit == "max" else max(0, int(limit) - int(used))
