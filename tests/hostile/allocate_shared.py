"""Holds memory in shared mappings, a few in each process."""

import mmap
import os
import time

ENDS, SAYS, LIMITS = "memory", "0.25 GiB in all", {"memory_bytes": 256 << 20}


def act(request):
    for _ in range(4):
        if os.fork() == 0:
            break
    held = mmap.mmap(-1, 100 << 20)
    held.write(bytes(100 << 20))
    time.sleep(600)
