"""Leaves links, pipes and devices under the names that its parent will read or write."""

import os
import stat

ENDS, SAYS = "ok", ""


def act(request):
    broke, target = [], f"{request['outside'][0]}/precious"
    attempts = {
        "symbolic link": lambda: os.symlink(target, "outputs.pt"),
        "hard link": lambda: os.link(target, "outputs.pt"),
        "pipe": lambda: os.mkfifo("outputs.pt"),
        "device": lambda: os.mknod("outputs.pt", stat.S_IFCHR | 0o600, os.makedev(1, 5)),
    }
    for name, attempt in attempts.items():
        try:
            attempt()
            broke.append(name)
        except OSError:
            continue
    return {"broke": broke}
