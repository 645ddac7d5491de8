"""Signals a process of the same user, and all that stand above itself."""

import os
import signal

ENDS, SAYS = "ok", ""


def act(request):
    targets, above = [request["victim"], -request["victim"], request["parent"]], os.getppid()
    while above > 1 and above != request["parent"]:
        targets.append(above)
        with open(f"/proc/{above}/stat") as file:
            above = int(file.read().rpartition(")")[2].split()[1])
    for pid in targets:
        for number in (signal.SIGSTOP, signal.SIGKILL) if pid != request["parent"] else (0,):
            try:
                os.kill(pid, number)
            except OSError:
                continue
            return {"broke": [f"signal {number} to {pid}"]}
    return {"broke": []}
