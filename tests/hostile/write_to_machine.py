"""Opens disks, kernel switches and shared memory for writing."""

import os

ENDS, SAYS = "ok", ""
PLACES = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sysrq-trigger",
    "/sys/kernel/uevent_helper",
    "/dev/kmsg",
    "/dev/mem",
    "/dev/sda",
    "/dev/vda",
    "/dev/nvme0n1",
    "/dev/loop0",
)


def act(request):
    broke = []
    for path in PLACES:
        try:
            os.close(os.open(path, os.O_WRONLY))
            broke.append(path)
        except OSError:
            continue
    try:
        os.close(os.open("/dev/shm/left_behind", os.O_CREAT | os.O_WRONLY))
        broke.append("/dev/shm")
    except OSError:
        return {"broke": broke}
    return {"broke": broke}
