"""Connects to a listener on this machine, sends datagrams, asks for a name."""

import socket

ENDS, SAYS = "ok", ""


def act(request):
    broke = []
    attempts = {
        "tcp": lambda: socket.create_connection(("127.0.0.1", request["port"]), timeout=2),
        "tcp6": lambda: socket.create_connection(("::1", request["port"]), timeout=2),
        "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
        "raw": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
        "listen": lambda: socket.create_server(("127.0.0.1", 0)),
    }
    for name, attempt in attempts.items():
        try:
            attempt()
            broke.append(name)
        except OSError:
            continue
    return {"broke": broke}
