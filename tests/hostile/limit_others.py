"""Lowers the limits of the process above it, and raises its own."""

import os
import resource

ENDS, SAYS = "ok", ""


def act(request):
    broke = []
    for pid in (request["victim"], os.getppid()):
        try:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, 0))
            broke.append("limits of another process")
        except (OSError, ValueError):
            continue
    try:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        broke.append("its own limits")
    except ValueError:
        return {"broke": broke}
    return {"broke": broke}
