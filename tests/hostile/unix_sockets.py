"""Talks to servers of this machine, by path or by abstract name, as one would to a container engine."""

import socket

ENDS, SAYS, NEEDS = "ok", "", "system call filter"


def act(request):
    broke = []
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        try:
            socket.socket(socket.AF_UNIX, kind).connect(request["server"])
            broke.append(str(kind))
        except OSError:
            continue
    return {"broke": broke}
