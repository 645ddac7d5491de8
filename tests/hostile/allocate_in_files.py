"""Holds memory in nameless files, which no limit on addresses sees."""

import os

ENDS, SAYS = "crashed", "filled its folder"


def act(request):
    held = []
    while True:
        held.append(os.memfd_create("hidden"))
        os.write(held[-1], bytes(1 << 20))
